//! Statements against a real Postgres; `DATABASE_URL` names the cluster.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

mod connect;
mod graders;
mod schema;
mod submissions;
