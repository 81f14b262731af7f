//! One launch of one file: there is no right result to compare with, so what is judged are mistakes alone.
//!
//! It goes through the sandbox and the simulator as a submission does, then once more to be counted.

use domain::exercise::{KernelTask, Role};
use domain::finding::Finding;
use domain::job::Backend;
use domain::submission::SourceText;
use domain::verdict::{CaseOutcome, Diagnostic, Verdict, VerdictKind};
use domain::words;

use super::launch::{self, LaunchError};
use super::{Counted, count, print};
use crate::cases::{self, PlanError, PlannedCase};
use crate::compare;
use crate::diagnostics;
use crate::faults;
use crate::grade::{self, GradeError, remarks};
use crate::runner::Runner;
use crate::runner::protocol::{Bytes, Look, NotLoaded, Noted, Ran, Request, Response};
use crate::tools::{Built, LOAD_TIME, Tools, not_loaded};

/// Elements of a buffer that are shown.
const SHOWN_ELEMENTS: usize = 8;

/// Why a launch is not run.
#[derive(Debug, thiserror::Error)]
pub enum RefusedLaunch {
    /// Its text.
    #[error(transparent)]
    Text(#[from] LaunchError),
    /// Its sizes.
    #[error("the launch cannot be prepared")]
    Plan(#[source] PlanError),
    /// The file has no such kernel, or several of that name.
    #[error("there is no kernel `{wanted}` in the file; it has {found}")]
    NoKernel {
        /// As it was asked for.
        wanted: String,
        /// Those that are there.
        found: String,
    },
    /// Another number of arguments.
    #[error("`{kernel}` takes {wanted} arguments; the launch gives {given}")]
    Count {
        /// Which kernel.
        kernel: String,
        /// So many it takes.
        wanted: usize,
        /// So many are there.
        given: usize,
    },
    /// An argument of another size.
    #[error("argument {position} of `{kernel}` takes {wanted} bytes; the launch gives {given}")]
    Size {
        /// Which kernel.
        kernel: String,
        /// From 1.
        position: usize,
        /// Bytes that it takes.
        wanted: u32,
        /// Bytes that are given.
        given: u32,
    },
    /// We cannot run it.
    #[error(transparent)]
    Ours(#[from] GradeError),
}

/// A launch whose buffers are filled.
pub struct Planned {
    task: KernelTask,
    case: PlannedCase,
}

/// What became of a launch.
pub struct Launched {
    verdict: Verdict,
    /// Name, type and content of each buffer that the kernel may change, at the end.
    buffers: Vec<String>,
    counted: Option<Counted>,
}

/// An outcome; of what ended, what it left and what else is to be said.
type Judged = (CaseOutcome, Option<(Box<Ran>, Vec<Noted>)>);

impl Planned {
    /// Reads the text of a launch, and fills its buffers.
    ///
    /// # Errors
    /// The text, or buffers that are too large.
    pub fn of(text: &str) -> Result<Self, RefusedLaunch> {
        let task = launch::parse(text)?;
        let case = cases::plan(&task, 0, 0).map_err(RefusedLaunch::Plan)?;
        Ok(Self { task, case })
    }

    /// Compiles a source and runs the launch over it.
    ///
    /// # Errors
    /// The file's kernels do not fit the launch, or we cannot run it.
    pub async fn run(mut self, tools: &Tools, source: &SourceText) -> Result<Launched, RefusedLaunch> {
        let before = |kind, finding, diagnostics| {
            let verdict = Verdict::before_cases(kind, finding, diagnostics, &tools.device);
            Ok(Launched { verdict, buffers: vec![], counted: None })
        };
        let (image, mut diagnostics) = match tools.build(source.as_str(), Backend::Sim).await? {
            Built::Image { image, diagnostics } => (image, diagnostics),
            Built::Refused { kind, finding, diagnostics } => return before(kind, finding, diagnostics),
        };
        let mut runner = match self.load(tools, &image, source).await? {
            Ok(runner) => runner,
            Err((kind, finding)) => return before(kind, finding, diagnostics),
        };
        let (outcome, ended) = self.judge(tools, &mut runner, source).await?;
        let (ran, noted) = ended.unzip();
        remarks::tell(noted.unwrap_or_default(), source.as_str().lines().count() as u32, &mut diagnostics);
        let counted = match &outcome {
            CaseOutcome::Agrees => count(tools, &self.task, source, [Ok(self.case.clone())].into_iter()).await?,
            _ => None,
        };
        let verdict = verdict(&self.case, outcome, ran.as_deref(), diagnostics, &tools.device);
        let buffers = ran.map(|ran| self.contents(&ran)).unwrap_or_default();
        Ok(Launched { verdict, buffers, counted })
    }

    /// Loads the kernel, by its own name or by the mangled one of C++; the inner error is about the image.
    async fn load(
        &mut self,
        tools: &Tools,
        image: &Bytes,
        source: &SourceText,
    ) -> Result<Result<Runner, (VerdictKind, Finding)>, RefusedLaunch> {
        let wanted = self.task.entry.clone();
        let mut runner = tools.devices.take().await.map_err(GradeError::from)?;
        let mut answer = ask(&mut runner, image, &wanted).await?;
        if let Response::NotLoaded(NotLoaded::NoKernel { found, .. }) = &answer {
            let start = format!("_Z{}{wanted}", wanted.len());
            let mangled: Vec<_> = found.iter().filter(|name| name.starts_with(&start)).collect();
            let [only] = mangled[..] else {
                let found: Vec<_> = found.iter().map(|name| diagnostics::clean(name, 100)).collect();
                let found = if found.is_empty() { "none".to_owned() } else { found.join(", ") };
                return Err(RefusedLaunch::NoKernel { wanted, found });
            };
            self.task.entry.clone_from(only);
            runner = tools.devices.take().await.map_err(GradeError::from)?;
            answer = ask(&mut runner, image, &self.task.entry).await?;
        }
        match answer {
            Response::Loaded { parameters } => {
                self.fits(&wanted, parameters.first().map(Vec::as_slice).unwrap_or_default())?;
                Ok(Ok(runner))
            }
            Response::NotLoaded(reason) => Ok(Err(not_loaded(&self.task, source.as_str(), reason))),
            Response::Broken(reason) => Err(GradeError::Broken { reason }.into()),
            other => Err(GradeError::Broken { reason: format!("a device answered {other:?}") }.into()),
        }
    }

    /// Whether the arguments have the sizes of the kernel's parameters, (offset, size) of each.
    fn fits(&self, kernel: &str, parameters: &[(u32, u32)]) -> Result<(), RefusedLaunch> {
        let (wanted, given) = (parameters.len(), self.task.params.len());
        let kernel = kernel.to_owned();
        if wanted != given {
            return Err(RefusedLaunch::Count { kernel, wanted, given });
        }
        let sizes =
            parameters.iter().zip(&self.task.params).map(|((_, wanted), param)| (*wanted, param.parameter_bytes()));
        match sizes.enumerate().find(|(_, (wanted, given))| wanted != given) {
            Some((at, (wanted, given))) => Err(RefusedLaunch::Size { kernel, position: at + 1, wanted, given }),
            None => Ok(()),
        }
    }

    async fn judge(&self, tools: &Tools, runner: &mut Runner, source: &SourceText) -> Result<Judged, GradeError> {
        match tools.run(runner, &self.case, Look::Mistakes).await? {
            Response::Ran(mut ran) => {
                let remarks = remarks::take(&mut ran.noted, &self.task);
                // What a buffer holds at the end is right here, whatever it is.
                let buffers = ran.buffers.iter().zip(&self.case.run.buffers);
                let expected: Vec<_> = buffers.map(|(left, sent)| left.bytes(&sent.bytes.0).to_vec()).collect();
                let outcome = faults::ended(&self.task, &self.case, &expected, &ran)?;
                Ok((grade::in_source(outcome, source), Some((Box::new(ran), remarks))))
            }
            Response::Stopped(stopped) => Ok((grade::in_source(faults::stopped(&self.case, stopped)?, source), None)),
            other => Err(GradeError::Broken { reason: format!("a device answered {other:?}") }),
        }
    }

    /// The buffers that the kernel may change, a line each.
    fn contents(&self, ran: &Ran) -> Vec<String> {
        let buffers = ran.buffers.iter().zip(&self.case.run.buffers).zip(&self.case.params);
        let changing = buffers.filter_map(|((left, sent), param)| {
            let param = self.task.params.get(*param).filter(|param| !matches!(param.role, Role::In { .. }))?;
            let (bytes, width) = (left.bytes(&sent.bytes.0), param.element.bytes() as usize);
            let mut values: Vec<_> = bytes
                .chunks_exact(width)
                .take(SHOWN_ELEMENTS)
                .map(|value| compare::text(param.element, value))
                .collect();
            let count = bytes.len() / width;
            values.extend((count > SHOWN_ELEMENTS).then(|| "...".to_owned()));
            let values = values.join(", ").replace("our marker", "nothing");
            Some(format!("{} {}[{count}] = {values}", param.element.c_name(), param.name))
        });
        changing.collect()
    }
}

async fn ask(runner: &mut Runner, image: &Bytes, kernel: &str) -> Result<Response, GradeError> {
    let request = Request::Load { image: image.clone(), kernels: vec![kernel.to_owned()] };
    Ok(runner.ask(&request, LOAD_TIME).await?)
}

/// The verdict on one case. The case itself is not told of: the verdict says all.
fn verdict(
    case: &PlannedCase,
    outcome: CaseOutcome,
    ran: Option<&Ran>,
    diagnostics: Vec<Diagnostic>,
    device: &str,
) -> Verdict {
    let mut printed = vec![];
    if let Some(ran) = ran {
        grade::keep_printed(&mut printed, case, ran);
    }
    let (kind, finding) = match outcome {
        CaseOutcome::Failed { kind, finding } => (kind, Some(*finding)),
        _ => (VerdictKind::Accepted, None),
    };
    Verdict { kind, finding, cases: vec![], diagnostics, marks: vec![], printed, device: device.to_owned() }
}

impl Launched {
    /// Whether it ended, and no mistake was found.
    pub fn is_right(&self) -> bool {
        self.verdict.kind == VerdictKind::Accepted
    }

    /// Whether the fault is ours, or the simulator's.
    pub fn is_ours(&self) -> bool {
        matches!(self.verdict.kind, VerdictKind::OurFault | VerdictKind::Unsupported)
    }

    /// All of it in words, for a terminal.
    pub fn text(&self, source: &SourceText) -> String {
        let mut out = String::new();
        if self.is_right() {
            print::put(&mut out, format_args!("The kernel ran to its end, and no mistake was found.\n"));
        } else {
            let said = words::of(&self.verdict);
            print::put(&mut out, format_args!("{}\n  {}\n  {}\n", said.title, said.explanation, said.next));
        }
        print::details(&mut out, &self.verdict);
        for buffer in &self.buffers {
            print::put(&mut out, format_args!("  {buffer}\n"));
        }
        if let Some(counted) = &self.counted {
            print::work(&mut out, counted, source.as_str());
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runner::protocol::Left;

    fn planned(arguments: &str) -> Planned {
        Planned::of(&format!("k<<<1, 32>>>({arguments})")).expect("a launch")
    }

    fn ran(buffers: Vec<Left>) -> Ran {
        Ran {
            buffers,
            guard_damage: vec![],
            noted: vec![],
            printed: Bytes(b"hello\n".to_vec()),
            printed_bytes: 6,
            elapsed_us: 0,
            detection_is_partial: false,
            counters: None,
        }
    }

    #[test]
    fn arguments_that_do_not_fit_are_told() {
        let planned = planned("float[4]=ramp, int=5");
        assert!(planned.fits("k", &[(0, 8), (8, 4)]).is_ok());
        let refusal = |parameters: &[(u32, u32)]| planned.fits("k", parameters).expect_err("it differs").to_string();
        assert_eq!(refusal(&[(0, 8)]), "`k` takes 1 arguments; the launch gives 2");
        assert_eq!(refusal(&[]), "`k` takes 0 arguments; the launch gives 2");
        assert_eq!(refusal(&[(0, 8), (8, 8)]), "argument 2 of `k` takes 8 bytes; the launch gives 4");
    }

    #[test]
    fn buffers_past_the_limit_are_refused() {
        // The limit itself is 2 GiB of filled memory, which no test makes.
        let refused = Planned::of("k<<<1, 1>>>(double[268435457])").err().expect("8 bytes too many");
        assert!(matches!(refused, RefusedLaunch::Plan(PlanError::TooLarge { bytes: 2_147_483_656 })), "{refused}");
        assert!(matches!(Planned::of("k"), Err(RefusedLaunch::Text(LaunchError::Form { .. }))));
    }

    #[test]
    fn what_the_kernel_may_change_is_shown() {
        let planned = planned("const int[2]=ramp, out: int[9]=1, float[1], int=5");
        let bytes = |values: &[i32]| Bytes(values.iter().flat_map(|value| value.to_le_bytes()).collect());
        let left = [Left::AsSent, Left::Changed(bytes(&[-1, 2, 3, 4, 5, 6, 7, 8, 9])), Left::AsSent];
        assert_eq!(
            planned.contents(&ran(left.to_vec())),
            ["int out[9] = -1, 2, 3, 4, 5, 6, 7, 8, ...", "float argument_3[1] = nothing"]
        );
    }

    #[test]
    fn a_launch_without_a_mistake_is_right() {
        let planned = planned("out: int[1]=1");
        let source = SourceText::try_from("k".to_owned()).expect("a source");
        let ran = ran(vec![Left::AsSent]);
        let launched = |outcome| {
            let verdict = verdict(&planned.case, outcome, Some(&ran), vec![], "simulator");
            Launched { verdict, buffers: planned.contents(&ran), counted: None }
        };
        let right = launched(CaseOutcome::Agrees);
        assert!(right.is_right() && !right.is_ours());
        assert_eq!(
            right.text(&source),
            "The kernel ran to its end, and no mistake was found.\n\nPrinted by case 1:\nhello\n\n  int out[1] = 1\n"
        );
        let finding = Box::new(Finding::Misaligned { access_bytes: 8, line: Some(3), at: None });
        let wrong = launched(CaseOutcome::Failed { kind: VerdictKind::Misaligned, finding });
        assert!(!wrong.is_right() && !wrong.is_ours());
        assert!(wrong.text(&source).contains("line 3"), "{}", wrong.text(&source));
        let finding = Box::new(Finding::Unsupported { what: "x".to_owned(), line: None });
        assert!(launched(CaseOutcome::Failed { kind: VerdictKind::Unsupported, finding }).is_ours());
    }
}
