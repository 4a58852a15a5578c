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

pub(crate) use edited::{authored, carried, intact, otherwise};
pub use edited::{marked, merged};
pub use error::RenderError;
pub(crate) use lint::explain_view;
pub(crate) use markdown::table as markdown_table;
pub use prose::prose;
pub(crate) use remarks::Remark;
pub use remarks::{Level, github, junit};
pub(crate) use templates::{MarkedPage, Override};
pub use templates::{TEMPLATES, Templates};
pub use write::Output;
pub(crate) use write::{page_lock, sweep, write_together, write_with};
