//! Inside one process: reading a report, with and without decoding everything.

#[expect(dead_code, reason = "each benchmark uses a part of the shared file")]
mod support;

use criterion::{Criterion, criterion_group, criterion_main};
use kernel_audit::{analysis, evidence::Want, source::ncu_report};
use std::hint::black_box;

fn reading(c: &mut Criterion) {
    let report = support::fixture("gemm_bias_v1.ncu-rep");
    let page = Want { hash: false, ..analysis::want() };
    let all = Want { hash: false, unknown_fields: false, ..Want::everything() };
    c.bench_function("gemm_bias_v1: what a page needs", |b| b.iter(|| black_box(ncu_report::read(&report, &page))));
    c.bench_function("gemm_bias_v1: every metric and instance", |b| {
        b.iter(|| black_box(ncu_report::read(&report, &all)))
    });
}

criterion_group!(benches, reading);
criterion_main!(benches);
