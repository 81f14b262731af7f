//! All SQL of the project.
