//! The whole product running on this machine: server and grader over one database.

use crate::build::{self, Profile};
use crate::service::{Running, Service};
use crate::{cuda, http, paths};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::ffi::OsString;
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::thread::sleep;
use std::time::{Duration, Instant};

const HEALTH_TIMEOUT: Duration = Duration::from_mins(1);
const GRADER_TIMEOUT: Duration = Duration::from_mins(1);
const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);

pub struct Options {
    pub address: SocketAddr,
    pub profile: Profile,
    pub database_url: String,
    /// Where both write; `None` means to our own streams.
    pub log: Option<PathBuf>,
    pub environment: Vec<(&'static str, OsString)>,
}

pub struct Product {
    pub address: SocketAddr,
    pub server: Running,
    pub grader: Running,
}

impl Product {
    /// Starts the server, which migrates, and then the grader. `interrupted` is asked while waiting.
    pub fn start(options: Options, mut interrupted: impl FnMut() -> bool) -> Result<Self> {
        let address = options.address;
        let lessons = paths::root().join("lessons");
        let mut common = options.environment;
        common.push(("DATABASE_URL", options.database_url.into()));
        common.push(("WARPYARD_LESSONS", lessons.into()));
        let mut for_server = common.clone();
        for_server.extend([
            ("WARPYARD_ADDR", OsString::from(address.to_string())),
            ("WARPYARD_SITE", paths::site().into()),
            ("LEPTOS_OUTPUT_NAME", "app".into()),
            ("LEPTOS_SITE_ROOT", paths::site().into()),
            ("LEPTOS_SITE_PKG_DIR", "pkg".into()),
            ("LEPTOS_SITE_ADDR", address.to_string().into()),
        ]);
        let server = Service {
            name: "server",
            program: build::program(options.profile, "server"),
            arguments: Vec::new(),
            environment: for_server,
            log: options.log.clone(),
        };
        let mut server = server.start()?;
        wait_for_health(address, &mut server, &mut interrupted)?;
        common.push(("WARPYARD_CUDA", cuda::find()?.into()));
        let grader = Service {
            name: "grader",
            program: build::program(options.profile, "grader"),
            arguments: vec!["serve".into()],
            environment: common,
            log: options.log,
        };
        let grader = grader.start()?;
        Ok(Self { address, server, grader })
    }

    /// What grades, as the server knows it; `None` while no grader has reported.
    pub fn find_device(&self) -> Option<String> {
        let text = http::get(self.address, "/healthz", REQUEST_TIMEOUT).ok()?;
        parse_devices(&text)
    }

    /// Waits until a grader has reported.
    pub fn wait_for_grader(&mut self, mut interrupted: impl FnMut() -> bool) -> Result<Option<String>> {
        let deadline = Instant::now() + GRADER_TIMEOUT;
        while Instant::now() < deadline && !interrupted() {
            if let Some(device) = self.find_device() {
                return Ok(Some(device));
            }
            if let Some(status) = self.grader.find_exit() {
                bail!("the grader ended at its start ({status}): see its message above");
            }
            sleep(Duration::from_millis(100));
        }
        Ok(None)
    }

    /// The server first, so that nothing new comes in; then the grader finishes what it judges.
    pub fn stop(&mut self, mut hurry: impl FnMut() -> bool) {
        self.server.stop(&mut hurry);
        self.grader.stop(&mut hurry);
    }
}

/// An address of this machine that is free now.
pub fn find_free_address() -> Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0").context("no free port")?;
    Ok(listener.local_addr()?)
}

fn wait_for_health(address: SocketAddr, server: &mut Running, mut interrupted: impl FnMut() -> bool) -> Result<()> {
    let deadline = Instant::now() + HEALTH_TIMEOUT;
    loop {
        if http::get(address, "/healthz", REQUEST_TIMEOUT).is_ok() {
            return Ok(());
        }
        if let Some(status) = server.find_exit() {
            bail!("the server ended at its start ({status}): see its message above");
        }
        if interrupted() {
            bail!("interrupted");
        }
        if Instant::now() > deadline {
            bail!("the server does not answer on http://{address}/healthz after 60 s");
        }
        sleep(Duration::from_millis(50));
    }
}

/// `{"graders": [{"device": "…"}, …]}`, each device once.
fn parse_devices(text: &str) -> Option<String> {
    let health: Value = serde_json::from_str(text).ok()?;
    let mut devices: Vec<&str> =
        health.get("graders")?.as_array()?.iter().filter_map(|grader| grader.get("device")?.as_str()).collect();
    devices.sort_unstable();
    devices.dedup();
    (!devices.is_empty()).then(|| devices.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_named_once_each() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(parse_devices(text).as_deref(), expected, "{text}");
        };
        check(r#"{"graders":[{"device":"sim"},{"device":"gpu"},{"device":"sim"}]}"#, Some("gpu, sim"));
        check(r#"{"graders":[]}"#, None);
        check("ok", None);
    }
}
