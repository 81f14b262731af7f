//! `./dev up`: the product on this machine until Ctrl-C.
//!
//! # Theory of operation
//!
//! Postgres, server and grader are children of this process and start in that order.
//! Whoever of them ends by itself is started again, later each time it ends soon.
//! SIGINT, SIGTERM and SIGHUP end them in the order server, grader, Postgres:
//! nothing new comes in, what is being judged is finished or goes back to the queue, and the cluster is shut down cleanly.
//! A second signal while that lasts kills server and grader; the queue survives it.

use crate::build::{self, Profile};
use crate::postgres::Postgres;
use crate::product::{Options, Product};
use crate::shell::Step;
use anyhow::{Result, bail};
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::time::Duration;
use tokio::runtime::{self, Runtime};
use tokio::signal::unix::{Signal, SignalKind, signal};

const WATCH_INTERVAL: Duration = Duration::from_millis(200);

pub fn up(address: IpAddr, port: u16, profile: Profile) -> Result<()> {
    let address = SocketAddr::new(address, port);
    if let Err(error) = TcpListener::bind(address) {
        bail!("cannot listen on {address} ({error}): end what runs there, or choose another --port");
    }
    build::all(profile)?;
    let mut signals = Signals::new()?;
    let mut postgres = match std::env::var("DATABASE_URL") {
        Ok(_) => None,
        Err(_) => Some(start_postgres()?),
    };
    let database_url = match (&postgres, std::env::var("DATABASE_URL")) {
        (Some(postgres), _) => postgres.url(),
        (None, url) => url?,
    };
    let options = Options { address, profile, database_url, log: None, environment: Vec::new() };
    let started = Product::start(options, || signals.came_within(Duration::ZERO));
    let mut product = match started {
        Err(_) if signals.came => return Ok(()),
        other => other?,
    };
    let device = product.wait_for_grader(|| signals.came_within(Duration::ZERO))?;
    if !signals.came {
        greet(address, device.as_deref());
    }
    while !signals.came && !signals.came_within(WATCH_INTERVAL) {
        watch(postgres.as_mut(), &mut product);
    }
    stop(postgres, product, &mut signals)
}

fn start_postgres() -> Result<Postgres> {
    let step = Step::loud("Starting Postgres");
    let postgres = Postgres::start_lasting()?;
    step.done_with(&format!("version {}", postgres.version()));
    Ok(postgres)
}

fn greet(address: SocketAddr, device: Option<&str>) {
    let grades = device.unwrap_or("nobody has reported yet; see the messages above");
    println!();
    println!("    Warpyard is up:   http://{address}");
    println!("    What grades:      {grades}");
    println!("    Ctrl-C ends it and keeps everything.");
    println!();
}

fn watch(postgres: Option<&mut Postgres>, product: &mut Product) {
    if let Some(postgres) = postgres
        && let Some(status) = postgres.find_exit()
    {
        eprintln!("==> Postgres ended ({status}) and starts again");
        match postgres.restart() {
            Ok(()) => eprintln!("==> Postgres runs again"),
            Err(error) => eprintln!("==> {error:#}"),
        }
    }
    product.server.keep_alive();
    product.grader.keep_alive();
}

fn stop(postgres: Option<Postgres>, mut product: Product, signals: &mut Signals) -> Result<()> {
    eprintln!();
    let step = Step::loud("Stopping server and grader");
    product.stop(|| signals.came_within(Duration::ZERO));
    step.done();
    if let Some(mut postgres) = postgres {
        let step = Step::loud("Stopping Postgres");
        postgres.stop()?;
        step.done();
    }
    Ok(())
}

/// The signals that mean "end", once this exists.
struct Signals {
    runtime: Runtime,
    streams: [Signal; 3],
    /// One has come already.
    came: bool,
}

impl Signals {
    fn new() -> Result<Self> {
        let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
        let guard = runtime.enter();
        let streams =
            [signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?, signal(SignalKind::hangup())?];
        drop(guard);
        Ok(Self { runtime, streams, came: false })
    }

    /// Waits for a signal, at most that long.
    fn came_within(&mut self, duration: Duration) -> bool {
        let [interrupt, terminate, hangup] = &mut self.streams;
        let came = self.runtime.block_on(async {
            tokio::select! {
                biased;
                _ = interrupt.recv() => true,
                _ = terminate.recv() => true,
                _ = hangup.recv() => true,
                () = tokio::time::sleep(duration) => false,
            }
        });
        self.came |= came;
        came
    }
}
