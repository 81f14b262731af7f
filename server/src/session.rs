//! Who asks: a cookie with a random token, whose hash leads to a user. Guests get one at their first step.
//!
//! Our own and small instead of a session library: all that is kept is whose browser this is, in a table that plain
//! SQL can end sessions in; a bag of values per visitor would only be in the way.

use std::fmt::Write;

use axum::http::HeaderMap;
use axum_extra::extract::cookie::{Cookie, CookieJar, SameSite};
use domain::id::UserId;
use rand::TryRngCore;
use rand::rngs::OsRng;
use sha2::{Digest, Sha256};
use time::Duration;

use crate::problem::Failure;
use crate::state::SiteState;

/// How long a guest is remembered.
const LIFETIME_DAYS: i32 = 365;
/// Bytes of a token: as many random bits as its hash has.
const TOKEN_BYTES: usize = 32;

/// Who asks, and the cookie to set if that was just made.
pub struct Viewer {
    /// Who.
    pub user: UserId,
    /// Cookies of the answer.
    pub jar: CookieJar,
}

fn cookie_name(state: &SiteState) -> &'static str {
    if state.config.is_https() { "__Host-warpyard" } else { "warpyard" }
}

/// Who asks, if that is known.
pub async fn find(state: &SiteState, headers: &HeaderMap) -> Result<Option<UserId>, Failure> {
    let jar = CookieJar::from_headers(headers);
    let Some(token) = jar.get(cookie_name(state)).and_then(|cookie| decode(cookie.value())) else {
        return Ok(None);
    };
    Ok(db::sessions::find_user(&state.pool, &hash(&token)).await?)
}

/// Who asks; a guest is made where nobody is known.
pub async fn get(state: &SiteState, headers: &HeaderMap) -> Result<Viewer, Failure> {
    let jar = CookieJar::default();
    if let Some(user) = find(state, headers).await? {
        return Ok(Viewer { user, jar });
    }
    let mut token = [0; TOKEN_BYTES];
    OsRng.try_fill_bytes(&mut token).map_err(|error| Failure::ours(format!("no randomness: {error}")))?;
    let user = db::users::create_guest(&state.pool).await?;
    db::sessions::create(&state.pool, user, &hash(&token), LIFETIME_DAYS).await?;
    let cookie = Cookie::build((cookie_name(state), encode(&token)))
        .path("/")
        .http_only(true)
        .secure(state.config.is_https())
        .same_site(SameSite::Lax)
        .max_age(Duration::days(i64::from(LIFETIME_DAYS)));
    Ok(Viewer { user, jar: jar.add(cookie) })
}

fn hash(token: &[u8; TOKEN_BYTES]) -> [u8; 32] {
    Sha256::digest(token).into()
}

fn encode(token: &[u8; TOKEN_BYTES]) -> String {
    let mut text = String::with_capacity(2 * TOKEN_BYTES);
    for byte in token {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

fn decode(text: &str) -> Option<[u8; TOKEN_BYTES]> {
    if text.len() != 2 * TOKEN_BYTES || !text.is_ascii() {
        return None;
    }
    let mut token = [0; TOKEN_BYTES];
    for (byte, at) in token.iter_mut().zip((0..).step_by(2)) {
        *byte = u8::from_str_radix(&text[at..at + 2], 16).ok()?;
    }
    Some(token)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_read_back_and_nothing_else_does() {
        let token = [0xab; TOKEN_BYTES];
        assert_eq!(decode(&encode(&token)), Some(token));
        for bad in ["", "ab", &"zz".repeat(32), &"a".repeat(65), &"ä".repeat(32)] {
            assert_eq!(decode(bad), None, "{bad}");
        }
    }
}
