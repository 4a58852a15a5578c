//! Reader of what Nsight Systems gives out: the CSV of `nsys stats`, and the SQLite database of `nsys export`.
//!
//! `stats` cuts the printed text into tables, `header` knows their columns and units, `number` undoes the locale,
//! `rows` makes evidence of a table; `sqlite` asks the database; `read` joins the files of one run.
//!
//! Reports and their columns are those of NVIDIA's Post-Collection Analysis Guide
//! (<https://docs.nvidia.com/nsight-systems/AnalysisGuide/index.html>, "Statistical Reports Shipped With Nsight
//! Systems"), which also states that times are nanoseconds unless `--timeunit` says otherwise; tables and columns of
//! the database are those of the SQLite Export Schema Reference
//! (<https://docs.nvidia.com/nsight-systems/2021.5/nsys-exporter/exported_data.html>), which also states that a table
//! is only made when there is something to put into it. How headers are printed (`Total Time (ns)`, `Total (MB)`,
//! `Start (ns)`, `Bytes (MB)`), and the lines between the tables, is from output of nsys 2021 to 2025 in public
//! repositories. MB is 10^6 bytes: a copy of 8,388,608 bytes is printed as 8.389.

mod header;
mod read;
mod rows;
#[cfg(feature = "sqlite")]
mod sqlite;
mod stats;

pub use read::read_timeline;
