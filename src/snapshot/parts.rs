//! Parts of a snapshot of an earlier schema: what is there is understood, or named.

use serde::de::DeserializeOwned;
use serde_json::Value;

/// A part that is there; `None` where it is not, or `null`.
///
/// # Errors
/// One that is not understood, in words: what was written is not left out.
pub(super) fn part<T: DeserializeOwned>(of: &Value, key: &str) -> Result<Option<T>, String> {
    understood(of.get(key).unwrap_or(&Value::Null)).map_err(|error| format!("`{key}`: {error}"))
}

pub(super) fn understood<T: DeserializeOwned>(value: &Value) -> Result<Option<T>, String> {
    serde_json::from_value(value.clone()).map_err(|error| error.to_string())
}

pub(super) fn part_or_default<T: DeserializeOwned + Default>(of: &Value, key: &str) -> Result<T, String> {
    Ok(part(of, key)?.unwrap_or_default())
}

/// The list at a key; empty without one.
pub(super) fn list<'v>(of: &'v Value, key: &str) -> &'v [Value] {
    of.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

pub(super) fn text<'v>(of: &'v Value, key: &str) -> &'v str {
    of.get(key).and_then(Value::as_str).unwrap_or_default()
}
