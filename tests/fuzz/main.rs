//! Every reader against input that nobody meant: real files with changes, and structures made at random. A run may end in an
//! answer or an error, within [`TIME`] and [`MEMORY`]; a panic, an abort or more than that fails.
//!
//! The tests make few runs. For more: `AUDIT_FUZZ_RUNS=77000 cargo test --release --test fuzz`, more than a million in all;
//! `AUDIT_FUZZ_SEED` begins elsewhere. An input that fails is kept under `target/fuzz`.

#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::disallowed_methods, reason = "tests")]

#[path = "../../crates/ncu-report/tests/fuzz/change.rs"]
mod change;
#[path = "../../crates/ncu-report/tests/fuzz/elf.rs"]
mod elf;
mod made;
#[path = "../../crates/ncu-report/tests/fuzz/made_report.rs"]
mod made_report;
#[path = "../../crates/ncu-report/tests/fuzz/meter.rs"]
mod meter;
#[path = "../../crates/ncu-report/tests/fuzz/parts.rs"]
mod parts;
#[path = "../../crates/ncu-report/tests/fuzz/target.rs"]
mod target;
mod targets;

macro_rules! targets {
    ($($name:ident),* $(,)?) => {
        $(#[test]
        fn $name() {
            targets::$name().test();
        })*
    };
}

targets!(
    source_view,
    ncu_csv,
    ptxas_log,
    sass_text,
    cubin,
    ptx,
    sanitizer_xml,
    nsys_csv,
    launched_json,
    snapshot_json,
    audit_toml,
    template,
    page_of_a_report,
    page_of_report_parts,
    page_of_a_snapshot,
    page_of_snapshot_parts,
);
