//! Every bound of the product, with its unit in its name.
//!
//! A limit is the server's, never the submission's. Each has a test at the bound and one past it.

/// Bytes of one submitted source.
pub const SOURCE_BYTES_MAX: usize = 65_536;
/// Bytes of one request body; url-encoding may triple a source.
pub const REQUEST_BYTES_MAX: usize = 262_144;
/// Submissions of one learner that wait or run at a time.
pub const UNFINISHED_SUBMISSIONS_MAX: i64 = 3;
/// Submissions of one learner within [`SUBMISSION_WINDOW_SECONDS`].
pub const SUBMISSIONS_PER_WINDOW_MAX: i64 = 10;
/// The window of [`SUBMISSIONS_PER_WINDOW_MAX`].
pub const SUBMISSION_WINDOW_SECONDS: i64 = 60;
/// Event streams that one learner may hold open.
pub const STREAMS_PER_USER_MAX: usize = 20;
/// Starts of one submission before it is our fault for good.
pub const STARTS_MAX: i32 = 3;
/// Events kept for one submission.
pub const EVENTS_MAX: i32 = 500;

/// Wall clock of one compilation.
pub const COMPILE_MILLISECONDS_MAX: u64 = 10_000;
/// Address space of the compiler child.
pub const COMPILE_ADDRESS_SPACE_BYTES: u64 = 2 << 30;
/// Bytes of compiler log that are read before the child is ended.
pub const COMPILE_LOG_READ_BYTES: usize = 1 << 20;
/// Bytes of compiler log that are kept.
pub const COMPILE_LOG_KEPT_BYTES: usize = 65_536;
/// Diagnostics that are kept of one compilation.
pub const COMPILE_DIAGNOSTICS_MAX: usize = 100;
/// Bytes of one compiled image (PTX or cubin).
pub const IMAGE_BYTES_MAX: usize = 4 << 20;

/// Wall clock of one case, whatever the exercise asks.
pub const RUN_MILLISECONDS_MAX: u64 = 10_000;
/// Bytes of all buffers of one case.
pub const CASE_BYTES_MAX: u64 = 2 << 30;
/// Cases of one exercise.
pub const CASES_MAX: usize = 64;
/// Parameters of one kernel.
pub const PARAMETERS_MAX: usize = 32;
/// printf bytes of one case past which the verdict is `output-limit`.
pub const PRINTF_CASE_BYTES_MAX: usize = 1 << 20;
/// printf bytes of one case that are shown.
pub const PRINTF_CASE_SHOWN_BYTES: usize = 16_384;
/// printf bytes of one submission that are kept.
pub const PRINTF_SUBMISSION_BYTES: usize = 65_536;

/// Bytes of one content file (lesson, manifest, source).
pub const CONTENT_FILE_BYTES_MAX: u64 = 1 << 20;
