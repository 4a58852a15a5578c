//! Steps that the field's tutorials climb, and pairs of an author who did not know the rules: what each page says of them, and what it
//! does not, because it was measured to give nothing or is there.

use crate::judged;
use crate::rules::report;
use kernel_audit::analysis::{Audit, LeverOrigin, Work};
use kernel_audit::catalog::Code;

/// Kernel, code of a row, and how the row begins; no such row where that is `None`.
const ROWS: [(&str, &str, Option<&str>); 28] = [
    // B is asked for as often as A and takes one pass in 33: through a tile of its own it gave 0.1 %.
    ("sgemm_a", "move-constants", None),
    ("sgemm_b", "move-constants", None),
    ("sgemm_b", "reuse-in-sm", Some("Tiles in shared memory: a block loads each value once")),
    ("sgemm_e", "more-warps", Some("Raise occupancy: 128 registers a thread in place of 130 by __launch_bounds__")),
    // All loads are 16 bytes wide, and the tile is 8 × 8.
    ("sgemm_f", "reuse-in-sm", None),
    // Of the instructions 91.5 % are the products.
    ("sgemm_f", "fewer-instructions", Some("Fewer instructions beside the arithmetic")),
    // Loads go out ahead of half of a turn's products.
    ("sgemm_g", "double-buffer", None),
    ("reduce_c", "fewer-barriers", Some("Fewer rounds: several elements a thread in front of them, shuffles")),
    ("reduce_d", "fewer-barriers", Some("Fewer rounds: several elements a thread in front of them, shuffles")),
    ("softmax_c", "fewer-barriers", None),
    ("softmax_a", "coalesce", Some("Coalesce: a warp or a block walks over each row")),
    // L2 is full: smaller blocks lost 2.5 %.
    ("transpose_a", "even-blocks", None),
    ("histo_a", "fewer-atomics", Some("A copy of the words in shared memory for each block")),
    ("hgemm_a", "reuse-in-sm", Some("Tiles in shared memory: a block loads each value once")),
    ("hgemm_b", "double-buffer", Some("Copy the next tile (cp.async")),
    ("layernorm_bwd_before", "fewer-atomics", Some("Blocks that stay and add up several pieces each")),
    ("radix_pass_before", "coalesce", Some("Put the values of a block in order in shared memory")),
    ("keccak_before", "fewer-instructions", None),
    ("row_norms_before", "fewer-barriers", None),
    // Running sums: those of parts can be had first.
    ("column_scan_before", "more-blocks", Some("A scan: parts of the loop side by side")),
    // Four words of one lane, at an address that the data chooses; two words, in a row that several blocks add to.
    ("voxelize_before", "fewer-atomics", Some("Add vectors: one red.global.add.v4.f32")),
    ("voxelize_before", "reuse-in-sm", None),
    ("moe_combine_before", "fewer-atomics", Some("Add nothing in L2: the block that keeps a sum")),
    ("moe_combine_before", "coalesce", None),
    ("compact_before", "fewer-atomics", Some("A scan of the block for the place of each value")),
    ("quant_rows_before", "more-warps", Some("Raise occupancy: blocks of 512 threads over the same shared memory")),
    // Eight lanes read eight values.
    ("dct8_before", "move-constants", Some("Keep the table in shared memory or registers")),
    ("mc_option_before", "fewer-conversions", Some("Compute in single precision")),
];

/// The same of another chip.
const ON_H200: [(&str, &str, Option<&str>); 1] = [("tally_lanes", "reuse-in-sm", Some("Add up inside the SM first"))];

/// The page of a kernel of a report.
fn audit_of(name: &str, kernels: &[&str]) -> Vec<Audit> {
    let (report, views) = report(name);
    let audit = |kernel: &&str| {
        let mut own = report.clone();
        own.launches.retain(|launch| &*launch.function == *kernel);
        let id = own.launches.first().expect(kernel).id;
        let at = views.iter().position(|view| view.launch == id).expect(kernel);
        judged::audit(&own, std::slice::from_ref(&views[at]), &Work::default())
    };
    kernels.iter().map(audit).collect()
}

#[test]
fn each_step_is_named_and_none_that_is_there_or_gives_nothing() {
    let mut wrong = Vec::new();
    let all = [("pairs/h100", &ROWS[..]), ("pairs/h200", &ON_H200[..])].into_iter().flat_map(|(name, rows)| {
        let kernels: Vec<&str> = rows.iter().map(|(kernel, ..)| *kernel).collect();
        rows.iter().zip(audit_of(name, &kernels))
    });
    for ((kernel, code, begins), audit) in all {
        let row = audit.now.levers.iter().find(|lever| lever.code.to_string() == *code);
        let found = row.map(|lever| lever.sentence.to_plain());
        let is_held = match (&found, begins) {
            (Some(found), Some(begins)) => found.starts_with(begins),
            (found, begins) => found.is_none() && begins.is_none(),
        };
        if !is_held {
            wrong.push(format!("{code} of {kernel}: {found:?}, held {begins:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_is_too_little_for_a_row_is_told_where_no_row_stands() {
    let audit = &audit_of("pairs/h200", &["table_hinted"])[0];
    assert!(audit.now.levers.iter().all(|lever| lever.origin != LeverOrigin::Audit));
    let ruled_out = audit.now.bottleneck.ruled_out.as_ref().expect("ruled out").to_plain();
    let told = "Too little for a row: more-in-flight (about 0.8 %; L2 stays at 97.5 %).";
    assert!(ruled_out.starts_with(told), "{ruled_out}");
}

#[test]
fn additions_are_named_where_they_fill_l2() {
    for audit in audit_of("pairs/h100", &["voxelize_before", "moe_combine_before"]) {
        let sentence = audit.now.findings[0].sentence.to_plain();
        assert!(sentence.contains(" of peak: additions are "), "{sentence}");
    }
}

#[test]
fn conversions_without_a_reciprocal_between_them_divide_nothing() {
    let [options, columns] = &audit_of("pairs/h100", &["mc_option_before", "im2col_before"])[..] else { panic!() };
    let divides = |audit: &Audit| audit.now.findings.iter().any(|finding| finding.code == Code::IntegerDivision);
    assert_eq!([options, columns].map(divides), [false, true]);
}
