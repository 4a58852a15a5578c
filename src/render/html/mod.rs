//! The audit as one HTML page that needs nothing else: no network, no file beside it.
//!
//! Owns HTML's syntax, the page's style and its script. Data is escaped here and nowhere else; no part of it becomes an
//! element, a handler or a target that acts, and a policy in the page's head lets no script run but our own.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};
use std::path::Path;

mod source;
mod unshown;
mod walk;

pub(super) use source::{SOURCE, source_view};
pub(super) use unshown::unshown;
pub(super) use walk::{blocks, lead, line, section};

pub(super) const SCRIPT: &str = include_str!("page.js");

/// What a page ends with, whatever its template: by it the program knows its own pages.
pub(super) const END: &str = "<!-- audit:page -->\n";

pub fn is_own(path: &Path) -> bool {
    crate::read::bytes(path).is_ok_and(|page| page.ends_with(END.as_bytes()))
}

/// What goes into `<style>`: the page's style and that of its charts.
pub(super) fn style() -> String {
    [include_str!("page.css"), super::svg::STYLE, super::svg::SERIES_STYLE].concat()
}

/// A content security policy for the head, which allows the page's own style and script, and no connection.
pub(super) fn policy() -> String {
    let hash = STANDARD.encode(Sha256::digest(SCRIPT));
    format!(
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'"
    )
}
