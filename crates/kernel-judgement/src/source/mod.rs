//! The readers: one per format, bytes to evidence.
//!
//! Owns the choice of the reader for a file. Receives a path, gives [`crate::evidence`]; judges nothing.

mod attribution;
mod code;
mod junit;
mod kind;
mod launched;
pub mod ncu_csv;
mod nsys;
mod open;
mod profile;
mod sanitizer_xml;
mod told_times;

use cuda_binary::text;
pub use cuda_binary::{cubin, ptx, ptxas_log, sass};

pub use crate::evidence::{NameSet, Rules, Want};
pub use attribution::read_source_views;
pub use code::place_lines;
pub use code::{CodeParts, Neutral, read_code};
pub use junit::{junit, read_junit};
pub use launched::{bench, read_bench, read_benchmark, read_collected, read_correctness};
pub use launched::{benchmark, correctness};
pub use ncu_report;
pub use ncu_report::ReadError;
pub use nsys::read_timeline;
pub use open::read_build_log;
pub use open::{open_report, read_all, read_unpacked};
pub use profile::{Profile, read_profile};
#[cfg(feature = "sqlite")]
pub use rusqlite;
pub use sanitizer_xml::read_sanitizer;
pub use told_times::TimeUnit;
pub use told_times::{Wanted, told_times};
