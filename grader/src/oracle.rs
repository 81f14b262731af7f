//! `reference.cu` in runners of its own -> expected bytes.
//!
//! The learner's runner never sees them. Visible cases have the same inputs for everybody, so theirs are kept;
//! hidden ones are computed for each submission.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use domain::exercise::{KernelTask, Role};
use lesson::Exercise;

use crate::cases::PlannedCase;
use crate::grade::GradeError;
use crate::runner::Runner;
use crate::runner::protocol::{Buffer, Bytes, Left, Look, Ran, Response};
use crate::tools::{Built, Tools};

/// Expected bytes of all buffers of one case, in the order of its run; none for inputs, which must stand.
pub type Expected = Arc<Vec<Vec<u8>>>;

/// What a reference left. Inputs are compared with what was sent, so nothing is kept of them.
fn expected(task: &KernelTask, case: &PlannedCase, ran: Ran) -> Vec<Vec<u8>> {
    let buffers = ran.buffers.into_iter().zip(&case.run.buffers).zip(&case.params);
    let bytes = |((left, sent), param): ((Left, &Buffer), &usize)| match (&task.params[*param].role, left) {
        (Role::In { .. }, _) => vec![],
        (_, Left::AsSent) => sent.bytes.0.clone(),
        (_, Left::Changed(bytes)) => bytes.0,
    };
    buffers.map(bytes).collect()
}

/// Bytes of expected outputs that are kept; past it everything is forgotten and computed again.
const KEPT_BYTES_MAX: usize = 256 << 20;

/// Runners with a reference loaded that are kept; the oldest ends first.
const IDLE_MAX: usize = 4;

/// Compiled references and the expected bytes of visible cases, by the hash of the exercise's files.
#[derive(Default)]
pub struct Oracle {
    images: Mutex<HashMap<String, Bytes>>,
    /// Runners with a reference loaded, by the same hash; no learner's byte ever reaches them.
    idle: Mutex<Vec<(String, Runner)>>,
    visible: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    bytes: usize,
    by_case: HashMap<(String, u32), Expected>,
}

impl Oracle {
    /// Expected bytes of each case, in order.
    ///
    /// # Errors
    /// [`GradeError::Reference`] if the reference itself fails: the content is broken, nobody's kernel is.
    pub async fn cases(
        &self,
        tools: &Tools,
        exercise: &Exercise,
        task: &KernelTask,
        cases: &[PlannedCase],
    ) -> Result<Vec<Expected>, GradeError> {
        let fails = |reason: String| GradeError::Reference { exercise: exercise.slug.to_string(), reason };
        let mut runner = None;
        let mut all = Vec::with_capacity(cases.len());
        for case in cases {
            let key = (exercise.content_hash.clone(), case.index);
            if case.visible
                && let Some(kept) = self.kept().by_case.get(&key)
            {
                all.push(kept.clone());
                continue;
            }
            if runner.is_none() {
                runner = self.take_idle(&exercise.content_hash);
            }
            if runner.is_none() {
                let image = self.image(tools, exercise).await?;
                let mut started = tools.devices.take().await?;
                match tools.load(&mut started, image, (task, &exercise.reference)).await? {
                    Ok(()) => runner = Some(started),
                    Err((kind, finding)) => {
                        return Err(fails(format!("{}: {finding:?}", kind.as_str())));
                    }
                }
            }
            let loaded = runner.as_mut().expect("it was started above");
            let expected = match tools.run(loaded, case, Look::Results).await? {
                Response::Ran(ran) => Arc::new(expected(task, case, ran)),
                other => {
                    return Err(fails(format!("case {} ({}): {other:?}", case.index, case.label())));
                }
            };
            if case.visible {
                self.keep(key, &expected);
            }
            all.push(expected);
        }
        if let Some(runner) = runner {
            self.put_idle(exercise.content_hash.clone(), runner);
        }
        Ok(all)
    }

    fn take_idle(&self, hash: &str) -> Option<Runner> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let at = idle.iter().position(|(of, _)| of == hash)?;
        Some(idle.swap_remove(at).1)
    }

    fn put_idle(&self, hash: String, runner: Runner) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() >= IDLE_MAX {
            idle.remove(0);
        }
        idle.push((hash, runner));
    }

    async fn image(&self, tools: &Tools, exercise: &Exercise) -> Result<Bytes, GradeError> {
        let known = self.images.lock().unwrap_or_else(PoisonError::into_inner).get(&exercise.content_hash).cloned();
        if let Some(image) = known {
            return Ok(image);
        }
        match tools.build(&exercise.reference, tools.backend).await? {
            Built::Image { image, .. } => {
                let mut images = self.images.lock().unwrap_or_else(PoisonError::into_inner);
                images.insert(exercise.content_hash.clone(), image.clone());
                Ok(image)
            }
            Built::Refused { kind, diagnostics, .. } => Err(GradeError::Reference {
                exercise: exercise.slug.to_string(),
                reason: format!("{}: {diagnostics:?}", kind.as_str()),
            }),
        }
    }

    fn keep(&self, key: (String, u32), expected: &Expected) {
        let bytes: usize = expected.iter().map(Vec::len).sum();
        let mut kept = self.kept();
        if kept.bytes + bytes > KEPT_BYTES_MAX {
            *kept = Kept::default();
        }
        kept.bytes += bytes;
        kept.by_case.insert(key, expected.clone());
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, Kept> {
        self.visible.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
