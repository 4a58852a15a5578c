//! The page as finished strings: what a template prints and nothing else.
//!
//! Owns the model of a document, the words of each section, and the escaping of data inside them. Receives an
//! analysis, gives a [`Document`]. A template never compares, rounds or concludes; it places these strings.

mod benchmark;
mod brief;
mod build;
mod ceiling;
pub mod charts;
mod checklist;
mod clock_steps;
mod coalescing;
mod code;
mod collection;
mod columns;
mod comment;
mod conditions;
mod configurations;
mod correctness;
mod deliverable;
mod document;
mod dump;
mod dump_brief;
mod estimates;
mod faults;
mod flows;
mod heading;
mod history;
mod hypotheses;
mod index;
mod instructions;
mod lead;
mod listing;
mod log;
pub mod names;
mod occupancy;
mod page;
mod performance;
mod phases;
mod provenance;
mod reason;
mod roofline;
mod sanitizer;
mod source_lines;
mod spots;
mod stalls;
mod tables;
mod throughput;
mod timeline;
mod verdict;

pub use code::{code_side_by_side, graph};
pub use columns::{short_files, side_by_side};
pub use comment::{COMMENT, COMMENT_MARKER, Entry, comment};
pub use deliverable::{DELIVERABLE, deliverable};
pub use document::{Align, Block, CONCLUSIONS, Cell, Column, Content, Document, Line, Section, Table, Tone};
pub use dump::{SCHEMA, write_json};
pub use dump_brief::{BRIEF_SCHEMA, write_brief};
pub use faults::{faults, void_check};
pub use heading::{Acceptance, Heading};
pub use history::{HistoryRow, baselines, history_rows, history_table};
pub use hypotheses::ledger;
pub use index::{Listed, index};
pub use listing::{CodeRow, CostText, SourceFile, SourceText, source_text};
pub use log::build_log;
pub use page::document;
pub use reason::Reason;
pub use timeline::{timeline_document, timeline_page};
