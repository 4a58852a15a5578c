//! The keys of audit.toml about the layout of dynamic shared memory.

use super::code::Variant;
use super::error::ConfigError;
use super::text::Text;
use crate::analysis::code::SharedPart;
use toml::Spanned;

/// The most parts of one kind.
const MOST: u64 = 1024;

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table `[[subject.shared]]`")]
pub(super) struct SharedKeys {
    name: String,
    at: Spanned<toml::Value>,
    bytes: Spanned<toml::Value>,
    times: Option<Spanned<toml::Value>>,
    every: Option<Spanned<toml::Value>>,
    align: Option<Spanned<toml::Value>>,
    #[serde(default)]
    mbarriers: bool,
    variant: Option<Spanned<String>>,
}

impl Text {
    /// One part of the layout.
    pub(super) fn shared_part(&self, keys: SharedKeys, variants: &[Variant]) -> Result<SharedPart, ConfigError> {
        // Far above the memory of any chip, and far below what sums of them hold.
        let number = |value: &Spanned<toml::Value>| match self.amount(value)?.value() {
            bytes if bytes <= u64::from(u32::MAX) => Ok(bytes),
            _ => Err(self.wrong("expected bytes of shared memory".into(), value.span(), "too many", None)),
        };
        let or = |value: &Option<Spanned<toml::Value>>, default: u64| value.as_ref().map_or(Ok(default), number);
        let (at, bytes) = (number(&keys.at)?, number(&keys.bytes)?);
        let part = SharedPart {
            name: keys.name,
            at,
            bytes,
            times: or(&keys.times, 1)?,
            every: or(&keys.every, bytes)?,
            align: or(&keys.align, 1)?,
            has_mbarriers: keys.mbarriers,
            variant: self.variant(keys.variant, variants)?,
        };
        if part.bytes == 0 || part.align == 0 || !(1..=MOST).contains(&part.times) {
            let message = format!("expected bytes and `align` above 0, and `times` from 1 to {MOST}");
            return Err(self.wrong(message, keys.bytes.span(), "", None));
        }
        Ok(part)
    }
}
