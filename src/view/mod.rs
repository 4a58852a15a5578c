//! The page as finished strings: what a template prints and nothing else.
//!
//! Owns the model of a document, the words of each section, and the escaping of data inside them. Receives an
//! analysis, gives a [`Document`]. A template never compares, rounds or concludes; it places these strings.

mod benchmark;
mod brief;
mod ceiling;
pub mod charts;
mod clock_steps;
mod code;
mod columns;
mod comment;
mod conditions;
mod configurations;
mod correctness;
mod deliverable;
mod document;
mod dump;
mod dump_brief;
mod faults;
mod floor;
mod groups;
mod heading;
mod history;
mod index;
mod listing;
pub mod names;
mod over_time;
mod page;
mod reason;
mod roofline;
mod source_lines;
mod spots;
mod tables;
mod timeline;

pub(crate) use brief::build::build_log;
pub use brief::hypotheses::ledger;
pub(crate) use code::code_side_by_side;
pub use code::graph;
pub(crate) use columns::{SideBySide, short_files};
pub use comment::{COMMENT, Entry, comment};
pub(crate) use deliverable::DELIVERABLE;
pub use deliverable::deliverable;
pub(crate) use document::CONCLUSIONS;
pub use document::{Align, Block, Cell, Column, Content, Document, Line, Section, Table, Tone};
pub use dump::{Conclusions, Detail, SCHEMA};
pub use faults::faults;
pub(crate) use faults::void_check;
pub use floor::{impossible, of_series};
pub(crate) use groups::distinct;
pub(crate) use heading::Acceptance;
pub use heading::Heading;
pub use history::baselines;
pub(crate) use history::{HISTORY, HistoryRow, history_rows, history_table};
pub(crate) use index::Listed;
pub use index::index;
pub(crate) use listing::source_text;
pub use listing::{CodeRow, CostText, SourceFile, SourceText};
pub(crate) use over_time::sparkline;
pub use page::document;
pub use reason::Reason;
pub(crate) use timeline::{timeline_document, timeline_page};
