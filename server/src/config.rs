//! What the server is told at its start: arguments, or variables of the environment.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Parser;
use clap::builder::FalseyValueParser;

/// Arguments of the server.
#[derive(Parser, Clone, Debug)]
#[command(about = "Serves lessons, takes submissions, streams verdicts")]
pub struct Config {
    /// Where Postgres is.
    #[arg(long, env = "DATABASE_URL", hide_env_values = true)]
    pub database_url: String,
    /// Where to listen.
    #[arg(long, env = "WARPYARD_ADDR", default_value = "127.0.0.1:8080")]
    pub addr: SocketAddr,
    /// The course.
    #[arg(long, env = "WARPYARD_LESSONS", default_value = "lessons")]
    pub lessons: PathBuf,
    /// The built site, with pkg/ in it.
    #[arg(long, env = "WARPYARD_SITE", default_value = "target/site")]
    pub site: PathBuf,
    /// The address that browsers use, if it is another; with https, cookies are for secure connections only.
    #[arg(long, env = "WARPYARD_PUBLIC_URL")]
    pub public_url: Option<String>,
    /// Believe the last address in X-Forwarded-For: 1 behind a proxy that adds it, and only there.
    #[arg(long, env = "WARPYARD_TRUST_FORWARDED", value_parser = FalseyValueParser::new())]
    pub trust_forwarded: bool,
}

impl Config {
    /// Whether browsers come by https.
    pub fn is_https(&self) -> bool {
        self.public_url.as_ref().is_some_and(|url| url.starts_with("https://"))
    }
}
