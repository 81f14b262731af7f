//! A server of its own over a test's database, and one browser's view of it.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{HeaderMap, Method, Request, StatusCode, header};
use axum::response::Response;
use db::PgPool;
use domain::id::SubmissionId;
use server::config::Config;
use server::hub::Hub;
use server::state::SiteState;
use sha2::{Digest, Sha256};
use tower::ServiceExt;

/// Bytes that a test reads of one answer at most.
const ANSWER_BYTES_MAX: usize = 4 << 20;

/// A server, its database and the cookie of one visitor.
#[derive(Clone)]
pub struct Site {
    pub router: Router,
    pub pool: PgPool,
    pub hub: Hub,
    pub cookie: Option<String>,
    /// Where this visitor comes from; nobody knows without a socket.
    pub peer: Option<SocketAddr>,
    /// The exercise that tests submit to: the course's first.
    pub exercise: String,
}

/// What came back.
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// The submission that a redirect leads to.
    pub fn submission(&self) -> SubmissionId {
        assert_eq!(self.status, StatusCode::SEE_OTHER, "{}", self.text());
        self.header("location").strip_prefix("/s/").unwrap().parse().unwrap()
    }
}

pub fn config(site: PathBuf, public_url: Option<&str>) -> Config {
    Config {
        database_url: String::new(),
        addr: ([127, 0, 0, 1], 0).into(),
        lessons: Path::new(env!("CARGO_MANIFEST_DIR")).join("../lessons"),
        site,
        public_url: public_url.map(str::to_owned),
        trust_forwarded: false,
    }
}

impl Site {
    pub async fn new(pool: PgPool) -> Self {
        Self::with(pool, config(PathBuf::from("/nonexistent"), None)).await
    }

    pub async fn with(pool: PgPool, config: Config) -> Self {
        db::migrate(&pool).await.unwrap();
        let state = SiteState::start(config, pool.clone());
        assert!(state.course.faults.is_empty(), "{:?}", state.course.faults);
        let exercise = state.course.exercises().next().unwrap().slug.to_string();
        let hub = state.hub.clone();
        Self { hub, router: server::router(state), pool, cookie: None, peer: None, exercise }
    }

    /// The same server seen by somebody else.
    pub fn stranger(&self) -> Self {
        Self { cookie: None, ..self.clone() }
    }

    pub async fn send(&self, mut request: Request<Body>) -> Response {
        if let Some(cookie) = &self.cookie {
            request.headers_mut().insert(header::COOKIE, cookie.parse().unwrap());
        }
        if let Some(peer) = self.peer {
            request.extensions_mut().insert(ConnectInfo(peer));
        }
        self.router.clone().oneshot(request).await.unwrap()
    }

    pub async fn ask(&self, request: Request<Body>) -> Answer {
        let response = self.send(request).await;
        let (parts, body) = response.into_parts();
        let body = axum::body::to_bytes(body, ANSWER_BYTES_MAX).await.unwrap().to_vec();
        Answer { status: parts.status, headers: parts.headers, body }
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.ask(Request::get(path).body(Body::empty()).unwrap()).await
    }

    /// A form request to the exercise, not yet sent.
    pub fn form(&self, body: impl Into<Body>) -> Request<Body> {
        Request::builder()
            .method(Method::POST)
            .uri(format!("/x/{}/submissions", self.exercise))
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(body.into())
            .unwrap()
    }

    /// Posts a form and keeps the cookie that comes back.
    pub async fn post(&mut self, body: impl Into<Body>) -> Answer {
        let answer = self.ask(self.form(body)).await;
        if let Some(cookie) = answer.headers.get(header::SET_COOKIE) {
            let cookie = cookie.to_str().unwrap();
            self.cookie = Some(cookie.split(';').next().unwrap().to_owned());
        }
        answer
    }

    /// Posts a form as a script does.
    pub async fn ask_json(&self, body: impl Into<Body>) -> (StatusCode, serde_json::Value) {
        let mut request = self.form(body);
        request.headers_mut().insert(header::ACCEPT, "application/json".parse().unwrap());
        let answer = self.ask(request).await;
        (answer.status, serde_json::from_slice(&answer.body).unwrap())
    }

    /// The random bytes of this visitor's cookie.
    pub fn token(&self) -> Option<[u8; 32]> {
        let (_, text) = self.cookie.as_ref()?.split_once('=')?;
        assert_eq!(text.len(), 64);
        let byte = |at: usize| u8::from_str_radix(&text[2 * at..2 * at + 2], 16).unwrap();
        Some(std::array::from_fn(byte))
    }

    /// What this visitor has submitted; who has no cookie has nothing.
    pub async fn count_submissions(&self) -> usize {
        let Some(token) = self.token() else { return 0 };
        let hash = Sha256::digest(token).into();
        let user = db::sessions::find_user(&self.pool, &hash).await.unwrap().unwrap();
        let exercise = self.exercise.parse().unwrap();
        db::submissions::list_for(&self.pool, user, &exercise).await.unwrap().len()
    }
}
