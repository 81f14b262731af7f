//! One LISTEN connection for all open streams: a hint of a submission wakes whoever follows it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use db::PgPool;
use domain::id::{SubmissionId, UserId};
use domain::limits::STREAMS_PER_USER_MAX;
use tokio::sync::{broadcast, watch};

/// Hints that a slow stream may miss; it looks into the table by itself anyway.
const HINTS_KEPT: usize = 1024;

/// Wakes streams, and counts them per learner.
#[derive(Clone)]
pub struct Hub {
    hints: broadcast::Sender<SubmissionId>,
    open: Arc<Mutex<HashMap<UserId, usize>>>,
    closing: watch::Sender<bool>,
}

/// The right to hold one stream open; given back when dropped.
pub struct Permit {
    hub: Hub,
    user: UserId,
}

impl Hub {
    /// Starts to listen.
    pub fn start(pool: PgPool) -> Self {
        let (hints, _) = broadcast::channel(HINTS_KEPT);
        let sender = hints.clone();
        tokio::spawn(db::notify::run(pool, move |submission| {
            // No receiver is no error: nobody has a stream open.
            let _ = sender.send(submission);
        }));
        Self { hints, open: Arc::default(), closing: watch::Sender::new(false) }
    }

    /// Ends all streams, now and from now on: the server drains, and browsers come back to the next one.
    pub fn close(&self) {
        self.closing.send_replace(true);
    }

    /// Comes back once [`Self::close`] was called.
    pub async fn closed(&self) {
        // The sender lives in `self`, so waiting cannot fail.
        let _ = self.closing.subscribe().wait_for(|closing| *closing).await;
    }

    /// Hints from now on.
    pub fn subscribe(&self) -> broadcast::Receiver<SubmissionId> {
        self.hints.subscribe()
    }

    /// A permit, unless this learner holds too many.
    pub fn permit(&self, user: UserId) -> Option<Permit> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let count = open.entry(user).or_default();
        if *count >= STREAMS_PER_USER_MAX {
            return None;
        }
        *count += 1;
        Some(Permit { hub: self.clone(), user })
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut open = self.hub.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = open.get_mut(&self.user) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.user);
            }
        }
    }
}
