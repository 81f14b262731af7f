//! What a log at its default level holds, and what it does not.

use std::io;
use std::sync::{Arc, Mutex};

use db::PgPool;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::util::SubscriberInitExt;

use crate::site::Site;

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[sqlx::test(migrator = "db::MIGRATOR")]
async fn no_job_is_written_down(pool: PgPool) {
    let mut site = Site::new(pool).await;
    let log = Log::default();
    let writer = log.clone();
    let _guard = tracing_subscriber::fmt()
        .with_writer(move || writer.clone())
        .with_env_filter(EnvFilter::new(db::LOG_FILTER))
        .finish()
        .set_default();
    tracing::info!("the log is kept");
    let id = site.post("source=x").await.submission();
    let text = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert!(text.contains("the log is kept"));
    assert!(!text.contains("payload") && !text.contains(&id.to_string()), "{text}");
}
