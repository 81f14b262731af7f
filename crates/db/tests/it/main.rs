//! Statements against a real Postgres; `DATABASE_URL` names the cluster.

mod schema;
mod submissions;
