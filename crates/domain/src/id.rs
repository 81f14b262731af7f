//! Ids and slugs: one type per thing that can be named, so that they cannot be mixed up.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

macro_rules! uuid_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[cfg_attr(feature = "sqlx", derive(sqlx::Type), sqlx(transparent))]
        #[serde(transparent)]
        pub struct $name(pub Uuid);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Uuid::parse_str(text).map(Self)
            }
        }
    };
}

uuid_id!(
    /// A person, guests included. Version 7, made where the row is made.
    UserId
);
uuid_id!(
    /// One source handed in for judgement.
    SubmissionId
);
uuid_id!(
    /// The fence around one start of one grader: only its holder may write a verdict.
    RunToken
);
uuid_id!(
    /// Drawn by the page that submits; the same key twice is the same submission.
    RequestKey
);

/// Why a text is no slug.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a name here is 1 to 64 of the characters a-z, 0-9 and '-', and starts with a letter or digit")]
pub struct NotASlug;

/// The name of a module, lesson or exercise in addresses and folders: `[a-z0-9][a-z0-9-]{0,63}`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "sqlx", derive(sqlx::Type), sqlx(transparent))]
#[serde(try_from = "String", into = "String")]
pub struct Slug(String);

impl Slug {
    /// The slug as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Slug {
    type Error = NotASlug;
    fn try_from(text: String) -> Result<Self, NotASlug> {
        let fits = (1..=64).contains(&text.len());
        let letters = text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        if fits && letters && !text.starts_with('-') { Ok(Self(text)) } else { Err(NotASlug) }
    }
}

impl FromStr for Slug {
    type Err = NotASlug;
    fn from_str(text: &str) -> Result<Self, NotASlug> {
        Self::try_from(text.to_owned())
    }
}

impl From<Slug> for String {
    fn from(slug: Slug) -> String {
        slug.0
    }
}

impl fmt::Display for Slug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_is_a_plain_folder_name() {
        for good in ["a", "vector-add", "0", &"x".repeat(64)] {
            assert!(Slug::from_str(good).is_ok(), "{good}");
        }
        for bad in ["", "-a", "A", "a/b", "..", "ä", "a b", &"x".repeat(65)] {
            assert!(Slug::from_str(bad).is_err(), "{bad}");
        }
    }
}
