//! The audit as one HTML page that needs nothing else: no network, no file beside it.
//!
//! Owns HTML's syntax, the page's style and its script. Data is escaped here and nowhere else; no part of it becomes an
//! element, a handler or a target that acts, and a policy in the page's head lets no script run but our own.

use std::path::Path;

mod policy;
mod source;
mod walk;

pub(super) use source::{SOURCE, source_view};
pub(super) use walk::{blocks, lead, line, section};

/// What goes into `<script>`.
pub(super) const SCRIPT: &str = include_str!("page.js");

/// What a page ends with, whatever its template: by it the program knows its own pages.
pub(super) const END: &str = "<!-- audit:page -->\n";

/// Whether a file is a page of this program.
pub fn is_own(path: &Path) -> bool {
    crate::read::bytes(path).is_ok_and(|page| page.ends_with(END.as_bytes()))
}

/// What goes into `<style>`: the page's style and that of its charts.
pub(super) fn style() -> String {
    format!("{}{}", include_str!("page.css"), super::svg::STYLE)
}

/// What goes into the policy of the head.
pub(super) fn policy() -> String {
    policy::policy(SCRIPT)
}
