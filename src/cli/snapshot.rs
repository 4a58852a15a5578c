//! The snapshot: an audit as data, beside its page.

use crate::analysis::Audit;
use crate::analysis::code::StaticAudit;
use crate::view::Heading;

/// What the snapshot's `schema` says; its number rises when a field changes its meaning.
const SCHEMA: &str = "kernel-audit/audit/1";

/// An audit with what its page says about itself.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Snapshot {
    /// `kernel-audit/audit/1`.
    pub schema: String,
    /// Date, subject, commit.
    pub heading: Heading,
    /// Everything that is known and concluded.
    pub audit: Audit,
}

impl Snapshot {
    /// A snapshot of the schema that this program writes.
    pub fn new(heading: Heading, audit: Audit) -> Snapshot {
        Snapshot { schema: SCHEMA.to_owned(), heading, audit }
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
}

/// What the `schema` of an audit without a report says.
const STATIC_SCHEMA: &str = "kernel-audit/static-audit/1";

/// An audit without a report, with what its page says about itself.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct StaticSnapshot {
    /// `kernel-audit/static-audit/1`.
    pub schema: String,
    /// Date, subject, commit.
    pub heading: Heading,
    /// Everything that is known and concluded.
    pub audit: StaticAudit,
}

impl StaticSnapshot {
    /// A snapshot of the schema that this program writes.
    pub fn new(heading: Heading, audit: StaticAudit) -> StaticSnapshot {
        StaticSnapshot { schema: STATIC_SCHEMA.to_owned(), heading, audit }
    }

    /// The bytes of the file: indented JSON, the same for the same audit.
    ///
    /// # Errors
    /// Those of the JSON writer.
    pub fn to_json(&self) -> serde_json::Result<Vec<u8>> {
        let mut bytes = serde_json::to_vec_pretty(self)?;
        bytes.push(b'\n');
        Ok(bytes)
    }
}
