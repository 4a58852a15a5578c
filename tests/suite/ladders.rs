//! Steps that the field's tutorials climb, and pairs of an author who did not know the rules: what each page says of them, and what it
//! does not, because it was measured to give nothing or is there.

use crate::judged;
use crate::rules::report;
use kernel_audit::analysis::{Audit, Work};

/// Kernel, code of a row, and how the row begins; no such row where that is `None`.
const ROWS: [(&str, &str, Option<&str>); 27] = [
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
    // A lane walks over a list of 31 words in the mean, four steps a turn; the look-ups beside are the data's.
    ("bfs_expand_before", "coalesce", Some("Coalesce: a warp, or a part of one, walks over each list")),
    // A probe of a table goes on for a step or two.
    ("hash_probe_before", "coalesce", None),
    // The second loop reads a gain beside the row; a warp's row comes from L2 in part.
    ("cluster_norm_before", "fewer-passes", Some("Read the input once")),
    ("xent_before", "fewer-passes", Some("Read the input once")),
    // The lengths of the pieces are loaded.
    ("ragged_queue_before", "even-blocks", Some("Let the blocks take their pieces from a queue, the longest first")),
    // Blocks take pieces of equal length.
    ("adamw_before", "even-blocks", None),
    // Few lanes divide zero, in a function of the compiler.
    ("fft1024_before", "regroup", None),
    ("fft1024_before", "fewer-instructions", Some("Divide by the fast intrinsic")),
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
