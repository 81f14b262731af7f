//! No text, however broken, panics: neither while it is decoded nor while it runs.
