//! The server against a real Postgres, without a socket: every refusal has its status, and nothing leaks.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

mod site;

mod access;
mod addresses;
mod files;
mod headers;
mod log;
mod odd;
mod stream;
mod submit;
