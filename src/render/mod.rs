//! Ink: the walks over a page for each medium, templates, the gate before writing, atomic files.
//!
//! Owns the syntax of Markdown, HTML, SVG and a terminal's. Receives a [`crate::view::Document`] of typed words and
//! cells, gives bytes; decides, computes and rounds nothing.
//!
//! A template prints the frame of a page and names what stands where; `sink` walks over what it places, `markdown`,
//! `html` and [`terminal`] say what each medium does with each kind of block. A page of Markdown is parsed again by
//! `gate` and compared with what was placed before [`write_together`].

mod edited;
mod error;
mod escape;
mod frame;
mod gate;
mod grid;
pub mod html;
mod lint;
mod lock;
mod markdown;
mod outline;
mod prose;
mod remarks;
mod sink;
pub mod svg;
mod templates;
pub mod terminal;
mod write;
mod xml;

pub use edited::{authored, carried, intact, lacking, marked, merged};
pub use error::RenderError;
pub use lint::explain_view;
pub use lock::PageLock;
pub use markdown::table as markdown_table;
pub use prose::prose;
pub use remarks::{Level, Remark, github, junit};
pub use templates::{MarkedPage, Override, TEMPLATES, Templates};
pub use write::{Output, sweep, write_together, write_with};
