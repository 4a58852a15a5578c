//! The test suite: one binary, one module per part of the product.

#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::disallowed_methods, reason = "tests")]

mod action;
mod blackwell;
mod brief_sections;
mod build;
mod build_tools;
mod calibration;
mod catalog;
mod charts;
mod check;
mod checklist;
mod cli;
#[cfg(unix)]
mod code_alone;
mod collect;
mod collect_launcher;
#[cfg(unix)]
mod collect_timeline;
mod committed;
mod compare;
mod config;
mod diagnosis;
mod dump_analysis;
mod edited;
#[cfg(unix)]
mod explained;
mod foreign_files;
mod full_disk;
mod guide;
mod history;
mod honoured;
mod hostile;
mod html;
mod hypotheses;
mod judged;
mod kept;
mod labelled;
mod labelled_fields;
mod labelled_unseen;
mod launch;
mod layers;
mod levers;
mod life;
mod literals;
mod made_report;
mod missing_tools;
mod old_side;
mod open_files;
mod over_time;
mod packed;
mod page;
mod phases;
mod pr;
mod project;
mod public;
mod public_evidence;
mod read_cubin;
mod read_ncu;
mod read_ncu_csv;
mod read_ptxas;
mod read_sass;
mod release;
mod render;
mod roles;
mod roofline;
mod rules;
mod same_kernel;
mod series;
mod several_kernels;
#[path = "../../benches/support/simulation.rs"]
mod simulation;
mod snapshot;
mod source_lines;
mod source_view;
mod stale;
mod templates;
mod terminal;
mod timeline;
mod trials;
mod turns;
mod variants;
mod verdicts;
mod words;
mod written;
