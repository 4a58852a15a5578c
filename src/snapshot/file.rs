//! The snapshot: the evidence of an audit, beside its page.

use super::error::SnapshotError;
use super::upgrade::{Upgraded, upgraded};
use super::{asked, fields, hash, json, tables};
use crate::analysis::{Audit, Evidence, Limits, Milestone, audit, public_words};
use crate::view::Heading;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

/// What the schemas of snapshots begin with, each with its last number; audits of the code alone had one of their own.
const FAMILIES: [(&str, u32); 2] = [("kernel-audit/audit/", NUMBER), ("kernel-audit/static-audit/", 4)];
/// The number of [`SCHEMA`].
const NUMBER: u32 = 9;
/// The first schema whose snapshots hold evidence; what they did not keep is missing.
const EVIDENCE: u32 = 5;
/// The first schema in the form of [`tables`].
const TABLES: u32 = 7;
/// The schema that this program writes; its number rises when a field changes its meaning or goes.
pub const SCHEMA: &str = "kernel-audit/audit/9";

/// Everything that an audit was made from, with what its page said of itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// SHA-256 of the content as JSON without white space, lower-case hexadecimal, of a snapshot that was read; empty for
    /// one that was not written yet.
    pub sha256: String,
    /// Date, subject, commit.
    pub heading: Heading,
    /// What the page printed that day: the line of it in the history.
    pub milestone: Milestone,
    /// What the judgements compared with.
    pub limits: Limits,
    /// What was read, measured and stated.
    pub evidence: Evidence,
}

/// The file, its parts not yet understood.
struct Parts<'a> {
    path: &'a Path,
    schema: u32,
    sha256: String,
    texts: BTreeMap<Cow<'a, str>, &'a RawValue>,
}

impl Snapshot {
    /// The snapshot of an audit, to be written.
    pub fn new(heading: Heading, evidence: Evidence, audit: &Audit) -> Snapshot {
        let milestone = heading.milestone(audit);
        let evidence = evidence.made_public();
        Snapshot { sha256: String::new(), heading, milestone, limits: audit.limits.clone(), evidence }
    }

    /// The audit of its evidence.
    pub fn audit(&self) -> Audit {
        audit(&self.evidence, &self.limits)
    }

    /// The bytes of the file: JSON on one line, the same for the same audit.
    ///
    /// # Errors
    /// Those of the JSON writer.
    pub fn to_json(&self) -> serde_json::Result<Vec<u8>> {
        let heading = json::text(&self.heading)?;
        let milestone = json::text(&self.milestone)?;
        let limits = json::text(&self.limits.numbers())?;
        let (asked, evidence) = asked::shortened(&self.evidence);
        let asked = json::text(&asked)?;
        let (said, [heading, evidence]) = tables::packed([&heading, &json::text(&evidence)?])?;
        let sha256 = hash::content(&[&heading, &milestone, &limits, &asked, &said, &evidence]);
        let text = format!(
            r#"{{"schema":"{SCHEMA}","sha256":"{sha256}","heading":{heading},"milestone":{milestone},"limits":{limits},"asked":{asked},"said":{said},"evidence":{evidence}}}"#
        );
        Ok((text + "\n").into_bytes())
    }

    /// Reads the file at `path`.
    ///
    /// # Errors
    /// As [`Snapshot::parse`], or when the file cannot be read.
    pub fn read(path: &Path) -> Result<Snapshot, SnapshotError> {
        Snapshot::parse(path, &bytes(path)?)
    }

    /// Reads the bytes of a file that lies at `path`.
    ///
    /// # Errors
    /// No JSON, a schema that is not known, a content that does not have the stated hash, or fields that are missing.
    pub fn parse(path: &Path, bytes: &[u8]) -> Result<Snapshot, SnapshotError> {
        let malformed = |what: String| SnapshotError::Malformed { path: path.to_owned(), what };
        let parts = Parts::of(path, bytes)?;
        if parts.schema < EVIDENCE {
            return earlier(&parts);
        }
        parts.is_whole()?;
        let (heading, evidence) = (parts.text("heading")?, parts.text("evidence")?);
        let (heading, evidence) = if parts.schema < TABLES {
            (understood(path, heading)?, understood(path, evidence)?)
        } else {
            let said = parts.text("said")?;
            (spelled(path, heading, said)?, spelled(path, evidence, said)?)
        };
        let evidence = fields::of_today(parts.schema, evidence);
        let evidence: Evidence = serde_json::from_value(evidence).map_err(|error| malformed(error.to_string()))?;
        let evidence = if parts.schema < TABLES { evidence.named_everywhere() } else { evidence };
        let asked = understood(path, parts.text("asked")?)?;
        Ok(Snapshot {
            heading: shown(heading),
            milestone: understood(path, parts.text("milestone")?)?,
            limits: Limits::of_numbers(&understood(path, parts.text("limits")?)?).map_err(malformed)?,
            evidence: asked::spelled(asked, evidence).map_err(malformed)?.made_public(),
            sha256: parts.sha256,
        })
    }

