//! Ink: templates, Markdown, the gate before writing, atomic files.
//!
//! Owns Markdown's syntax and the pages' files. Receives a [`crate::view::Document`] of finished strings, gives bytes;
//! decides, computes and rounds nothing.
//!
//! `Document` → [`Page`] (escaped strings) → [`Templates`] (placed) → [`gate`] (parsed again and compared) →
//! [`write_together`]. For the screen, [`terminal`] prints the same document.

mod edited;
mod error;
mod fields;
pub mod gate;
mod grid;
pub mod html;
mod lint;
mod lock;
mod outline;
mod page;
mod remarks;
mod shape;
pub mod svg;
mod templates;
pub mod terminal;
mod write;

pub use edited::{marked, merged};
pub use error::RenderError;
pub use fields::explain_view;
pub use grid::markdown_table;
pub use lock::PageLock;
pub use page::{Page, Part, Piece};
pub use remarks::{Level, Remark, github, junit};
pub use templates::{Override, TEMPLATES, Templates};
pub use write::{Output, write_together, write_with};
