//! Fresh databases for tests of the whole product, beside the one that an address names.

use std::str::FromStr;

use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Executor};
use uuid::Uuid;

use crate::Error;

/// Makes an empty database on the server of `url`; returns its address.
pub async fn create(url: &str) -> Result<String, Error> {
    let options = PgConnectOptions::from_str(url).map_err(Error::Connect)?;
    let name = format!("scratch_{}", Uuid::new_v4().simple());
    let mut connection = PgConnection::connect_with(&options).await.map_err(Error::Connect)?;
    // The name is made of our own letters and digits.
    connection.execute(AssertSqlSafe(format!("CREATE DATABASE {name}"))).await?;
    Ok(options.database(&name).to_url_lossy().to_string())
}

/// Removes a database that [`create`] made, with whoever is connected to it.
pub async fn remove(url: &str, scratch_url: &str) -> Result<(), Error> {
    let scratch = PgConnectOptions::from_str(scratch_url).map_err(Error::Connect)?;
    let name = scratch.get_database().filter(|name| name.starts_with("scratch_")).unwrap_or("scratch_none").to_owned();
    let options = PgConnectOptions::from_str(url).map_err(Error::Connect)?;
    let mut connection = PgConnection::connect_with(&options).await.map_err(Error::Connect)?;
    connection.execute(AssertSqlSafe(format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"))).await?;
    Ok(())
}
