//! Audits as data: the file beside each page, and what lies in the folder of audits.
//!
//! Owns the snapshot's schema and hash, the pins and acceptances that people write down, and the search for earlier
//! audits of a subject. Receives an analysis with its heading, gives files and earlier audits.

mod accepted;
mod error;
mod file;
mod folder;
mod hash;
mod head;
mod json;
mod pins;
mod record;
mod upgrade;

pub(crate) use accepted::{Accepted, AcceptedFile, parse_notes};
pub use error::SnapshotError;
pub(crate) use file::is_snapshot_like;
pub use file::{Placed, SCHEMA, Snapshot};
pub(crate) use folder::{Dated, Found, earlier, every, made_from, named, subjects};
pub(crate) use pins::{Pin, Pinned, Pins};
pub(crate) use record::{Entry, Record};
