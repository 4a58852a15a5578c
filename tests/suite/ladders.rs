//! Steps that the field's tutorials climb, and pairs of an author who did not know the rules: what each page says of them, and what it
//! does not, because it was measured to give nothing or is there.

use crate::judged;
use crate::rules::report;
use kernel_audit::analysis::{Audit, LeverOrigin, Work};

/// Kernel, code of a row, and how the row begins; no such row where that is `None`.
const ROWS: [(&str, &str, Option<&str>); 21] = [
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
    // Halves that are converted for each product; `sgemm_b` multiplies floats.
    ("lora_down_before", "tensor-generation", Some("Multiply on the tensor pipe, by mma.sync in FP16")),
    ("sgemm_b", "tensor-generation", None),
];

#[test]
fn each_step_is_named_and_none_that_is_there_or_gives_nothing() {
    let (mut report, views) = report("pairs/h100");
    report.launches.retain(|launch| ROWS.iter().any(|(kernel, ..)| &*launch.function == *kernel));
    let audit = |kernel: &str| -> Audit {
        let mut own = report.clone();
        own.launches.retain(|launch| &*launch.function == kernel);
        let id = own.launches.first().expect(kernel).id;
        let at = views.iter().position(|view| view.launch == id).expect(kernel);
        judged::audit(&own, std::slice::from_ref(&views[at]), &Work::default())
    };
    let mut wrong = Vec::new();
    for (kernel, code, begins) in ROWS {
        let audit = audit(kernel);
        let row = audit.now.levers.iter().find(|lever| lever.code.to_string() == code);
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
    let (mut report, views) = report("pairs/h200");
    report.launches.retain(|launch| &*launch.function == "table_hinted");
    let id = report.launches.first().expect("table_hinted").id;
    let at = views.iter().position(|view| view.launch == id).expect("table_hinted");
    let audit = judged::audit(&report, std::slice::from_ref(&views[at]), &Work::default());
    assert!(audit.now.levers.iter().all(|lever| lever.origin != LeverOrigin::Audit));
    let ruled_out = audit.now.bottleneck.ruled_out.expect("ruled out").to_plain();
    let told = "Too little for a row: more-in-flight (about 0.8 %; L2 stays at 97.5 %).";
    assert!(ruled_out.starts_with(told), "{ruled_out}");
}
