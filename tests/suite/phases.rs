//! Phases of a kernel: against the numbers that were worked out by hand from the same reports.

use crate::pace::waits_do_not_work;
use cuda_binary::Op;
use kernel_audit::analysis::phases::{
    Amount, CycleUnit, LaneStep, OpcodeRun, Phase, PhaseKind, Phases, StallPlace, Study, Unavoidable, Wait,
    at_their_products, touched_sectors,
};
use kernel_audit::analysis::{self, KernelSummary, groups};
use kernel_audit::evidence::{Correctness, SourceView};
use kernel_audit::source;
use std::path::{Path, PathBuf};

fn fixtures() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

/// What is asked of every kernel of a report, without a disassembler.
fn all<T>(path: &Path, ask: impl Fn(&Study<'_>) -> T) -> Vec<Option<T>> {
    let report = source::read_profile(path, &analysis::want()).unwrap();
    let mut found = Vec::new();
    for group in groups(&report) {
        let launch = group.launches[0];
        let kernel = KernelSummary::new(group);
        let (id, want) = (launch.id, analysis::source_want(&[launch]));
        let views = source::read_source_views(path, &want, |head| head.id == id, &[]).unwrap();
        found.extend(views.iter().map(|view| Study::of(view, &kernel).map(|study| ask(&study))));
    }
    found
}

pub(crate) fn of(name: &str) -> Phases {
    asked(name, Phases::of)
}

/// What is asked of the first kernel of a report.
pub(crate) fn asked<T>(name: &str, ask: impl Fn(&Study<'_>) -> T) -> T {
    all(&fixtures().join(name), ask).into_iter().next().flatten().expect("instructions")
}

/// A number from a page worked out by hand, within a share of it.
#[track_caller]
pub(crate) fn is_near(value: Option<f64>, expected: f64, share: f64) {
    let value = value.expect("a number");
    assert!((value - expected).abs() <= share * expected, "{value} and {expected}");
}

#[track_caller]
pub(crate) fn phase(phases: &Phases, kind: PhaseKind) -> &Phase {
    phases.phase(kind).unwrap_or_else(|| panic!("no {kind:?}"))
}

#[test]
fn a_persistent_product_with_an_exposed_epilogue() {
    let phases = of("collected/patch_embed_gemm/profile.ncu-repz");
    assert_eq!((phases.samples, phases.roles.len(), phases.is_time), (161_464, 1, true));
    assert_eq!((phases.unit, phases.tiles, phases.steps), (Some(CycleUnit::Tile), Some(21_756.0), Some(6.0)));
    is_near(phases.cycles, 15_387.0, 1e-4);
    is_near(phases.tensor, 6_147.0, 1e-4);
    let cycles = |kind| phase(&phases, kind).cycles;
    is_near(cycles(PhaseKind::MainLoop), 8_334.0, 1e-3);
    is_near(cycles(PhaseKind::Epilogue), 7_004.0, 1e-3);
    is_near(cycles(PhaseKind::Copies), 2_857.0, 1e-3);
    is_near(cycles(PhaseKind::ProductsWait), 2_947.0, 1e-3);
    // 1,389 by hand of the elapsed time, in 99.0 % of which an SM holds a block.
    is_near(phases.step_cycles(), 1_375.0, 1e-3);
    // By hand the wait had the addresses in front of the products as well: 1,581 + 693 + 257 with those and the loop's control.
    let parts = [PhaseKind::StageWait, PhaseKind::Issue, PhaseKind::Control].map(|kind| cycles(kind).expect("cycles"));
    is_near(Some(parts.iter().sum()), 2_531.0, 1e-3);
    let tensor = |kind| phase(&phases, kind).tensor;
    assert_eq!((tensor(PhaseKind::Epilogue), tensor(PhaseKind::Prologue)), (Some(0.0), Some(0.0)));
    is_near(tensor(PhaseKind::MainLoop), 6_147.0, 1e-4);
    is_near(phases.step_efficiency, 0.74, 0.01);
}

/// The share of a stall reason in a phase, or in the part of the main loop of that kind.
fn stall(phases: &Phases, reason: &str, kind: PhaseKind) -> Option<f64> {
    let is_there = |stall: &&Wait| match stall.place.expect("a place") {
        StallPlace::Phase { phase, part: None } => phases.phases[phase].kind == kind,
        StallPlace::Phase { phase, part: Some(part) } => phases.phases[phase].parts[part].kind == kind,
        StallPlace::Role { .. } => false,
    };
    phases.stalls_of(reason).find(is_there).map(|stall| stall.share)
}

#[test]
fn the_evidence_of_an_exposed_epilogue() {
    let phases = of("collected/patch_embed_gemm/profile.ncu-repz");
    let epilogue = phase(&phases, PhaseKind::Epilogue);
    let name = epilogue.name.as_ref().expect("a name");
    assert_eq!((name.name.as_str(), name.call.line, name.first, name.last), ("store_tile", 206, 137, 156));
    is_near(epilogue.issue, 2_648.0, 1e-3);
    assert_eq!(epilogue.waits[0].reason, "long_scoreboard");
    is_near(Some(epilogue.waits[0].share), 0.49, 0.01);
    let cause = epilogue.waits[0].groups[0].cause.as_ref().expect("a cause");
    assert_eq!((cause.line, cause.opcode.as_str()), (107, "LDG"));
    is_near(stall(&phases, "long_scoreboard", PhaseKind::Epilogue), 0.85, 0.01);
    is_near(stall(&phases, "barrier", PhaseKind::ProductsWait), 0.83, 0.01);
    is_near(stall(&phases, "barrier", PhaseKind::StageWait), 0.17, 0.03);
    is_near(stall(&phases, "dispatch_stall", PhaseKind::Copies), 0.81, 0.01);
    is_near(phases.drain_in_loop, 0.142, 0.01);
    is_near(Some(phase(&phases, PhaseKind::Copies).cost), 0.142, 0.01);
    is_near(phases.time.last_wave, 0.0011, 0.05);
    assert_eq!(phases.pressure.and_then(|pressure| pressure.is_healthy), Some(false));
    assert!(asked("collected/patch_embed_gemm/profile.ncu-repz", |study| study.fence_chain().is_none()));
    assert_eq!((phases.sites.len(), phases.sites[0].at.line, phases.sites[0].executed), (1, 199, 4_177_152));
    let loads: u64 = phases.accesses.iter().map(|access| access.excess()).sum();
    // By hand 44,556,288; two loads of one row lie in the same 32 bytes behind one register, and are one access.
    assert_eq!(loads, 43_163_904);
    let worst: Vec<_> = phases.accesses.iter().filter(|access| access.excess() > 0).collect();
    // 64 loads a thread by hand; two of them lie in the same sectors as another one, and are one request with it.
    assert_eq!(worst.iter().map(|access| access.requests).sum::<u64>(), 62 * 21_756 * 8, "{worst:?}");
    assert!(worst.iter().all(|access| access.bytes_used() < 32.0 && !access.is_inherent), "{worst:?}");
    let shared = phases.guarded.iter().find(|opcode| opcode.opcode == Op::LDS).expect("guarded loads");
    assert_eq!((shared.executed, shared.exactly()), (7_310_016, Some(0)));
}

#[test]
fn the_evidence_of_a_busy_tensor_pipe() {
    let phases = of("collected/gemm_bf16_cluster/profile.ncu-repz");
    is_near(phases.time.tensor, 0.839, 1e-3);
    is_near(phases.time.idle, 0.108, 0.01);
    is_near(phases.time.empty, 0.053, 0.01);
    is_near(phases.time.last_wave, 0.030, 0.02);
    let pressure = phases.pressure.expect("products");
    is_near(Some(pressure.share), 0.71, 0.02);
    assert_eq!((pressure.is_healthy, phases.drain_in_loop), (Some(true), None));
    let name = phase(&phases, PhaseKind::Epilogue).name.as_ref().expect("a name");
    assert_eq!((name.name.as_str(), name.last), ("store_tile", 185));
    is_near(stall(&phases, "barrier", PhaseKind::ProductsWait), 0.55, 0.03);
    is_near(stall(&phases, "mio_throttle", PhaseKind::Issue), 0.96, 0.01);
    assert!(asked("collected/gemm_bf16_cluster/profile.ncu-repz", |study| study.fence_chain().is_none()));
    assert_eq!(phases.sites[0].at.line, 245);
}

#[test]
fn a_fence_in_the_loop_holds_everybody() {
    let phases = of("collected/gemm_bf16_cluster_fenced/profile.ncu-repz");
    let chain =
        asked("collected/gemm_bf16_cluster_fenced/profile.ncu-repz", |study| study.fence_chain()).expect("a chain");
    assert_eq!(chain.at.line, 80);
    is_near(Some(chain.cost), 0.84, 0.02);
    let fences = phases.guarded.iter().find(|opcode| opcode.opcode == Op::MEMBAR).expect("guarded fences");
    assert_eq!((fences.exactly(), fences.executed - fences.at_most), (Some(282_624), 790_528));
}

#[test]
fn addresses_that_are_data_are_inherent() {
    let phases = of("collected/pointer_chase/profile.ncu-repz");
    let access = &phases.accesses[0];
    assert_eq!((access.at.line, access.requests, access.excess(), access.is_inherent), (16, 135_168, 3_769_761, true));
    // 4.31 million uniform draws from the sectors of 128 MiB touch 86.2 MB.
    let sectors = touched_sectors(4_310_433.0, 134_217_728.0 / 32.0).map(|sectors| sectors * 32.0);
    is_near(sectors, 86.2e6, 1e-3);
    assert_eq!(touched_sectors(1.0, 0.0), None);
}

#[test]
fn index_arithmetic_is_what_only_addresses_need() {
    // Of the 78 instructions that `nvdisasm` lists before the end, 73 make the two addresses: not the load and the store, what they
    // take their descriptor from, the stack pointer that nothing uses, and the exit. Three reciprocals, six conversions.
    let warps = 131_072 * 8;
    let counts = |study: &Study<'_>| (study.index_arithmetic().executed, study.index_arithmetic().on[2]);
    assert_eq!(asked("collected/permute_heads/profile.ncu-repz", counts), (73 * warps, 9 * warps));
    // What comes from memory makes the addresses of the one, and random numbers go into none.
    for name in ["pointer_chase", "philox_pi"] {
        let report = format!("collected/{name}/profile.ncu-repz");
        assert!(asked(&report, counts).0 * 20 < of(&report).roles[0].executed, "{name}");
    }
}

#[test]
fn conflicts_of_look_ups_are_told_from_those_of_a_layout() {
    // Tables that data index; a stack of each thread; rows of a tile.
    let by_data = |name: &str| asked(&format!("collected/{name}/profile.ncu-repz"), |study| study.conflicts_by_data());
    assert_eq!(["aes_ctr", "queens_search", "dp4a_gemm"].map(by_data), [Some(1.0), Some(0.0), Some(0.0)]);
}

#[test]
fn loads_through_an_index_are_told_from_arithmetic() {
    let found = |name: &str| asked(&format!("collected/{name}/profile.ncu-repz"), |study| study.indirection().cloned());
    let lines = |name: &str| found(name).map(|own| (own.index.line, own.load.line));
    // Lines of `kernels/`: page → entry, column → block, key → slot, page → key, column → element of x, index → row.
    let named = ["kv_gather", "block_spmm", "hash_probe", "paged_decode", "spmv_rows", "embedding_bag"].map(lines);
    let expected = [(18, 22), (23, 26), (23, 26), (34, 36), (21, 21), (17, 17)].map(Some);
    assert_eq!(named, expected);
    // A warp of `kv_gather` reads 64 bytes of a row; by the listing 1,910 of 32,918 samples wait for the page and 27,786 for the row.
    let rows = found("kv_gather").expect("an indirection");
    assert_eq!((rows.requests, rows.sectors, rows.ideal, rows.width_bits), (1 << 22, 1 << 23, 1 << 23, None));
    is_near(Some(rows.for_indices), 1_910.0 / 32_918.0, 1e-5);
    is_near(found("hash_probe").map(|own| own.excess()), 1.0 - 9_722_151.0 / 33_560_139.0, 1e-9);
    // Arithmetic on the thread's number, values that only choose a bank, and loads whose next address is their own value.
    for name in
        ["stream_triad", "transpose_naive", "strided_copy", "permute_heads", "dp4a_gemm", "pointer_chase", "bucketize"]
    {
        assert_eq!(found(name), None, "{name}");
    }
}

#[test]
fn a_product_whose_warps_have_roles() {
    let phases = of("collected/gemm_bf16_cluster/profile.ncu-repz");
    let roles: Vec<(u64, u64)> = phases.roles.iter().map(|role| (role.warps, role.start)).collect();
    assert_eq!((roles, phases.pacing, phases.warps), (vec![(8, 0x320), (4, 0x1f20)], 0, 12));
    assert_eq!((phases.unit, phases.tiles, phases.steps), (Some(CycleUnit::Block), Some(512.0), Some(64.0)));
    is_near(phases.cycles, 73_997.0, 1e-4);
    is_near(phases.tensor, 65_536.0, 1e-4);
    let cycles = |kind| phase(&phases, kind).cycles;
    for (kind, expected) in [
        (PhaseKind::MainLoop, 66_657.0),
        // By the listing 18 samples at the question (0x490) and 280 at the jump behind it (0x550), of 18,495 × 8 / 12.
        (PhaseKind::StageWait, 298.0 / 12_330.0 * 73_997.0),
        (PhaseKind::Issue, 26_520.0),
        (PhaseKind::ProductsWait, 5_593.0 / 12_330.0 * 73_997.0),
        (PhaseKind::Drain, 1_284.0),
        (PhaseKind::Epilogue, 2_521.0),
    ] {
        is_near(cycles(kind), expected, 1e-3);
    }
    is_near(cycles(PhaseKind::Prologue), 808.0, 0.02);
    is_near(cycles(PhaseKind::Exit), 2_715.0, 0.01);
    // 66,657 + 1,284 cycles of 64 steps: the products of the last ones run on in the drain.
    is_near(phases.step_cycles(), 1_061.6, 1e-3);
    is_near(phases.step_efficiency, 65_536.0 / 67_941.0, 1e-3);
    // By the listing of the report: the producer is at the mbarrier for the 72 of its first question's answer (0x2120) and the 626
    // of the loop that asks again (0x2490 to 0x24b0).
    assert_eq!(phases.roles[1].at_barriers, Some(698));
    // Each consumer drains its own products while the other one may multiply: no phase is known to be without.
    assert!(phases.phases.iter().all(|phase| phase.tensor != Some(0.0)));
}

#[test]
fn phases_tell_what_they_execute() {
    let phases = of("h200/gemm_bias_v2.ncu-repz");
    let runs = |kind| phase(&phases, kind).opcodes.clone();
    let run = |opcode: &str, count, executed| OpcodeRun { opcode: Op::of(opcode), count, executed };
    let turns = 2048 * 32 * 32;
    assert_eq!(runs(PhaseKind::Compute)[..2], [run("LDS", 64, turns * 64), run("FFMA", 32, turns * 32)]);
    assert_eq!(runs(PhaseKind::Load), [run("LDG", 2, turns * 2), run("STS", 2, turns * 2)]);
    assert!(runs(PhaseKind::MainLoop).is_empty());
    // Padding whose guard is off for all lanes is no load.
    let guarded = of("collected/patch_embed_gemm/profile.ncu-repz");
    assert!(guarded.leaves().flat_map(|phase| &phase.opcodes).all(|run| run.opcode != Op::LDS));
}

#[test]
fn phases_stand_in_the_order_in_which_they_run() {
    let phases = of("collected/layernorm/profile.ncu-repz");
    let found: Vec<PhaseKind> = phases.phases.iter().map(|phase| phase.kind).collect();
    // The loop of the squares has a quarter of the instructions and few samples.
    let loops = [PhaseKind::Loop; 2];
    assert_eq!(found, [&[PhaseKind::Prologue], &loops[..], &[PhaseKind::MainLoop, PhaseKind::Exit]].concat());
}

#[test]
fn products_of_an_unrolled_loop_stand_at_their_call() {
    let path = fixtures().join("collected/gemm_bf16_cluster/profile.ncu-repz");
    let report = source::read_profile(&path, &analysis::want()).unwrap();
    let launch = &report.launches[0];
    let want = analysis::source_want(&[launch]);
    let views = source::read_source_views(&path, &want, |head| head.id == launch.id, &[]).unwrap();
    let view = views.into_iter().next().unwrap();
    let lines = |view: &SourceView| -> Vec<u32> {
        let products = view.instructions.iter().filter(|row| row.op() == Op::HGMMA);
        products.map(|row| row.places.last().map_or(0, |place| place.line)).collect()
    };
    let astray = lines(&view).into_iter().filter(|line| *line != 245).count();
    assert_eq!((astray, lines(&view).len()), (3, 4));
    assert_eq!(lines(&at_their_products(view)), [245; 4]);
}

#[test]
fn what_cannot_be_avoided_follows_from_the_arguments() {
    let launched = |name: &str| {
        let path = fixtures().join(format!("collected/{name}/correctness.json"));
        serde_json::from_str::<Correctness>(&std::fs::read_to_string(path).unwrap()).unwrap().launch
    };
    let least = |name: &str| {
        asked(&format!("collected/{name}/profile.ncu-repz"), |study| {
            Unavoidable::of(Some(&launched(name)), Some((study, &Phases::of(study))), None)
        })
    };
    let bytes = |amount: &Option<Amount>| amount.as_ref().map(|amount| amount.bytes);
    let product = least("patch_embed_gemm");
    is_near(bytes(&product.read), 713.8e6, 1e-3);
    is_near(bytes(&product.write), 1_425.8e6, 1e-3);
    is_near(bytes(&product.operands), 6_416e6, 1e-3);
    // 4.31 million uniform draws from 128 MiB; the report counts 135,168 requests of 32 lanes.
    let chase = least("pointer_chase");
    is_near(bytes(&chase.read), 86.2e6, 3e-3);
    // Steps from slot to slot stay in the sectors that L1 has: 26.2 million were asked for, 2.1 of them keys.
    let probes = asked("collected/hash_probe/profile.ncu-repz", |study| {
        Unavoidable::of(Some(&launched("hash_probe")), Some((study, &Phases::of(study))), Some(26.2e6))
    });
    is_near(bytes(&probes.read), 617e6, 1e-2);
    assert_eq!(Unavoidable::of(None, None, None), Unavoidable::default());
}

#[test]
fn tiles_through_shared_memory_are_cut_at_their_barriers() {
    let phases = of("h200/gemm_bias_v2.ncu-repz");
    assert_eq!((phases.unit, phases.steps, phases.tensor), (Some(CycleUnit::Warp), Some(32.0), None));
    is_near(phases.cycles, 146_500.0, 1e-3);
    is_near(phases.step_cycles(), 4_529.0, 1e-3);
    let parts = &phase(&phases, PhaseKind::MainLoop).parts;
    let found: Vec<(PhaseKind, u32)> = parts.iter().map(|part| (part.kind, part.at.last)).collect();
    let (load, compute) = ((PhaseKind::Load, 18), (PhaseKind::Compute, 20));
    assert_eq!(found, [load, (PhaseKind::Barrier, 18), compute, (PhaseKind::Barrier, 21)]);
    for (part, expected) in parts.iter().zip([877.0, 274.0, 3_229.0, 149.0]) {
        is_near(part.cycles.map(|cycles| cycles / 32.0), expected, 0.01);
    }
}

#[test]
fn a_chain_of_loads_is_one_loop() {
    let phases = of("collected/pointer_chase/profile.ncu-repz");
    assert_eq!((phases.steps, phases.roles.len()), (Some(256.0), 1));
    is_near(Some(phases.share(PhaseKind::MainLoop)), 0.987, 1e-3);
    // By hand from the latency of an issued instruction, which agrees with the resident warps to a fraction of a percent.
    is_near(phases.cycles, 234_269.0, 3e-3);
    is_near(phases.step_cycles(), 903.0, 3e-3);
}

/// Holds the life of a warp, which is cut without rest.
#[track_caller]
pub(crate) fn is_whole(phases: &Phases, name: &str) {
    let sum: f64 = phases.phases.iter().map(|phase| phase.share).sum();
    let is_one_stretch = phases.phases.is_empty();
    assert!(
        (sum - 1.0).abs() < 1e-5 || phases.roles.len() > 1 && (sum - 1.0).abs() < 1e-3 || is_one_stretch,
        "{name}: {sum}"
    );
    for phase in &phases.phases {
        assert!(phase.cost <= phase.share + 1e-12 && phase.cost >= 0.0, "{name}: {phase:?}");
        assert!(phase.cycles.is_none_or(f64::is_finite), "{name}: {phase:?}");
        let parts: f64 = phase.parts.iter().map(|part| part.share).sum();
        assert!(phase.parts.is_empty() || (parts - phase.share).abs() < 1e-5, "{name}: {phase:?}");
    }
    waits_do_not_work(phases, name);
    if phases.roles.len() == 1 && !is_one_stretch {
        let samples: u64 = phases.phases.iter().map(|phase| phase.samples).sum();
        assert_eq!(samples, phases.samples, "{name}");
    }
}

#[test]
fn lanes_are_as_far_apart_as_the_source_says() {
    // A struct of eight floats for each lane; copies of floats that begin inside a sector.
    for (name, bytes) in [("particle_energy", 32), ("misaligned_copy", 4)] {
        let phases = of(&format!("collected/{name}/profile.ncu-repz"));
        let load = phases.accesses.iter().find(|access| access.at.opcode == "LDG").expect("the load");
        assert_eq!(load.step, Some(LaneStep { group: 1, bytes, argument: None }), "{name}");
    }
    // `out[x * n + y]` with x the lane: 4 bytes times n, the third argument, behind two pointers from byte 0x210 on.
    let transpose = of("collected/transpose_naive/profile.ncu-repz");
    let store = transpose.accesses.iter().find(|access| access.at.opcode == "STG").expect("the store");
    assert_eq!(store.step, Some(LaneStep { group: 1, bytes: 4, argument: Some(0x220) }));
    // Where a division makes the address, nothing is said.
    let strided = of("collected/strided_copy/profile.ncu-repz");
    assert!(strided.accesses.iter().all(|access| access.step.is_none()), "{:?}", strided.accesses);
}
