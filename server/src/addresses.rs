//! How much one network may submit, whatever cookies it brings: a guest's own limit goes away with the cookie.
//!
//! Held in memory and bounded; a restart forgets it, and the limits of each learner stay in the database. They are
//! generous, since a classroom may share one address.

use std::collections::{HashMap, VecDeque};
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::{ConnectInfo, Request};
use axum::http::{HeaderMap, StatusCode};
use db::PgPool;
use domain::id::SubmissionId;

use crate::config::Config;
use crate::problem::Failure;

/// Submissions of one network that wait or run at a time.
pub const OPEN_MAX: usize = 20;
/// Submissions of one network within [`WINDOW`].
pub const PER_WINDOW_MAX: usize = 60;
/// The window of [`PER_WINDOW_MAX`].
pub const WINDOW: Duration = Duration::from_mins(1);
/// Networks that are remembered; the one that was quiet for longest is forgotten first.
const NETWORKS_MAX: usize = 10_000;
/// How long a judgement takes is not known here; a few seconds is what one usually takes.
const OPEN_RETRY_SECONDS: u32 = 5;

/// What each network has submitted lately.
#[derive(Clone, Default)]
pub struct Addresses(Arc<Mutex<HashMap<IpAddr, Book>>>);

#[derive(Default)]
struct Book {
    /// Submissions within the window, oldest first.
    recent: VecDeque<Instant>,
    /// Submissions that had no verdict when that was last looked at.
    open: Vec<SubmissionId>,
    /// Requests that may store a submission at this moment.
    pending: usize,
}

/// Why a network has to wait.
#[derive(Debug, PartialEq, Eq)]
enum Full {
    /// Too many at a time, unless some of these have their verdict.
    Open(Vec<SubmissionId>),
    /// Too many within the window.
    Window { retry_after_seconds: u32 },
}

/// The right to store one submission; given back when dropped.
pub struct Admission {
    addresses: Addresses,
    network: IpAddr,
    stored: Option<SubmissionId>,
}

impl Addresses {
    /// Admits one submission of `client`, or says when to try again.
    pub async fn admit(&self, pool: &PgPool, client: IpAddr) -> Result<Admission, Failure> {
        let network = network_of(client);
        let again = match self.try_admit(network, Instant::now()) {
            Ok(admission) => return Ok(admission),
            Err(Full::Open(open)) => {
                // Only now is it worth asking which of them have ended.
                let unfinished = db::submissions::list_unfinished(pool, &open).await?;
                self.forget(network, |id| open.contains(id) && !unfinished.contains(id));
                self.try_admit(network, Instant::now())
            }
            full => full,
        };
        again.map_err(|full| {
            let retry_after_seconds = match full {
                Full::Open(_) => OPEN_RETRY_SECONDS,
                Full::Window { retry_after_seconds } => retry_after_seconds,
            };
            Failure {
                retry_after_seconds: Some(retry_after_seconds),
                ..Failure::of_request(
                    StatusCode::TOO_MANY_REQUESTS,
                    "One moment",
                    format!(
                        "Many submissions came from your network just now. The next one can go in {retry_after_seconds} s."
                    ),
                )
            }
        })
    }

    fn try_admit(&self, network: IpAddr, now: Instant) -> Result<Admission, Full> {
        let mut books = self.lock();
        if books.len() >= NETWORKS_MAX && !books.contains_key(&network) {
            make_room(&mut books, now);
        }
        let book = books.entry(network).or_default();
        while book.recent.front().is_some_and(|at| now.duration_since(*at) >= WINDOW) {
            book.recent.pop_front();
        }
        if book.recent.len() + book.pending >= PER_WINDOW_MAX {
            let wait = book.recent.front().map_or(Duration::ZERO, |at| WINDOW.saturating_sub(now.duration_since(*at)));
            let retry_after_seconds = (wait.as_secs_f64().ceil() as u32).max(1);
            return Err(Full::Window { retry_after_seconds });
        }
        if book.open.len() + book.pending >= OPEN_MAX {
            return Err(Full::Open(book.open.clone()));
        }
        book.pending += 1;
        Ok(Admission { addresses: self.clone(), network, stored: None })
    }

