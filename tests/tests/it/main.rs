//! The whole product over HTTP.

mod crashes;
mod hidden;
mod limits;
mod recorded;
mod run;
mod submit;
