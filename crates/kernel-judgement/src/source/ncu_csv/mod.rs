//! Reader of what `ncu --csv` prints: the pages `raw` and `details`, alone or mixed with ncu's messages and the output
//! of the profiled program.
//!
//! `records` cuts the text into pieces, `table` has the rows of a table, `number` and `unit` undo locale and prefixes, `raw` and `details` read one page
//! each, `sentences` what rules say in numbers, `launch` makes the launches.

mod details;
mod launch;
#[cfg(test)]
pub(crate) mod made;
mod number;
mod raw;
mod read;
mod records;
mod sentences;
mod table;
mod unit;

pub(super) use read::Page;
pub use read::{looks_like, read};
pub use table::CsvPage;

/// The format of a report that is a page of details.
pub const DETAILS: &str = "ncu-details-csv";
