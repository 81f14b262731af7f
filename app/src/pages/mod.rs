//! Every page, as a function from loaded data to markup.

pub mod course;
pub mod landing;
pub mod lesson;
pub mod problem;
pub mod submission;
pub mod task;
pub mod workspace;
