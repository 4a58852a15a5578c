//! Snapshots of earlier schemas, made into those of today step by step.

use super::error::SnapshotError;
use super::text;
use crate::merge::is_unmerged;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

/// The parts of a snapshot by name, in the order in which its hash takes them.
pub(super) const PARTS: [&str; 4] = ["heading", "milestone", "limits", "evidence"];
/// What the schemas of snapshots begin with.
const FAMILY: &str = "kernel-audit/audit/";

/// Makes the parts of one schema those of the next. Errors: a part that is not what the schema says, in words.
pub(super) type Step = fn(&mut Map<String, Value>) -> Result<(), String>;

/// What leads from schema 1 to that of today, the step from 1 to 2 first.
pub(super) const STEPS: &[Step] = &[];

/// The parts of a file, not yet understood.
pub(super) struct Parts<'a> {
    path: &'a Path,
    /// Hash of its content, as it states and has.
    pub(super) sha256: String,
    texts: BTreeMap<Cow<'a, str>, Cow<'a, str>>,
}

impl<'a> Parts<'a> {
    /// The parts of the bytes of a file that lies at `path`, as the schema behind all `steps` has them. Errors: no
    /// JSON, a schema that is not known, a part that is missing, a content that does not have the stated hash, or a
    /// step that fails.
    pub(super) fn of(path: &'a Path, bytes: &'a [u8], steps: &[Step]) -> Result<Parts<'a>, SnapshotError> {
        let malformed = |what: String| SnapshotError::Malformed { path: path.to_owned(), what };
        let texts: BTreeMap<Cow<'a, str>, &'a RawValue> =
            serde_json::from_slice(bytes).map_err(|error| match is_unmerged(bytes) {
                true => SnapshotError::Unmerged { path: path.to_owned() },
                false => malformed(error.to_string()),
            })?;
        let word = |key: &str| serde_json::from_str::<String>(texts.get(key)?.get()).ok();
        let schema = word("schema").ok_or_else(|| malformed("expected an object with a `schema`".to_owned()))?;
        let newest = steps.len() + 1;
        let later = match schema.strip_prefix(FAMILY).and_then(|number| number.parse::<usize>().ok()) {
            Some(number) if (1..=newest).contains(&number) => &steps[number - 1..],
            found => {
                let (path, expected) = (path.to_owned(), format!("{FAMILY}{newest}"));
                let cure = match found {
                    Some(number) if number > newest => "a newer audit wrote it; update this program",
                    _ => "this is another kind of file; name the .json that lies beside a page",
                };
                return Err(SnapshotError::Schema { path, expected, found: schema, cure });
            }
        };
        let sha256 = word("sha256").unwrap_or_default();
        let mut parts = Parts { path, sha256, texts: BTreeMap::new() };
        parts.texts = texts.into_iter().map(|(key, text)| (key, Cow::Borrowed(text.get()))).collect();
        let own = PARTS.map(|key| parts.text(key)).into_iter().collect::<Result<Vec<_>, _>>()?;
        let found = text::content(&own);
        if parts.sha256 != found {
            return Err(SnapshotError::Changed { path: path.to_owned(), stated: parts.sha256, found });
        }
        if !later.is_empty() {
            let value = |key: &str| Ok((key.to_owned(), parts.understood(key)?));
            let mut all: Map<String, Value> = PARTS.into_iter().map(value).collect::<Result<_, SnapshotError>>()?;
            later.iter().try_for_each(|step| step(&mut all)).map_err(malformed)?;
            parts.texts = all.into_iter().map(|(key, value)| (key.into(), value.to_string().into())).collect();
        }
        Ok(parts)
    }

    fn text(&self, key: &str) -> Result<&str, SnapshotError> {
        let lacks = || SnapshotError::Malformed { path: self.path.to_owned(), what: format!("it has no `{key}`") };
        Ok(self.texts.get(key).ok_or_else(lacks)?)
    }

    /// What a part says. Errors: one that is missing or says something else.
    pub(super) fn understood<T: serde::de::DeserializeOwned>(&self, key: &str) -> Result<T, SnapshotError> {
        let what = |error: serde_json::Error| format!("`{key}`: {error}");
        serde_json::from_str(self.text(key)?)
            .map_err(|error| SnapshotError::Malformed { path: self.path.to_owned(), what: what(error) })
    }
}

#[cfg(test)]
mod tests {
    use super::super::SCHEMA;
    use super::*;
    use serde_json::json;

    /// A made-up second schema: the subject is called so, and no longer `name`.
    fn renamed(parts: &mut Map<String, Value>) -> Result<(), String> {
        let heading = parts.get_mut("heading").and_then(Value::as_object_mut).ok_or("`heading` is no object")?;
        let name = heading.remove("name").ok_or("`heading` has no `name`")?;
        heading.insert("subject".to_owned(), name);
        Ok(())
    }

    /// A made-up third: dates have an hour.
    fn with_hour(parts: &mut Map<String, Value>) -> Result<(), String> {
        let date = parts["heading"]["date"].as_str().ok_or("no date")?.to_owned();
        parts["heading"]["date"] = json!(format!("{date}T00"));
        Ok(())
    }

    fn file(schema: &str, heading: &str) -> String {
        let sha256 = text::content(&[heading, "{}", "{}", "{}"]);
        format!(
            r#"{{"schema":"{schema}","sha256":"{sha256}","heading":{heading},"milestone":{{}},"limits":{{}},"evidence":{{}}}}"#
        )
    }

    fn heading(text: &str, steps: &[Step]) -> Result<Value, String> {
        let parts = Parts::of(Path::new("x.json"), text.as_bytes(), steps).map_err(|error| error.to_string())?;
        parts.understood("heading").map_err(|error| error.to_string())
    }

    #[test]
    fn a_snapshot_of_the_first_schema_goes_through_every_step_since() {
        let first = file("kernel-audit/audit/1", r#"{"name":"gemm","date":"2026-01-02"}"#);
        let second = file("kernel-audit/audit/2", r#"{"subject":"gemm","date":"2026-01-02"}"#);
        let said = json!({ "subject": "gemm", "date": "2026-01-02" });
        assert_eq!(heading(&first, &[renamed]), Ok(said.clone()));
        assert_eq!(heading(&second, &[renamed]), Ok(said));
        let later = json!({ "subject": "gemm", "date": "2026-01-02T00" });
        assert_eq!(heading(&first, &[renamed, with_hour]), Ok(later.clone()));
        assert_eq!(heading(&second, &[renamed, with_hour]), Ok(later));
    }

    #[test]
    fn what_no_step_can_take_is_refused_in_words() {
        let refused = |text: &str| heading(text, &[renamed]).expect_err(text);
        let lacking = refused(&file("kernel-audit/audit/1", "{}"));
        assert!(lacking.contains("x.json is not a snapshot of an audit: `heading` has no `name`"), "{lacking}");
        let newer = refused(&file("kernel-audit/audit/3", "{}"));
        let found = r#"expected the schema "kernel-audit/audit/2", found "kernel-audit/audit/3""#;
        assert!(newer.contains(found) && newer.contains("update this program"), "{newer}");
        // The hash is that of the file, whatever its schema.
        let changed = file("kernel-audit/audit/1", r#"{"name":"gemm"}"#).replace("gemm", "gemv");
        assert!(refused(&changed).contains("was changed after it was written"));
    }

    #[test]
    fn the_schema_that_is_written_is_the_one_behind_all_steps() {
        assert_eq!(SCHEMA, format!("{FAMILY}{}", STEPS.len() + 1));
    }
}
