//! What judging needs, and the three questions to runners: build, load, run.

use std::time::Duration;

use domain::counters::resources::{KernelResources, registers_report};
use domain::exercise::KernelTask;
use domain::finding::{CompileLimit, Finding};
use domain::job::Backend;
use domain::limits::COMPILE_MILLISECONDS_MAX;
use domain::verdict::{Diagnostic, VerdictKind};

use crate::cases::{self, PlannedCase};
use crate::config::{LINE_OPTION, Toolchain};
use crate::diagnostics;
use crate::grade::GradeError;
use crate::oracle::Oracle;
use crate::runner::protocol::{Bytes, CompilerLimit, Fault, ImageKind, Look, NotLoaded, Request, Response};
use crate::runner::{Kind, Pool, Runner, RunnerError};

/// What a runner gets beyond a case's own time: transfers, and the simulator's own stop, which knows the line.
const RUN_GRACE: Duration = Duration::from_millis(1500);
/// Wall clock of loading an image.
pub(crate) const LOAD_TIME: Duration = Duration::from_secs(10);
/// PTX for this architecture is what the simulator reads.
const SIMULATED_ARCHITECTURE: &str = "compute_80";

/// Everything that judging needs; one per process.
pub struct Tools {
    /// What decides.
    pub backend: Backend,
    /// GPU name or `simulator`.
    pub device: String,
    /// `sm_90` of a GPU.
    pub architecture: Option<String>,
    /// Source to image.
    pub compilers: Pool,
    /// Image to outputs, on the backend.
    pub devices: Pool,
    /// The simulator beside a GPU: explains visible cases.
    pub explainers: Option<Pool>,
    /// Expected outputs.
    pub oracle: Oracle,
    include_options: Vec<String>,
}

/// What became of a source.
pub enum Built {
    /// It compiles.
    Image {
        /// PTX or cubin.
        image: Bytes,
        /// Warnings.
        diagnostics: Vec<Diagnostic>,
    },
    /// It does not.
    Refused {
        /// As what.
        kind: VerdictKind,
        /// Why.
        finding: Finding,
        /// All messages.
        diagnostics: Vec<Diagnostic>,
    },
}

impl Tools {
    /// Starts the pools and learns what the device is.
    pub async fn start(
        toolchain: &Toolchain,
        level: sandbox::Level,
        backend: Backend,
        pool_size: usize,
    ) -> Result<Self, RunnerError> {
        let pool = |kind, size| Pool::new(kind, toolchain.clone(), level, size);
        let kind = match backend {
            Backend::Sim => Kind::Simulator,
            Backend::Gpu => Kind::Gpu,
        };
        let compilers = pool(Kind::Compiler, pool_size);
        let devices = pool(kind, pool_size);
        let explainers = (backend == Backend::Gpu).then(|| pool(Kind::Simulator, pool_size));
        compilers.warm().await?;
        let ready = devices.warm().await?;
        if let Some(explainers) = &explainers {
            explainers.warm().await?;
        }
        Ok(Self {
            backend,
            device: ready.name,
            architecture: ready.architecture,
            compilers,
            devices,
            explainers,
            oracle: Oracle::default(),
            include_options: toolchain.include_options(),
        })
    }

    /// Whether every pool is full.
    pub fn is_warm(&self) -> bool {
        [Some(&self.compilers), Some(&self.devices), self.explainers.as_ref()].into_iter().flatten().all(Pool::is_full)
    }

    /// Compiles a source for a backend in a compiler of its own.
    pub async fn build(&self, source: &str, backend: Backend) -> Result<Built, GradeError> {
        let (architecture, image) = match (backend, &self.architecture) {
            (Backend::Gpu, Some(architecture)) => (architecture.as_str(), ImageKind::Cubin),
            _ => (SIMULATED_ARCHITECTURE, ImageKind::Ptx),
        };
        let mut options = vec![format!("--gpu-architecture={architecture}")];
        options.extend(self.include_options.iter().cloned());
        self.build_with(source, options, image).await
    }

    /// Compiles a source for the simulator as it was written: the optimiser removes mistakes, such as a variable that
    /// was never set or a load that nobody uses.
    pub async fn build_for_inspection(&self, source: &str) -> Result<Built, GradeError> {
        let mut options = vec![format!("--gpu-architecture={SIMULATED_ARCHITECTURE}"), "--device-debug".to_owned()];
        options.extend(self.include_options.iter().filter(|option| *option != LINE_OPTION).cloned());
        self.build_with(source, options, ImageKind::Ptx).await
    }