    fn forget(&self, network: IpAddr, is_over: impl Fn(&SubmissionId) -> bool) {
        if let Some(book) = self.lock().get_mut(&network) {
            book.open.retain(|id| !is_over(id));
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<IpAddr, Book>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Forgets networks that were quiet for a window; where none was, the one that was quiet for longest.
fn make_room(books: &mut HashMap<IpAddr, Book>, now: Instant) {
    let is_quiet = |book: &Book| book.recent.back().is_none_or(|at| now.duration_since(*at) >= WINDOW);
    books.retain(|_, book| book.pending > 0 || !is_quiet(book));
    if books.len() >= NETWORKS_MAX
        && let Some(network) = books
            .iter()
            .filter(|(_, book)| book.pending == 0)
            .min_by_key(|(_, book)| book.recent.back().copied())
            .map(|(network, _)| *network)
    {
        books.remove(&network);
    }
}

impl Admission {
    /// Counts the submission that was stored.
    pub fn count(mut self, submission: SubmissionId) {
        self.stored = Some(submission);
    }
}

impl Drop for Admission {
    fn drop(&mut self) {
        if let Some(book) = self.addresses.lock().get_mut(&self.network) {
            book.pending = book.pending.saturating_sub(1);
            if let Some(submission) = self.stored {
                book.recent.push_back(Instant::now());
                book.open.push(submission);
            }
        }
    }
}

/// Where a request comes from: the peer, or where a proxy of ours is believed, what that adds to the end of
/// `X-Forwarded-For`. What stands before is what a client writes itself. `None` where there is no connection.
pub fn client_of(config: &Config, request: &Request) -> Option<IpAddr> {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(peer)| peer.ip());
    let forwarded = config.trust_forwarded.then(|| last_forwarded(request.headers())).flatten();
    forwarded.or(peer)
}

fn last_forwarded(headers: &HeaderMap) -> Option<IpAddr> {
    let values = headers.get_all("x-forwarded-for");
    let last = values.iter().next_back()?.to_str().ok()?.rsplit(',').next()?.trim();
    // Some proxies write the port as well.
    last.parse().ok().or_else(|| last.parse::<SocketAddr>().ok().map(|address| address.ip()))
}

/// One address of version 4; of version 6 the 64 bits that a provider gives to one customer.
fn network_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
        address @ IpAddr::V4(_) => address,
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use clap::Parser;

    use super::*;

    const NETWORK: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    fn id(number: u128) -> SubmissionId {
        SubmissionId(uuid::Uuid::from_u128(number))
    }

    #[test]
    fn a_network_is_one_customer() {
        for (address, network) in [
            ("192.0.2.7", "192.0.2.7"),
            ("::ffff:192.0.2.7", "192.0.2.7"),
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
            ("2001:db8:1:2::", "2001:db8:1:2::"),
        ] {
            assert_eq!(network_of(address.parse().unwrap()).to_string(), network);
        }
    }

    #[test]
    fn as_many_as_may_wait_are_admitted_and_no_more() {
        let (addresses, now) = (Addresses::default(), Instant::now());
        let pending: Vec<_> = (0..OPEN_MAX).map(|_| addresses.try_admit(NETWORK, now).ok().unwrap()).collect();
        assert_eq!(
            addresses.try_admit(NETWORK, now).err(),
            Some(Full::Open(vec![])),
            "those that are on their way count"
        );
        // What was not stored does not count; what was, does until it has its verdict.
        drop(pending);
        for number in 0..OPEN_MAX {
            addresses.try_admit(NETWORK, now).ok().unwrap().count(id(number as u128));
        }
        let Some(Full::Open(open)) = addresses.try_admit(NETWORK, now).err() else { panic!("one too many") };
        assert_eq!(open.len(), OPEN_MAX);
        assert!(addresses.try_admit("192.0.2.7".parse().unwrap(), now).is_ok());
        addresses.forget(NETWORK, |found| *found == id(3));
        assert!(addresses.try_admit(NETWORK, now).is_ok());
    }

    #[test]
    fn a_window_is_waited_for_to_its_end() {
        let addresses = Addresses::default();
        for number in 0..PER_WINDOW_MAX {
            addresses.try_admit(NETWORK, Instant::now()).ok().unwrap().count(id(number as u128));
            addresses.forget(NETWORK, |_| true);
        }
        let now = Instant::now();
        let Some(Full::Window { retry_after_seconds }) = addresses.try_admit(NETWORK, now).err() else {
            panic!("one too many")
        };
        assert!((50..=60).contains(&retry_after_seconds), "{retry_after_seconds}");
        assert!(addresses.try_admit(NETWORK, now + WINDOW).is_ok());
    }

    #[test]
    fn no_more_networks_are_kept_than_there_is_room_for() {
        let (addresses, now) = (Addresses::default(), Instant::now());
        for number in 0..2 * NETWORKS_MAX as u32 {
            let network = std::net::Ipv4Addr::from_bits(number).into();
            addresses.try_admit(network, now).ok().unwrap().count(id(u128::from(number)));
        }
        assert_eq!(addresses.lock().len(), NETWORKS_MAX);
        assert!(addresses.try_admit(NETWORK, now + 2 * WINDOW).is_ok());
        assert_eq!(addresses.lock().len(), 1);
    }

    #[test]
    fn only_a_believed_proxy_says_where_a_request_comes_from() {
        let peer = ConnectInfo(SocketAddr::from(([192, 0, 2, 1], 1)));
        let check = |trust_forwarded: bool, values: &[&str], expect: &str| {
            let mut request = Request::builder().extension(peer);
            for value in values {
                request = request.header("x-forwarded-for", *value);
            }
            let mut config = Config::parse_from(["server", "--database-url", ""]);
            config.trust_forwarded = trust_forwarded;
            let client = client_of(&config, &request.body(Body::empty()).unwrap()).unwrap();
            assert_eq!(client.to_string(), expect, "{values:?}");
        };
        check(false, &["198.51.100.1"], "192.0.2.1");
        check(true, &["203.0.113.9, 198.51.100.1"], "198.51.100.1");
        check(true, &["203.0.113.9", "198.51.100.1:443"], "198.51.100.1");
        check(true, &["[2001:db8::1]:443"], "2001:db8::1");
        check(true, &[], "192.0.2.1");
        check(true, &["203.0.113.9, unknown"], "192.0.2.1");
    }
}
