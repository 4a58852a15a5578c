//! Audits as data: the file beside each page, and what lies in the folder of audits.
//!
//! Owns the snapshot's schema and hash, the pins and acceptances that people write down, and the search for earlier
//! audits of a subject. Receives an analysis with its heading, gives files and earlier audits.

mod accepted;
mod error;
mod file;
mod folder;
mod hash;
mod json;
mod pins;
mod upgrade;

pub(crate) use accepted::change;
pub use accepted::{Accepted, AcceptedFile, Measured, Of};
pub use error::SnapshotError;
pub use file::{SCHEMA, Snapshot, is_snapshot_like};
pub(crate) use folder::named;
pub use folder::{Dated, Found, earlier, made_from, milestones, newest, subjects};
pub use pins::{Pin, Pinned, Pins};
