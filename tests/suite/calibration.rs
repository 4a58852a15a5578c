//! Ceilings of the old side against what the change saved, for every pair of versions in the repository.

use crate::judged;
use crate::written::is_as_written;
use kernel_audit::analysis::{self, Audit, Limits, PredictionMet, Selection, Work, want};
use kernel_audit::evidence::{Report, SourceView};
use kernel_audit::source;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Old and new, as (folder, file) under the fixtures. A new version stands behind the one that it was made from.
const SERIES: [&[&str]; 8] = [
    &["h200/gemm_bias_v1", "h200/gemm_bias_v2"],
    &["labelled/transpose_naive", "labelled/transpose_tiled", "labelled/transpose_padded"],
    &["collected/transpose_naive", "collected/transpose_tiled", "collected/transpose_padded"],
    &["collected/gemm_bf16_cluster_fenced", "collected/gemm_bf16_cluster"],
    &["collected/gemv_bf16", "collected/gemv_bf16_wide"],
    &["collected/dp4a_gemm", "collected/dp4a_gemm_padded"],
    &["collected/narrow_products", "collected/narrow_products_wide"],
    &[
        "collected/patch_embed_gemm_mma",
        "collected/patch_embed_gemm",
        "collected/patch_embed_gemm_1_tma",
        "collected/patch_embed_gemm_2_resident",
        "collected/patch_embed_gemm_3_multicast",
        "collected/patch_embed_gemm_4_position",
        "collected/patch_embed_gemm_5_staged",
        "collected/patch_embed_gemm_6_permuted",
        "collected/patch_embed_gemm_7_runs",
        "collected/patch_embed_gemm_8_prefetch",
    ],
];

/// A saving below this many percent of the old time is within the noise of one launch.
const LEAST: f64 = 2.0;

fn path(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    if name.starts_with("collected") {
        folder.join(name).join("profile.ncu-repz")
    } else {
        folder.join(format!("{name}.ncu-repz"))
    }
}

fn read(name: &str) -> (Report, Vec<SourceView>) {
    let path = path(name);
    let report = source::read_profile(&path, &want()).unwrap();
    let launch = analysis::subject_launch(&report, &Selection::default()).unwrap();
    let (id, want) = (launch.id, analysis::source_want(&[launch]));
    let views = source::read_source_views(&path, &want, |head| head.id == id, &[]).unwrap();
    (report, views)
}

fn beside(new: &(Report, Vec<SourceView>), old: &(Report, Vec<SourceView>)) -> Audit {
    let evidence = judged::since(judged::evidence(&new.0, &new.1, &Work::default()), &old.0, &old.1);
    analysis::audit(&evidence, &Limits::default())
}

#[test]
fn no_ceiling_is_exceeded_but_by_a_unit_whose_work_fell() {
    let mut text = String::from(
        "| old → new | saved | lever that the change pulled | ceiling | outcome |\n| --- | ---: | --- | ---: | --- |\n",
    );
    let mut violations = Vec::new();
    for series in SERIES {
        let versions: Vec<_> = series.iter().map(|name| read(name)).collect();
        for at in 1..series.len() {
            let audit = beside(&versions[at], &versions[at - 1]);
            let estimates = &audit.change.as_ref().unwrap().estimates;
            let gained = judged::gained(&audit);
            let last = |name: &str| name.rsplit('/').next().unwrap().to_owned();
            let pair = format!("`{}` → `{}`", last(series[at - 1]), last(series[at]));
            let pulled: Vec<_> = estimates.pulled().collect();
            if gained < LEAST || pulled.is_empty() {
                let why = if gained < LEAST {
                    "nothing was saved"
                } else {
                    "no lever of the old side: its readings did not move"
                };
                writeln!(text, "| {pair} | {gained:.1} % | | | {why} |").unwrap();
                continue;
            }
            for lever in pulled {
                let outcome = match (lever.met, &estimates.fell) {
                    (Some(PredictionMet::Exceeded), Some((label, by))) => {
                        format!("exceeded: the work of {label} fell by {by:.1} %")
                    }
                    (Some(PredictionMet::Exceeded), None) => {
                        violations.push(format!("{pair}: {} ≤ {:?} %, saved {gained:.1} %", lever.code, lever.bound));
                        "VIOLATION".to_owned()
                    }
                    (Some(PredictionMet::Pulled), _) => "pulled".to_owned(),
                    _ => "within".to_owned(),
                };
                let about = if lever.is_rough { "about " } else { "≤ " };
                let bound = lever.bound.map_or("no bound".to_owned(), |bound| format!("{about}{bound:.1} %"));
                writeln!(text, "| {pair} | {gained:.1} % | `{}` | {bound} | {outcome} |", lever.code).unwrap();
            }
        }
    }
    println!("{text}");
    assert!(violations.is_empty(), "{violations:#?}");
    is_as_written(&Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/evidence/calibration.md"), &text);
}
