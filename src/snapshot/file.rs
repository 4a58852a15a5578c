//! The snapshot: an audit as data, beside its page.

use super::error::SnapshotError;
use super::hash;
use crate::analysis::Audit;
use crate::view::Heading;
use std::path::Path;

/// What the snapshot's `schema` says; its number rises when a field changes its meaning or goes.
const SCHEMA: &str = "kernel-audit/audit/2";
/// What every schema of snapshots begins with.
const FAMILY: &str = "kernel-audit/audit/";

/// An audit with what its page says about itself.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Snapshot {
    /// `kernel-audit/audit/2`.
    pub schema: String,
    /// SHA-256 of heading and audit in canonical JSON, lower-case hexadecimal.
    pub sha256: String,
    /// Date, subject, commit.
    pub heading: Heading,
    /// Everything that is known and concluded.
    pub audit: Audit,
}

impl Snapshot {
    /// A snapshot of the schema that this program writes.
    ///
    /// # Errors
    /// Those of the JSON writer.
    pub fn new(heading: Heading, audit: Audit) -> serde_json::Result<Snapshot> {
        let sha256 = hash::content(&[&serde_json::to_value(&heading)?, &serde_json::to_value(&audit)?]);
        Ok(Snapshot { schema: SCHEMA.to_owned(), sha256, heading, audit })
    }

    /// The bytes of the file: JSON on one line, the same for the same audit.
    ///
    /// # Errors
    /// Those of the JSON writer.
    pub fn to_json(&self) -> serde_json::Result<Vec<u8>> {
        let mut bytes = serde_json::to_vec(self)?;
        bytes.push(b'\n');
        Ok(bytes)
    }

    /// Reads the file at `path`.
    ///
    /// # Errors
    /// As [`Snapshot::parse`], or when the file cannot be read.
    pub fn read(path: &Path) -> Result<Snapshot, SnapshotError> {
        let bytes =
            std::fs::read(path).map_err(|source| SnapshotError::Unreadable { path: path.to_owned(), source })?;
        Snapshot::parse(path, &bytes)
    }

    /// Reads the bytes of a file that lies at `path`.
    ///
    /// # Errors
    /// No JSON, another schema, a content that does not have the stated hash, or fields that are missing.
    pub fn parse(path: &Path, bytes: &[u8]) -> Result<Snapshot, SnapshotError> {
        let malformed = |what: String| SnapshotError::Malformed { path: path.to_owned(), what };
        let value: serde_json::Value = serde_json::from_slice(bytes).map_err(|error| malformed(error.to_string()))?;
        let text = |key: &str| value.get(key).and_then(serde_json::Value::as_str);
        let Some(schema) = text("schema") else {
            return Err(malformed("expected an object with a `schema`".to_owned()));
        };
        if schema != SCHEMA {
            let number = schema.strip_prefix(FAMILY).and_then(|number| number.parse::<u32>().ok());
            let own = SCHEMA.strip_prefix(FAMILY).and_then(|number| number.parse::<u32>().ok());
            let cure = match (number, own) {
                (Some(number), Some(own)) if number > own => "a newer audit wrote it; update this program",
                (Some(_), _) => "an older audit wrote it; write it again with `audit generate --date` of its day",
                (None, _) => "this is another kind of file; name the .json that lies beside a page",
            };
            let (path, found) = (path.to_owned(), schema.to_owned());
            return Err(SnapshotError::Schema { path, expected: SCHEMA, found, cure });
        }
        let part = |key: &str| value.get(key).ok_or_else(|| malformed(format!("it has no `{key}`")));
        let found = hash::content(&[part("heading")?, part("audit")?]);
        let stated = text("sha256").unwrap_or_default();
        if stated != found {
            let (path, stated) = (path.to_owned(), stated.to_owned());
            return Err(SnapshotError::Changed { path, stated, found });
        }
        serde_json::from_slice(bytes).map_err(|error| malformed(error.to_string()))
    }

    /// Whether bytes begin as a snapshot does, which tells them from reports of every kind.
    pub fn is_like(head: &[u8]) -> bool {
        head.trim_ascii_start().starts_with(b"{")
    }
}
