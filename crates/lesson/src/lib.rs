//! Markdown and exercise.toml become a course.
