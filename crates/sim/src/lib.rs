//! A CPU simulator of PTX that names thread and line.
