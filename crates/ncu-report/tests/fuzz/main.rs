//! The reader against reports that nobody meant: a real one with changes, and such as are made at random. A run may end in a
//! report or an error, within [`target::TIME`] and [`target::MEMORY`]; a panic, an abort or more than that fails.
//!
//! For more than a few runs: `AUDIT_FUZZ_RUNS=100000 cargo test --release -p ncu-report --test fuzz`.

#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::disallowed_methods, reason = "tests")]

mod change;
mod elf;
mod made_report;
mod meter;
mod parts;
mod target;

use change::Random;
use ncu_report::{NcuReport, Want, public_report, read};
use std::path::Path;
use target::{Scratch, Target};

/// A report with a kernel, its metrics and a name that no result has.
fn packed() -> Vec<u8> {
    let path = "../../tests/fixtures/h200/badmetric_dropped.ncu-repz";
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

fn run(path: &Path) {
    let want = Want { hash: false, ..Want::everything() };
    let _ = read(path, &want);
    if let Ok(report) = NcuReport::open(path, true) {
        let _ = report.sources();
        let _ = report.read(&want);
    }
    let _ = public_report(&std::fs::read(path).unwrap(), &|command| command.to_owned());
}

#[test]
fn plain() {
    let file = Scratch::new("x.ncu-rep");
    let target = Target {
        name: "plain",
        seeds: vec![zstd::decode_all(packed().as_slice()).unwrap()],
        words: &["NVR\0", "\u{a}\u{2}", "gpu__time_duration.sum", "\u{1a}\0", "\x7fELF"],
        made: Some(made_report::report),
        runs: 60,
        run: Box::new(move |input| run(file.put(input))),
    };
    target.test();
}

#[test]
fn parts_of_a_report() {
    static WHOLE: std::sync::LazyLock<Vec<u8>> =
        std::sync::LazyLock::new(|| zstd::decode_all(packed().as_slice()).unwrap());
    let file = Scratch::new("x.ncu-rep");
    let target = Target {
        name: "parts",
        seeds: Vec::new(),
        words: &[],
        made: Some(|random| parts::changed(random, &WHOLE)),
        runs: 60,
        run: Box::new(move |input| run(file.put(input))),
    };
    target.test();
}

/// A report in frames of any size, with frames between them that are passed over, and some of it changed.
fn frames(random: &mut Random) -> Vec<u8> {
    let report = made_report::report(random);
    let mut packed = Vec::new();
    for piece in report.chunks(1 + random.below(report.len())) {
        if random.one_in(3) {
            let size = if random.one_in(4) { random.edge() as u32 } else { 16 };
            packed.extend(0x184d_2a50_u32.wrapping_add(random.below(16) as u32).to_le_bytes());
            packed.extend(size.to_le_bytes());
            packed.extend([0; 16]);
        }
        packed.extend(zstd::encode_all(piece, 1 + random.below(3) as i32).unwrap());
        if packed.len() > 1 << 20 {
            break;
        }
    }
    if random.one_in(2) { random.changed(&packed, &["\x28", "\0\0\0\0"]) } else { packed }
}

#[test]
fn repz() {
    let file = Scratch::new("x.ncu-repz");
    let target = Target {
        name: "repz",
        seeds: vec![packed(), zstd::encode_all(&b"NVR\0"[..], 1).unwrap()],
        words: &["\x28", "\0\0\0\0"],
        made: Some(frames),
        runs: 60,
        run: Box::new(move |input| run(file.put(input))),
    };
    target.test();
}
