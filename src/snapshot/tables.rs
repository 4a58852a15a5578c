//! The form of a snapshot: lists of objects as tables, and what occurs again said once.
//!
//! A list of objects is `{"columns":[…],"rows":[[…],…]}`; a column whose name ends in `?` has `null` where a row lacks it.
//! A value that occurs more than once stands in the list `said`, and `"@3"` is its fourth. Both are undone when a snapshot
//! is read, and nothing but the form is changed.

use super::json;
use crate::bounds::{SNAPSHOT, SNAPSHOT_DEPTH};
use serde_json::{Map, Value};
use std::collections::HashMap;

/// Keys whose values stay as they are, because questions over many snapshots ask for what is in them (`docs/guide/fleet.md`).
const PLAIN: [&str; 5] = ["readings", "device", "sanitizer", "subject", "date"];
/// Keys on the way to those: what stands there is never referred to, what is in it may be.
const OPEN: [&str; 2] = ["new", "profile"];
/// Bytes of the shortest value that is said once; a reference has about five.
const LEAST: usize = 12;
/// What a reference begins with; a text that begins so itself is always referred to.
const MARK: char = '@';

/// Parts of a snapshot in their short form, with the list that they refer to.
///
/// # Errors
/// Those of the JSON writer.
pub(super) fn packed<const N: usize>(parts: [&str; N]) -> serde_json::Result<(String, [String; N])> {
    let mut said = Said::default();
    let mut values = Vec::with_capacity(N);
    for part in parts {
        let mut value = serde_json::from_str(part)?;
        make_tables(&mut value)?;
        each_inside(&mut value, &mut |key, value| said.count(key, value))?;
        values.push(value);
    }
    let mut texts = [const { String::new() }; N];
    for (text, value) in texts.iter_mut().zip(&mut values) {
        each_inside(value, &mut |key, value| said.put(key, value))?;
        *text = json::text(value)?;
    }
    Ok((json::text(&said.list)?, texts))
}

/// Calls a function for each value in another that is not to stay plain, with its key; those of a list have none.
fn each_inside<E>(value: &mut Value, call: &mut impl FnMut(&str, &mut Value) -> Result<(), E>) -> Result<(), E> {
    match value {
        Value::Array(list) => list.iter_mut().try_for_each(|value| call("", value)),
        Value::Object(fields) => {
            let mut open = fields.iter_mut().filter(|(key, _)| !PLAIN.contains(&key.as_str()));
            open.try_for_each(|(key, value)| call(key, value))
        }
        _ => Ok(()),
    }
}

/// Makes a table of every list of objects where that is shorter.
fn make_tables(value: &mut Value) -> serde_json::Result<()> {
    each_inside(value, &mut |_, value| make_tables(value))?;
    let Some(table) = value.as_array().and_then(|list| table(list)) else { return Ok(()) };
    if json::text(&table)?.len() < json::text(value)?.len() {
        *value = table;
    }
    Ok(())
}

/// A list of objects as a table; `None` for another list, and where a field is `null` in one object and absent in another.
fn table(list: &[Value]) -> Option<Value> {
    let rows: Vec<&Map<String, Value>> = list.iter().map(Value::as_object).collect::<Option<_>>()?;
    let mut names: Vec<&String> = rows.iter().flat_map(|row| row.keys()).collect();
    names.sort();
    names.dedup();
    let mut columns = Vec::new();
    for name in &names {
        let found = || rows.iter().map(|row| row.get(*name));
        let lacks = found().any(|value| value.is_none());
        if lacks && found().any(|value| value.is_some_and(Value::is_null)) || name.ends_with('?') {
            return None;
        }
        columns.push(Value::String(if lacks { format!("{name}?") } else { (*name).clone() }));
    }
    let cells = |row: &&Map<String, Value>| -> Vec<Value> {
        names.iter().map(|name| row.get(*name).cloned().unwrap_or_default()).collect()
    };
    let rows: Vec<Value> = rows.iter().map(|row| Value::Array(cells(row))).collect();
    Some(serde_json::json!({ "columns": columns, "rows": rows }))
}

/// What is said once.
#[derive(Default)]
struct Said {
    counts: HashMap<String, usize>,
    at: HashMap<String, usize>,
    list: Vec<Value>,
}

/// The text of a value that may be referred to; `None` where a reference is not worth it.
fn text_of(key: &str, value: &Value) -> serde_json::Result<Option<String>> {
    let is_number = !matches!(value, Value::String(_) | Value::Array(_) | Value::Object(_));
    let text = if is_number || OPEN.contains(&key) { None } else { Some(json::text(value)?) };
    Ok(text.filter(|text| text.len() >= LEAST || is_marked(value)))
}

