//! The web server: wires, authenticates, streams.