    async fn build_with(&self, source: &str, options: Vec<String>, image: ImageKind) -> Result<Built, GradeError> {
        let request = Request::Compile { source: source.to_owned(), options, image };
        let mut compiler = self.compilers.take().await?;
        let limit = |limit| Built::Refused {
            kind: VerdictKind::CompileLimit,
            finding: Finding::CompileLimit { limit },
            diagnostics: vec![],
        };
        match compiler.ask(&request, Duration::from_millis(COMPILE_MILLISECONDS_MAX)).await {
            Ok(Response::Compiled { image, log }) => Ok(Built::Image { image, diagnostics: diagnostics::parse(&log) }),
            // The front end says so in a message where a table of its own is full.
            Ok(Response::Rejected { log }) if log.contains("catastrophic error: out of memory") => {
                Ok(limit(CompileLimit::Memory))
            }
            Ok(Response::Rejected { log }) => {
                let diagnostics = diagnostics::parse(&log);
                let finding = diagnostics::finding(&diagnostics, &log);
                Ok(Built::Refused { kind: VerdictKind::CompileError, finding, diagnostics })
            }
            Ok(Response::CompilerLimit(CompilerLimit::Memory)) => Ok(limit(CompileLimit::Memory)),
            Ok(Response::CompilerLimit(CompilerLimit::Log)) => Ok(limit(CompileLimit::Log)),
            Ok(Response::CompilerLimit(CompilerLimit::Image)) => Ok(limit(CompileLimit::Image)),
            Ok(Response::Broken(reason)) => Err(GradeError::Broken { reason }),
            Ok(other) => Err(GradeError::Broken { reason: format!("a compiler answered {other:?}") }),
            Err(RunnerError::TimedOut(_)) => Ok(limit(CompileLimit::Time)),
            // It was warm and healthy before this source: what ends it now is the source. Memory aborts it.
            Err(RunnerError::Died { outcome, .. }) if outcome.is_signal(libc::SIGXCPU) => Ok(limit(CompileLimit::Time)),
            Err(RunnerError::Died { outcome, .. }) if outcome.any_signal() => Ok(limit(CompileLimit::Memory)),
            Err(other) => Err(other.into()),
        }
    }

    /// What the assembler says of each kernel of a source that compiles, for a GPU of a compute capability (80 is 8.0).
    /// Empty where it refuses the source, or does not finish: nobody's verdict depends on it.
    ///
    /// # Errors
    /// No compiler can be started.
    pub async fn resources(&self, source: &str, capability: u32) -> Result<Vec<KernelResources>, GradeError> {
        let mut options = vec![format!("--gpu-architecture=sm_{capability}"), "--ptxas-options=-v".to_owned()];
        options.extend(self.include_options.iter().cloned());
        let request = Request::Compile { source: source.to_owned(), options, image: ImageKind::Cubin };
        let mut compiler = self.compilers.take().await?;
        match compiler.ask(&request, Duration::from_millis(COMPILE_MILLISECONDS_MAX)).await {
            Ok(Response::Compiled { log, .. }) => Ok(registers_report(&log)),
            _ => Ok(vec![]),
        }
    }

    /// Loads an image and checks its parameters; the inner error is about the image.
    pub async fn load(
        &self,
        runner: &mut Runner,
        image: Bytes,
        (task, source): (&KernelTask, &str),
    ) -> Result<Result<(), (VerdictKind, Finding)>, GradeError> {
        let request = Request::Load { image, kernels: vec![task.entry.clone()] };
        let limit = |limit| Ok(Err((VerdictKind::CompileLimit, Finding::CompileLimit { limit })));
        let answer = match runner.ask(&request, LOAD_TIME).await {
            // The runner was healthy before this image: what ends it now is the image.
            Err(RunnerError::TimedOut(_)) => return limit(CompileLimit::Time),
            Err(RunnerError::Died { outcome, .. }) if outcome.any_signal() => return limit(CompileLimit::Memory),
            other => other?,
        };
        match answer {
            Response::Loaded { parameters } => Ok(match parameters.first() {
                Some(found) => check_parameters(task, found),
                None => {
                    return Err(GradeError::Broken { reason: "a device loaded no kernel".to_owned() });
                }
            }),
            Response::NotLoaded(reason) => Ok(Err(not_loaded(task, source, reason))),
            Response::Broken(reason) => Err(GradeError::Broken { reason }),
            other => Err(GradeError::Broken { reason: format!("a device answered {other:?}") }),
        }
    }

