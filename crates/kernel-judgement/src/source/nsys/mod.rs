//! Reader of what Nsight Systems gives out: the CSV of `nsys stats`.
//!
//! `stats` cuts the printed text into tables, `header` knows their columns and units, `number` undoes the locale,
//! `rows` makes evidence of a table; `read` joins the files of one run.
//!
//! Reports and their columns are those of NVIDIA's Post-Collection Analysis Guide
//! (<https://docs.nvidia.com/nsight-systems/AnalysisGuide/index.html>, "Statistical Reports Shipped With Nsight
//! Systems"), which also states that times are nanoseconds unless `--timeunit` says otherwise. How headers are printed
//! (`Total Time (ns)`, `Total (MB)`, `Start (ns)`, `Bytes (MB)`), and the lines between the tables, is from output of nsys
//! 2021 to 2025 in public repositories. MB is 10^6 bytes: a copy of 8,388,608 bytes is printed as 8.389.

mod header;
mod read;
mod rows;
mod stats;

pub use read::read_timeline;
