//! Text of the file, kept once however often it occurs.

use bytes::Bytes;
use std::borrow::Cow;
use std::sync::Arc;

pub(super) use crate::source::text::Texts;

/// The text of bytes, as [`String::from_utf8_lossy`] gives it, which reads byte by byte; nearly all text is UTF-8.
pub(super) fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

impl Texts {
    /// Bytes that are not UTF-8 become replacement characters.
    pub(super) fn of_bytes(&mut self, text: &[u8]) -> Arc<str> {
        self.of(&lossy(text))
    }

    /// The text of a field; an absent field is the empty text.
    pub(super) fn of_field(&mut self, field: Option<&Bytes>) -> Arc<str> {
        self.of_bytes(field.map_or(&[], |bytes| bytes.as_ref()))
    }
}
