//! Entry point of the sandboxed child.

fn main() {}
