//! Whole-product tests over HTTP.
