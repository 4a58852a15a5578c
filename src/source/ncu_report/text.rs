//! Text of the file, kept once however often it occurs.

use bytes::Bytes;
use rustc_hash::FxHashSet;
use std::borrow::Cow;
use std::sync::Arc;

/// The text of bytes, as [`String::from_utf8_lossy`] gives it, which reads byte by byte; nearly all text is UTF-8.
pub(super) fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

/// Hands out one shared copy of each distinct text. Bytes that are not UTF-8 become replacement characters.
#[derive(Default)]
pub(super) struct Texts(FxHashSet<Arc<str>>);

impl Texts {
    pub(super) fn of(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.0.get(text) {
            return known.clone();
        }
        let kept: Arc<str> = text.into();
        self.0.insert(kept.clone());
        kept
    }

    pub(super) fn of_bytes(&mut self, text: &[u8]) -> Arc<str> {
        self.of(&lossy(text))
    }

    /// The text of a field; an absent field is the empty text.
    pub(super) fn of_field(&mut self, field: Option<&Bytes>) -> Arc<str> {
        self.of_bytes(field.map_or(&[], |bytes| bytes.as_ref()))
    }
}
