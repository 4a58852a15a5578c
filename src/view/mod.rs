//! The page as finished strings: what a template prints and nothing else.
//!
//! Owns the model of a document and the only number-to-text code. Receives an analysis, gives a [`Document`].
//! A template never compares, rounds or concludes; it places these strings.

mod document;

pub use document::{Align, Block, Cell, Column, Document, Section, Table};
