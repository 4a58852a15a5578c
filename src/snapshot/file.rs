//! The snapshot: the evidence of an audit, beside its page.

use super::error::SnapshotError;
use super::upgrade::{Upgraded, upgraded};
use super::{asked, hash, json, tables};
use crate::analysis::{Audit, Evidence, Limits, Milestone, audit, public_words};
use crate::view::Heading;
use serde_json::value::RawValue;
use std::path::Path;

/// What the schemas of snapshots begin with; audits of the code alone had one of their own up to number 4.
const FAMILIES: [&str; 2] = ["kernel-audit/audit/", "kernel-audit/static-audit/"];
/// The number of [`SCHEMA`].
const NUMBER: u32 = 7;
/// The first schema whose snapshots hold evidence; what they did not keep is missing.
const EVIDENCE: u32 = 5;
/// The first schema in the form of [`tables`].
const TABLES: u32 = 7;
/// The schema that this program writes; its number rises when a field changes its meaning or goes.
pub const SCHEMA: &str = "kernel-audit/audit/7";

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
#[derive(serde::Deserialize)]
struct Parts<'a> {
    schema: Option<String>,
    sha256: Option<String>,
    #[serde(borrow)]
    heading: Option<&'a RawValue>,
    #[serde(borrow)]
    milestone: Option<&'a RawValue>,
    #[serde(borrow)]
    limits: Option<&'a RawValue>,
    #[serde(borrow)]
    asked: Option<&'a RawValue>,
    /// Of schemas since [`TABLES`].
    #[serde(borrow)]
    said: Option<&'a RawValue>,
    #[serde(borrow)]
    evidence: Option<&'a RawValue>,
    /// The content of schemas 1 to 4.
    #[serde(borrow)]
    audit: Option<&'a RawValue>,
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
        let (number, parts) = parts(path, bytes)?;
        if number < EVIDENCE {
            return earlier(path, number, &parts);
        }
        let Content { heading, milestone, limits, asked, said, evidence } = content(path, number, &parts)?;
        let asked = understood(path, asked)?;
        let (heading, evidence) = match said {
            Some(said) => (spelled(path, heading, said)?, spelled(path, evidence, said)?),
            None => (understood(path, heading)?, understood::<Evidence>(path, evidence)?.named_everywhere()),
        };
        Ok(Snapshot {
            sha256: parts.sha256.unwrap_or_default(),
            heading: shown(heading),
            milestone: understood(path, milestone)?,
            limits: Limits::of_numbers(&understood(path, limits)?),
            evidence: asked::spelled(asked, evidence).map_err(malformed)?.made_public(),
        })
    }

    /// The milestone of the file at `path` alone.
    ///
    /// # Errors
    /// As [`Snapshot::read`].
    pub fn read_milestone(path: &Path) -> Result<Milestone, SnapshotError> {
        let bytes = bytes(path)?;
        let (number, parts) = parts(path, &bytes)?;
        if number < EVIDENCE {
            return Ok(earlier(path, number, &parts)?.milestone);
        }
        understood(path, content(path, number, &parts)?.milestone)
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

/// The number of a snapshot's schema, and its parts.
fn parts<'a>(path: &Path, bytes: &'a [u8]) -> Result<(u32, Parts<'a>), SnapshotError> {
    let malformed = |what: String| SnapshotError::Malformed { path: path.to_owned(), what };
    let parts: Parts<'a> = serde_json::from_slice(bytes).map_err(|error| malformed(error.to_string()))?;
    let Some(schema) = &parts.schema else {
        return Err(malformed("expected an object with a `schema`".to_owned()));
    };
    let number = FAMILIES.iter().find_map(|family| schema.strip_prefix(family)?.parse::<u32>().ok());
    match number {
        Some(number @ 1..=NUMBER) => Ok((number, parts)),
        other => {
            let cure = match other {
                Some(_) => "a newer audit wrote it; update this program",
                None => "this is another kind of file; name the .json that lies beside a page",
            };
            Err(SnapshotError::Schema { path: path.to_owned(), expected: SCHEMA, found: schema.clone(), cure })
        }
    }
}

/// Fails where texts do not have the hash that the file states.
fn is_unchanged(path: &Path, parts: &Parts<'_>, texts: &[&str]) -> Result<(), SnapshotError> {
    let (stated, found) = (parts.sha256.clone().unwrap_or_default(), hash::content(texts));
    if stated == found { Ok(()) } else { Err(SnapshotError::Changed { path: path.to_owned(), stated, found }) }
}

fn present<'a>(path: &Path, part: Option<&'a RawValue>, key: &str) -> Result<&'a str, SnapshotError> {
    let lacks = || SnapshotError::Malformed { path: path.to_owned(), what: format!("it has no `{key}`") };
    Ok(part.ok_or_else(lacks)?.get())
}

/// The texts of the parts of a snapshot.
struct Content<'a> {
    heading: &'a str,
    milestone: &'a str,
    limits: &'a str,
    asked: &'a str,
    said: Option<&'a str>,
    evidence: &'a str,
}

/// The parts of a snapshot whose content has the hash that it states.
fn content<'a>(path: &Path, number: u32, parts: &Parts<'a>) -> Result<Content<'a>, SnapshotError> {
    let found = Content {
        heading: present(path, parts.heading, "heading")?,
        milestone: present(path, parts.milestone, "milestone")?,
        limits: present(path, parts.limits, "limits")?,
        asked: present(path, parts.asked, "asked")?,
        said: if number < TABLES { None } else { Some(present(path, parts.said, "said")?) },
        evidence: present(path, parts.evidence, "evidence")?,
    };
    let Content { heading, milestone, limits, asked, said, evidence } = found;
    let texts = [Some(heading), Some(milestone), Some(limits), Some(asked), said, Some(evidence)];
    is_unchanged(path, parts, &texts.into_iter().flatten().collect::<Vec<_>>())?;
    Ok(found)
}

/// A snapshot of an earlier schema; the first had no hash.
fn earlier(path: &Path, number: u32, parts: &Parts<'_>) -> Result<Snapshot, SnapshotError> {
    let (heading, audit) = (present(path, parts.heading, "heading")?, present(path, parts.audit, "audit")?);
    match number {
        1 => {}
        // Its hash was over objects with their keys in order.
        2 => {
            let sorted = |text| understood::<serde_json::Value>(path, text).map(|value| value.to_string());
            is_unchanged(path, parts, &[&sorted(heading)?, &sorted(audit)?])?;
        }
        _ => is_unchanged(path, parts, &[heading, audit])?,
    }
    let Upgraded { heading, milestone, limits, evidence } =
        upgraded(number, heading, audit).map_err(|what| SnapshotError::Malformed { path: path.to_owned(), what })?;
    let (heading, evidence) = (shown(heading), evidence.made_public());
    Ok(Snapshot { sha256: parts.sha256.clone().unwrap_or_default(), heading, milestone, limits, evidence })
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
