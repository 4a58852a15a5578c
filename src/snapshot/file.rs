//! The snapshot: an audit as data, beside its page.

use super::error::SnapshotError;
use super::{hash, json};
use crate::analysis::Audit;
use crate::analysis::code::StaticAudit;
use crate::view::Heading;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::path::Path;

/// What a snapshot can hold.
pub trait Content: Clone + serde::Serialize + serde::de::DeserializeOwned {
    /// What every schema of this content begins with.
    const FAMILY: &'static str;
    /// The schema that this program writes; its number rises when a field changes its meaning or goes.
    const SCHEMA: &'static str;

    /// What the file holds of this.
    fn stored(&self) -> Cow<'_, Self> {
        Cow::Borrowed(self)
    }

    /// The whole of what the file holds.
    #[must_use]
    fn restored(self) -> Self {
        self
    }
}

impl Content for Audit {
    const FAMILY: &'static str = "kernel-audit/audit/";
    const SCHEMA: &'static str = "kernel-audit/audit/4";

    fn stored(&self) -> Cow<'_, Audit> {
        Cow::Owned(Audit::stored(self))
    }

    fn restored(self) -> Audit {
        Audit::restored(self)
    }
}

impl Content for StaticAudit {
    const FAMILY: &'static str = "kernel-audit/static-audit/";
    const SCHEMA: &'static str = "kernel-audit/static-audit/4";
}

/// An audit with what its page says about itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot<A = Audit> {
    /// SHA-256 of heading and audit as JSON without white space, lower-case hexadecimal, of a snapshot that was read;
    /// empty for one that was not written yet.
    pub sha256: String,
    /// Date, subject, commit.
    pub heading: Heading,
    /// Everything that is known and concluded.
    pub audit: A,
}

/// The file, its two large parts not yet understood.
#[derive(serde::Deserialize)]
struct Parts<'a> {
    schema: Option<String>,
    sha256: Option<String>,
    #[serde(borrow)]
    heading: Option<&'a RawValue>,
    #[serde(borrow)]
    audit: Option<&'a RawValue>,
}

/// A snapshot of an audit without a report.
pub type StaticSnapshot = Snapshot<StaticAudit>;

impl<A: Content> Snapshot<A> {
    /// A snapshot to be written.
    pub fn new(heading: Heading, audit: A) -> Snapshot<A> {
        Snapshot { sha256: String::new(), heading, audit }
    }

    /// Whether the file at `path` says that it is a snapshot of this content, of whichever number.
    ///
    /// # Errors
    /// A file that cannot be read or is no JSON.
    pub fn is_said_by(path: &Path) -> Result<bool, SnapshotError> {
        #[derive(serde::Deserialize)]
        struct Head {
            schema: Option<String>,
        }
        let bytes = read(path)?;
        let head: Head = serde_json::from_slice(&bytes)
            .map_err(|error| SnapshotError::Malformed { path: path.to_owned(), what: error.to_string() })?;
        Ok(head.schema.is_some_and(|schema| schema.starts_with(A::FAMILY)))
    }

    /// The bytes of the file: JSON on one line, the same for the same audit.
    ///
    /// # Errors
    /// Those of the JSON writer.
    pub fn to_json(&self) -> serde_json::Result<Vec<u8>> {
        let (heading, audit) = (json::text(&self.heading)?, json::text(&*self.audit.stored())?);
        let (schema, sha256) = (A::SCHEMA, hash::content(&[&heading, &audit]));
        let text = format!(r#"{{"schema":"{schema}","sha256":"{sha256}","heading":{heading},"audit":{audit}}}"#);
        Ok((text + "\n").into_bytes())
    }

    /// Reads the file at `path`.
    ///
    /// # Errors
    /// As [`Snapshot::parse`], or when the file cannot be read.
    pub fn read(path: &Path) -> Result<Snapshot<A>, SnapshotError> {
        let bytes =
            std::fs::read(path).map_err(|source| SnapshotError::Unreadable { path: path.to_owned(), source })?;
        Snapshot::parse(path, &bytes)
    }

    /// Reads the bytes of a file that lies at `path`.
    ///
    /// # Errors
    /// No JSON, another schema, a content that does not have the stated hash, or fields that are missing.
    pub fn parse(path: &Path, bytes: &[u8]) -> Result<Snapshot<A>, SnapshotError> {
        let malformed = |what: String| SnapshotError::Malformed { path: path.to_owned(), what };
        let parts: Parts<'_> = serde_json::from_slice(bytes).map_err(|error| malformed(error.to_string()))?;
        let Some(schema) = parts.schema else {
            return Err(malformed("expected an object with a `schema`".to_owned()));
        };
        if schema != A::SCHEMA {
            let number = schema.strip_prefix(A::FAMILY).and_then(|number| number.parse::<u32>().ok());
            let own = A::SCHEMA.strip_prefix(A::FAMILY).and_then(|number| number.parse::<u32>().ok());
            let cure = match (number, own) {
                (Some(number), Some(own)) if number > own => "a newer audit wrote it; update this program",
                (Some(_), _) => "an older audit wrote it; write it again with `audit generate --date` of its day",
                (None, _) => "this is another kind of file; name the .json that lies beside a page",
            };
            let (path, found) = (path.to_owned(), schema.to_owned());
            return Err(SnapshotError::Schema { path, expected: A::SCHEMA, found, cure });
        }
        let lacks = |key: &str| malformed(format!("it has no `{key}`"));
        let heading = parts.heading.ok_or_else(|| lacks("heading"))?;
        let audit = parts.audit.ok_or_else(|| lacks("audit"))?;
        let found = hash::content(&[heading.get(), audit.get()]);
        let stated = parts.sha256.unwrap_or_default();
        if stated != found {
            let path = path.to_owned();
            return Err(SnapshotError::Changed { path, stated, found });
        }
        Ok(Snapshot {
            sha256: stated,
            heading: serde_json::from_str(heading.get()).map_err(|error| malformed(error.to_string()))?,
            audit: serde_json::from_str::<A>(audit.get()).map_err(|error| malformed(error.to_string()))?.restored(),
        })
    }
}

/// Whether bytes begin as a snapshot does, which tells them from reports of every kind.
pub fn is_snapshot_like(head: &[u8]) -> bool {
    head.trim_ascii_start().starts_with(b"{")
}

fn read(path: &Path) -> Result<Vec<u8>, SnapshotError> {
    std::fs::read(path).map_err(|source| SnapshotError::Unreadable { path: path.to_owned(), source })
}
