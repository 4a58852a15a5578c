//! The readers: one per format, bytes to evidence.
//!
//! Owns the choice of the reader for a file. Receives a path, gives [`crate::evidence`]; judges nothing.

mod attribution;
mod code;
mod kind;
mod launched;
pub mod ncu_csv;
mod nsys;
mod open;
mod profile;
mod sanitizer_xml;

use cuda_binary::text;
pub use cuda_binary::{cubin, ptx, ptxas_log, sass};

pub use crate::evidence::{NameSet, Rules, Want};
pub use attribution::read_source_views;
pub use code::{CodeParts, Neutral, place_lines, read_code};
pub use launched::{benchmark, correctness, read_benchmark, read_collected, read_correctness};
pub use ncu_report::{self, ReadError};
pub use nsys::read_timeline;
pub use open::{open_report, read_all, read_build_log};
pub use profile::{Profile, read_profile};
pub use sanitizer_xml::read_sanitizer;