fn is_marked(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.starts_with(MARK))
}

impl Said {
    /// Counts a value and what is in it; what is in one that was counted before is said with it.
    fn count(&mut self, key: &str, value: &mut Value) -> serde_json::Result<()> {
        if let Some(text) = text_of(key, value)? {
            let count = self.counts.entry(text).or_default();
            *count += 1;
            if *count > 1 {
                return Ok(());
            }
        }
        each_inside(value, &mut |key, value| self.count(key, value))
    }

    /// Puts the reference to a value in its place where it has one.
    fn put(&mut self, key: &str, value: &mut Value) -> serde_json::Result<()> {
        let is_said = |text: &String| is_marked(value) || self.counts.get(text).is_some_and(|count| *count > 1);
        let text = text_of(key, value)?.filter(is_said);
        let known = text.as_ref().and_then(|text| self.at.get(text).copied());
        if known.is_none() {
            each_inside(value, &mut |key, value| self.put(key, value))?;
        }
        let Some(text) = text else { return Ok(()) };
        let at = known.unwrap_or(self.list.len());
        let value = std::mem::replace(value, Value::String(format!("{MARK}{at}")));
        if known.is_none() {
            self.list.push(value);
            self.at.insert(text, at);
        }
        Ok(())
    }
}

/// A part as it was before it was packed, from its text and that of the list of what was said once.
///
/// # Errors
/// No JSON, a reference to nothing or to what stands behind it, a row that is not as long as its columns, and more than a
/// snapshot may hold, in words.
pub(super) fn unpacked(part: &str, said: &str) -> Result<Value, String> {
    let mut part = serde_json::from_str(part).map_err(|error| error.to_string())?;
    let said: Vec<Value> = serde_json::from_str(said).map_err(|error| error.to_string())?;
    Unpack { said: &said, bytes: SNAPSHOT }.inside(&mut part, Place { before: said.len(), depth: 0 })?;
    Ok(part)
}

struct Unpack<'a> {
    said: &'a [Value],
    /// Bytes that may still be made.
    bytes: usize,
}

/// Where a value stands.
#[derive(Clone, Copy)]
struct Place {
    /// It may refer to so many values that were said.
    before: usize,
    /// It is in so many others.
    depth: usize,
}

