//! The head of a snapshot: what the index shows of an audit, read without its evidence.

use super::text;
use super::upgrade::PARTS;
use crate::analysis::Milestone;
use serde::de::{Deserializer as _, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

/// The name of the hash over everything but the evidence.
pub(super) const HEAD: &str = "head";
/// Bytes of a file that are read: the heading has a dozen milestones of less than 2 kB each.
const READ: u64 = 48 << 10;

/// The hash of the parts of a snapshot but the evidence, which is the last.
pub(super) fn content(texts: &[&str]) -> String {
    text::content(&texts[..PARTS.len() - 1])
}

/// What a page keeps of the audits before it.
#[derive(serde::Deserialize)]
struct Before {
    #[serde(default)]
    history: Vec<Milestone>,
}

/// The milestone of the file at `path` and those before it, where it is of this schema and its head is as it was written;
/// `None` for any other file.
pub(super) fn read(path: &Path, schema: &str) -> Option<(Milestone, Vec<Milestone>)> {
    let bytes = crate::read::head(path, READ).ok()?;
    let mut head = Head::default();
    // It ends where the evidence would begin.
    let _ = serde_json::Deserializer::from_slice(&bytes).deserialize_map(&mut head);
    let word = |key: &str| serde_json::from_str::<String>(head.0.get(key)?.get()).ok();
    let texts = PARTS[..PARTS.len() - 1].iter().map(|key| Some(head.0.get(*key)?.get()));
    let texts: Vec<&str> = texts.collect::<Option<_>>()?;
    let is_whole = word("schema")? == schema && word(HEAD)? == text::content(&texts);
    let before = || serde_json::from_str::<Before>(head.0.get("heading")?.get()).ok();
    is_whole.then(|| Some((serde_json::from_str(head.0.get("milestone")?.get()).ok()?, before()?.history)))?
}

/// The first parts of a file, as many as stand before the evidence.
#[derive(Default)]
struct Head<'a>(BTreeMap<Cow<'a, str>, &'a RawValue>);

impl<'de> Visitor<'de> for &mut Head<'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the parts of a snapshot")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut parts: A) -> Result<(), A::Error> {
        // Schema and the two hashes stand before them.
        while self.0.len() < 3 + PARTS.len() - 1
            && let Some(key) = parts.next_key()?
        {
            let part = parts.next_value()?;
            self.0.insert(key, part);
        }
        Ok(())
    }
}
