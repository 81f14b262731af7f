//! The server program: configuration, database, course, serve, drain.

use std::io::IsTerminal;
use std::net::SocketAddr;
use std::time::Duration;

use anyhow::Context;
use clap::Parser;
use server::config::Config;
use server::hub::Hub;
use server::state::SiteState;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

/// How long answers in progress may take once the server is told to end.
const DRAIN: Duration = Duration::from_secs(10);

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .with_env_filter(
            tracing_subscriber::EnvFilter::try_from_env("WARPYARD_LOG").unwrap_or_else(|_| db::LOG_FILTER.into()),
        )
        .init();
    let config = Config::parse();
    let addr = config.addr;
    let listener = TcpListener::bind(addr)
        .await
        .with_context(|| format!("cannot listen on {addr}; is another server running there?"))?;
    let pool = db::connect_patiently(&config.database_url).await.context("the database cannot be used")?;
    let state = SiteState::start(config, pool);
    tracing::info!(%addr, exercises = state.course.exercises().count(), "serving");
    let hub = state.hub.clone();
    let service = server::router(state).into_make_service_with_connect_info::<SocketAddr>();
    axum::serve(listener, service).with_graceful_shutdown(shutdown(hub)).await?;
    Ok(())
}

/// Ends at SIGTERM or Ctrl-C: streams at once, since a browser resumes them by itself; what else is open has ten seconds.
async fn shutdown(hub: Hub) {
    let mut terminate = signal(SignalKind::terminate()).expect("signals can be watched");
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        _ = terminate.recv() => {}
    }
    hub.close();
    tokio::spawn(async {
        tokio::time::sleep(DRAIN).await;
        std::process::exit(0);
    });
}