    /// The milestone of the file at `path` alone.
    ///
    /// # Errors
    /// As [`Snapshot::read`].
    pub fn read_milestone(path: &Path) -> Result<Milestone, SnapshotError> {
        let bytes = bytes(path)?;
        let parts = Parts::of(path, &bytes)?;
        if parts.schema < EVIDENCE {
            return Ok(earlier(&parts)?.milestone);
        }
        parts.is_whole()?;
        understood(path, parts.text("milestone")?)
    }
}

fn understood<T: serde::de::DeserializeOwned>(path: &Path, text: &str) -> Result<T, SnapshotError> {
    serde_json::from_str(text)
        .map_err(|error| SnapshotError::Malformed { path: path.to_owned(), what: error.to_string() })
}

/// What a part in the form of [`tables`] says.
fn spelled<T: serde::de::DeserializeOwned>(path: &Path, part: &str, said: &str) -> Result<T, SnapshotError> {
    let malformed = |what: String| SnapshotError::Malformed { path: path.to_owned(), what };
    let value = tables::unpacked(part, said).map_err(malformed)?;
    serde_json::from_value(value).map_err(|error| malformed(error.to_string()))
}

impl<'a> Parts<'a> {
    fn of(path: &'a Path, bytes: &'a [u8]) -> Result<Parts<'a>, SnapshotError> {
        let malformed = |what: String| SnapshotError::Malformed { path: path.to_owned(), what };
        let texts: BTreeMap<Cow<'a, str>, &'a RawValue> =
            serde_json::from_slice(bytes).map_err(|error| malformed(error.to_string()))?;
        let word = |key: &str| serde_json::from_str::<String>(texts.get(key)?.get()).ok();
        let schema = word("schema").ok_or_else(|| malformed("expected an object with a `schema`".to_owned()))?;
        let number = |(family, last): &(&str, u32)| Some((schema.strip_prefix(family)?.parse::<u32>().ok()?, *last));
        let cure = match FAMILIES.iter().find_map(number) {
            Some((schema, last)) if (1..=last).contains(&schema) => {
                return Ok(Parts { path, schema, sha256: word("sha256").unwrap_or_default(), texts });
            }
            Some((schema, NUMBER)) if schema > NUMBER => "a newer audit wrote it; update this program",
            _ => "this is another kind of file; name the .json that lies beside a page",
        };
        Err(SnapshotError::Schema { path: path.to_owned(), expected: SCHEMA, found: schema, cure })
    }

    fn text(&self, key: &str) -> Result<&'a str, SnapshotError> {
        let lacks = || SnapshotError::Malformed { path: self.path.to_owned(), what: format!("it has no `{key}`") };
        Ok(self.texts.get(key).ok_or_else(lacks)?.get())
    }

    /// Fails where a part is missing, or all of them do not have the hash that the file states.
    fn is_whole(&self) -> Result<(), SnapshotError> {
        let is_there = |key: &&str| self.schema >= TABLES || *key != "said";
        let keys = ["heading", "milestone", "limits", "asked", "said", "evidence"].into_iter().filter(is_there);
        self.is_unchanged(&keys.map(|key| self.text(key)).collect::<Result<Vec<_>, _>>()?)
    }

    fn is_unchanged(&self, texts: &[&str]) -> Result<(), SnapshotError> {
        let (path, stated, found) = (self.path.to_owned(), self.sha256.clone(), hash::content(texts));
        if stated == found { Ok(()) } else { Err(SnapshotError::Changed { path, stated, found }) }
    }
}

/// A snapshot of an earlier schema; the first had no hash.
fn earlier(parts: &Parts<'_>) -> Result<Snapshot, SnapshotError> {
    let (path, heading, audit) = (parts.path, parts.text("heading")?, parts.text("audit")?);
    match parts.schema {
        1 => {}
        // Its hash was over objects with their keys in order.
        2 => {
            let sorted = |text| understood::<serde_json::Value>(path, text).map(|value| value.to_string());
            parts.is_unchanged(&[&sorted(heading)?, &sorted(audit)?])?;
        }
        _ => parts.is_unchanged(&[heading, audit])?,
    }
    let malformed = |what| SnapshotError::Malformed { path: path.to_owned(), what };
    let Upgraded { heading, milestone, limits, evidence } =
        upgraded(parts.schema, heading, audit).map_err(malformed)?;
    let (heading, evidence) = (shown(heading), evidence.made_public());
    Ok(Snapshot { sha256: parts.sha256.clone(), heading, milestone, limits, evidence })
}

/// A heading as anyone may see it: earlier programs hid less of the command.
fn shown(heading: Heading) -> Heading {
    Heading { command: public_words(&heading.command), ..heading }
}

/// Whether bytes begin as a snapshot does, which tells them from reports of every kind.
pub fn is_snapshot_like(head: &[u8]) -> bool {
    head.trim_ascii_start().starts_with(b"{")
}

fn bytes(path: &Path) -> Result<Vec<u8>, SnapshotError> {
    crate::read::bytes(path).map_err(|source| SnapshotError::Unreadable { path: path.to_owned(), source })
}