    /// Runs one case; the answer is `Ran` or `Stopped`.
    pub async fn run(&self, runner: &mut Runner, case: &PlannedCase, look: Look) -> Result<Response, GradeError> {
        let wall = Duration::from_millis(case.run.run_ms) + RUN_GRACE;
        match runner.ask(&Request::Run { run: case.run.clone(), look }, wall).await {
            Ok(answer @ (Response::Ran(_) | Response::Stopped(_))) => Ok(answer),
            Ok(Response::Broken(reason)) => Err(GradeError::Broken { reason }),
            Ok(other) => Err(GradeError::Broken { reason: format!("a device answered {other:?}") }),
            Err(RunnerError::TimedOut(_)) => {
                Ok(Response::Stopped(Fault::Time { line: None, who: None, warps: None, waiting: vec![] }.into()))
            }
            // It was healthy before this kernel: what fills its memory is the kernel's registers and arrays.
            Err(RunnerError::Died { outcome, stderr }) if outcome.is_out_of_memory(&stderr) => {
                let reason = "Its threads' own variables and arrays do not fit into memory.".to_owned();
                let finding = Finding::MemoryLimit { reason, line: None };
                Ok(Response::Stopped(Fault::Known { kind: VerdictKind::MemoryLimit, finding }.into()))
            }
            Err(other) => Err(other.into()),
        }
    }
}

/// The kernel's parameters against the exercise's, before the first launch: sizes come from the learner's image.
fn check_parameters(task: &KernelTask, found: &[(u32, u32)]) -> Result<(), (VerdictKind, Finding)> {
    let wanted = cases::parameter_layout(task);
    let difference = if found.len() == wanted.len() {
        let Some(at) = wanted.iter().zip(found).position(|(wanted, found)| wanted != found) else {
            return Ok(());
        };
        format!(
            "Parameter {} (`{}`) takes {} bytes there and {} here.",
            at + 1,
            task.params[at].name,
            wanted[at].1,
            found[at].1
        )
    } else {
        format!("It has {} parameters; the task has {}.", found.len(), wanted.len())
    };
    Err((VerdictKind::SignatureMismatch, Finding::SignatureMismatch { signature: task.signature(), difference }))
}

pub(crate) fn not_loaded(task: &KernelTask, source: &str, reason: NotLoaded) -> (VerdictKind, Finding) {
    match reason {
        NotLoaded::NoKernel { found, .. } => {
            let found = found.iter().map(|name| diagnostics::clean(name, 100)).collect();
            let line = line_with(source, "__global__");
            (VerdictKind::CompileError, Finding::CompileNoKernel { signature: task.signature(), found, line })
        }
        NotLoaded::Unsupported { what, line } => {
            (VerdictKind::Unsupported, Finding::Unsupported { what: diagnostics::clean(&what, 100), line })
        }
        // Machine code for a GPU is refused for this by the compiler already; the verdict is the same here.
        NotLoaded::TooMuchShared { bytes } => {
            let message = format!("a block asks for {bytes} bytes of shared memory, and 49152 is the most");
            let line = line_with(source, "__shared__");
            (VerdictKind::CompileError, Finding::CompileError { line, message })
        }
        NotLoaded::Resources { reason } => (VerdictKind::LaunchError, Finding::LaunchResources { reason }),
        // Only inline assembly gets past the compiler and is no program.
        NotLoaded::Invalid { reason } => {
            let message = format!("the assembler refuses the program: {}", diagnostics::clean(&reason, 300));
            (VerdictKind::CompileError, Finding::CompileError { line: line_with(source, "asm"), message })
        }
    }
}

/// The first line in which a word stands.
fn line_with(source: &str, wanted: &str) -> Option<u32> {
    let stands =
        |line: &str| line.split(|letter: char| !letter.is_alphanumeric() && letter != '_').any(|word| word == wanted);
    source.lines().position(stands).map(|at| at as u32 + 1)
}

#[cfg(test)]
mod tests {
    use super::line_with;

    #[test]
    fn a_word_is_found_whole() {
        let source = "int asmx;\nvoid f() {\n  asm(\"bad\");\n}";
        assert_eq!(line_with(source, "asm"), Some(3));
        assert_eq!(line_with(source, "__shared__"), None);
        assert_eq!(line_with("", "asm"), None);
    }
}
