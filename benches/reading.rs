//! Inside one process: reading a report, with and without decoding everything.

#![allow(clippy::disallowed_methods, reason = "a benchmark runs programs and measures time")]

#[expect(dead_code, reason = "each benchmark uses a part of the shared file")]
mod support;

use kernel_audit::{
    analysis,
    evidence::{Origin, Want},
    source::{ncu_report, sass},
};
use std::hint::black_box;
use std::time::Instant;

const RUNS: usize = 101;

fn main() {
    let report = support::fixture("gemm_bias_v1.ncu-repz");
    let page = Want { hash: false, ..analysis::want() };
    let all = Want { hash: false, ..Want::everything() };
    let text = disassembly();
    println!("| read | ms: min | median | max |\n| --- | ---: | ---: | ---: |");
    timed("gemm_bias_v1: what a page needs", || ncu_report::read(&report, &page));
    timed("gemm_bias_v1: every metric and instance", || ncu_report::read(&report, &all));
    timed("1 MiB of SASS", || sass::read(text.as_bytes(), Origin::default(), ""));
}

/// Prints a row of what one call takes, after one that is not counted.
fn timed<T>(name: &str, mut call: impl FnMut() -> T) {
    let mut once = || {
        let begin = Instant::now();
        black_box(call());
        begin.elapsed().as_secs_f64() * 1e3
    };
    once();
    let (least, median, most) = support::spread((0..RUNS).map(|_| once()).collect());
    println!("| {name} | {least:.2} | {median:.2} | {most:.2} |");
}

/// A disassembly of one megabyte: the functions of a captured one under fresh names.
fn disassembly() -> String {
    let seed = std::fs::read_to_string(support::fixture("devset.sass")).expect("the fixture is there");
    let mut text = seed.clone();
    let mut copy = 0;
    while text.len() < 1 << 20 {
        copy += 1;
        text += &seed.replace("Function : ", &format!("Function : copy{copy}_"));
    }
    text.truncate(1 << 20);
    text
}