impl Unpack<'_> {
    fn take(&mut self, bytes: usize) -> Result<(), String> {
        self.bytes = self.bytes.checked_sub(bytes).ok_or("it holds more than a snapshot may")?;
        Ok(())
    }

    /// Puts what a reference refers to in its place.
    fn follow(&self, value: &mut Value, place: Place) -> Result<Place, String> {
        let Some(at) = value.as_str().and_then(|text| text.strip_prefix(MARK)) else { return Ok(place) };
        let before = at.parse().ok().filter(|at| *at < place.before);
        let before = before.ok_or_else(|| format!("{value} refers to none of {} values", place.before))?;
        value.clone_from(&self.said[before]);
        Ok(Place { before, ..place })
    }

    fn value(&mut self, value: &mut Value, place: Place) -> Result<(), String> {
        let place = self.follow(value, place)?;
        self.inside(value, place)
    }

    fn inside(&mut self, value: &mut Value, place: Place) -> Result<(), String> {
        self.take(size_of::<Value>() + value.as_str().map_or(0, str::len))?;
        let place = Place { depth: place.depth + 1, ..place };
        if place.depth > SNAPSHOT_DEPTH {
            return Err("its values are too deep in one another".to_owned());
        }
        match value.as_object_mut() {
            Some(fields) if fields.len() == 2 && fields.contains_key("columns") && fields.contains_key("rows") => {
                let (columns, rows) = (fields["columns"].take(), fields["rows"].take());
                *value = self.list(columns, rows, place)?;
                Ok(())
            }
            _ => each_inside(value, &mut |_, value| self.value(value, place)),
        }
    }

    /// The list of objects that a table holds.
    fn list(&mut self, mut columns: Value, mut rows: Value, place: Place) -> Result<Value, String> {
        self.value(&mut columns, place)?;
        let names = columns.as_array().and_then(|names| names.iter().map(Value::as_str).collect::<Option<Vec<&str>>>());
        let names = names.ok_or_else(|| format!("{columns} are no columns"))?;
        let place = self.follow(&mut rows, place)?;
        let Value::Array(mut rows) = rows else { return Err(format!("{rows} are no rows")) };
        for row in &mut rows {
            let place = self.follow(row, place)?;
            let cells = row.as_array_mut().filter(|cells| cells.len() == names.len());
            let cells = cells.ok_or_else(|| format!("a row does not have {} values", names.len()))?;
            let mut fields = Map::new();
            for (name, cell) in names.iter().zip(cells) {
                self.take(name.len())?;
                self.value(cell, place)?;
                if !(name.ends_with('?') && cell.is_null()) {
                    fields.insert(name.trim_end_matches('?').to_owned(), cell.take());
                }
            }
            *row = Value::Object(fields);
        }
        Ok(Value::Array(rows))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn returned(value: &Value) -> String {
        let (said, [text]) = packed([&value.to_string()]).expect("JSON");
        assert_eq!(unpacked(&text, &said).as_ref(), Ok(value), "{text} {said}");
        format!("{text} {said}")
    }

    #[test]
    fn lists_of_objects_are_tables_and_what_occurs_again_is_said_once() {
        let rows =
            json!({ "loops": [{ "head": 1, "unit": null }, { "head": 2, "unit": "x" }, { "head": 3, "unit": "x" }] });
        let columns = r#"{"loops":{"columns":["head","unit"],"rows":[[1,null],[2,"x"],[3,"x"]]}} []"#;
        assert_eq!(returned(&rows), columns);
        let lacking = json!([{ "shared_bytes_of_block": 1 }, { "shared_bytes_of_block": 2, "at": "a" }, { "shared_bytes_of_block": 3 }]);
        let columns = r#"{"columns":["at?","shared_bytes_of_block"],"rows":[[null,1],["a",2],[null,3]]} []"#;
        assert_eq!(returned(&lacking), columns);
        let twice = json!({ "a": ["a sentence", { "b": "a sentence" }] });
        assert_eq!(returned(&twice), r#"{"a":["@0",{"b":"@0"}]} ["a sentence"]"#);
    }

    #[test]
    fn what_looks_like_the_form_comes_back_as_it_was() {
        returned(&json!(["@0", "@", { "columns": ["a"] }, { "rows": [] }]));
        returned(&json!([{ "long_name": null }, {}, { "long_name": 1 }, { "long_name": 2 }, { "long_name": 3 }]));
        returned(&json!([{ "long_name?": 1 }, { "long_name?": 2 }, { "long_name?": 3 }, { "long_name?": 4 }]));
        returned(&json!([[{ "long_name": "@1" }, { "long_name": "@1" }, { "long_name": "@1" }], "@1"]));
    }

    #[test]
    fn what_queries_ask_for_stays_as_it_is() {
        let device = json!({ "name": "NVIDIA H200 SXM" });
        let side =
            json!({ "profile": { "device": device }, "sanitizer": [{ "tool": "memcheck" }, { "tool": "memcheck" }] });
        let text = returned(&json!({ "new": side, "old": side }));
        assert!(text.starts_with(&format!(r#"{{"new":{side},"#)), "{text}");
    }

    #[test]
    fn a_form_that_means_nothing_is_refused_and_a_bomb_is_not_lit() {
        let fails = |part: &str, said: &str, why: &str| {
            let error = unpacked(part, said).expect_err(part);
            assert!(error.contains(why), "{part}: {error}");
        };
        fails(r#"["@0"]"#, "[]", "refers to none of 0 values");
        fails(r#"["@0"]"#, r#"[["@0"]]"#, "refers to none of 0 values");
        fails(r#"["@x"]"#, "[1]", "refers to none of 1 values");
        fails(r#"{"columns":["a","b"],"rows":[[1]]}"#, "[]", "does not have 2 values");
        fails(r#"{"columns":[1],"rows":[[1]]}"#, "[]", "are no columns");
        fails(r#"{"columns":["a"],"rows":1}"#, "[]", "are no rows");
        let doubled: Vec<Value> = (0..60usize).map(|at| json!(vec![format!("@{}", at.saturating_sub(1)); 2])).collect();
        let list = |values: &[Value]| Value::Array(values.to_vec()).to_string();
        let bomb = [vec![json!("x")], doubled[1..].to_vec()].concat();
        fails(r#"["@59"]"#, &list(&bomb), "more than a snapshot may");
        let chain: Vec<Value> =
            (0..500usize).map(|at| if at == 0 { json!(1) } else { json!([format!("@{}", at - 1)]) }).collect();
        fails(r#"["@499"]"#, &list(&chain), "too deep");
    }
}
