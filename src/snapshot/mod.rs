//! Audits as data: the file beside each page, and what lies in the folder of audits.
//!
//! Owns the snapshot's schema and hash, the pins and acceptances that people write down, and the search for earlier
//! audits of a subject. Receives an analysis with its heading, gives files and earlier audits.

mod error;
mod file;
mod folder;
mod head;
mod notes;
mod record;
mod text;
mod upgrade;

pub use error::SnapshotError;
pub(crate) use file::is_snapshot;
pub use file::{Placed, SCHEMA, Snapshot};
pub(crate) use folder::{Dated, Found, earlier, every, made_from, named, subjects};
pub(crate) use notes::{Accepted, AcceptedFile, Pin, Pinned, Pins, parse_notes};
pub(crate) use record::{Entry, Record};
