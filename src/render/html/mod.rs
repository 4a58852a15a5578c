//! The audit as one HTML page that needs nothing else: no network, no file beside it.
//!
//! Owns HTML's syntax, the page's style and its script. Receives a document and a source view of finished strings, gives
//! [`HtmlPage`], whose every string is finished HTML. Data is escaped here and nowhere else; the finished page is read
//! again by `read.rs`, and a policy in its head lets no script run but our own.

mod inline;
mod page;
mod policy;
mod read;
mod sort;

pub use page::{HtmlCell, HtmlColumn, HtmlPage, HtmlPart, HtmlPiece, HtmlSource};
pub(super) use read::check;
