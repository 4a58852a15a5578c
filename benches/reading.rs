//! Inside one process: reading a report, with and without decoding everything.

#![allow(clippy::disallowed_methods, reason = "a benchmark runs programs and measures time")]

#[expect(dead_code, reason = "each benchmark uses a part of the shared file")]
mod support;

use criterion::{Criterion, criterion_group, criterion_main};
use kernel_audit::{
    analysis,
    evidence::{Origin, Want},
    source::{ncu_report, sass},
};
use std::hint::black_box;

fn reading(c: &mut Criterion) {
    let report = support::fixture("gemm_bias_v1.ncu-repz");
    let page = Want { hash: false, ..analysis::want() };
    let all = Want { hash: false, ..Want::everything() };
    c.bench_function("gemm_bias_v1: what a page needs", |b| b.iter(|| black_box(ncu_report::read(&report, &page))));
    c.bench_function("gemm_bias_v1: every metric and instance", |b| {
        b.iter(|| black_box(ncu_report::read(&report, &all)))
    });
}

/// A disassembly of one megabyte: the functions of a captured one under fresh names.
fn disassembly(c: &mut Criterion) {
    let seed = std::fs::read_to_string(support::fixture("devset.sass")).expect("the fixture is there");
    let mut text = seed.clone();
    let mut copy = 0;
    while text.len() < 1 << 20 {
        copy += 1;
        text += &seed.replace("Function : ", &format!("Function : copy{copy}_"));
    }
    text.truncate(1 << 20);
    c.bench_function("1 MiB of SASS", |b| b.iter(|| black_box(sass::read(text.as_bytes(), Origin::default(), ""))));
}

criterion_group!(benches, reading, disassembly);
criterion_main!(benches);
