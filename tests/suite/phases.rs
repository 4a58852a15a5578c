//! Phases of a kernel: against the numbers that were worked out by hand from the same reports.

use kernel_audit::analysis::phases::{CycleUnit, Phase, PhaseKind, Phases};
use kernel_audit::analysis::{self, KernelSummary, groups};
use kernel_audit::source;
use std::path::{Path, PathBuf};

fn fixtures() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

/// The phases of every kernel of a report, without a disassembler.
fn all(path: &Path) -> Vec<Option<Phases>> {
    let report = source::read_profile(path, &analysis::want()).unwrap();
    let mut found = Vec::new();
    for group in groups(&report) {
        let kernel = KernelSummary::new(group);
        let launch = kernel.first();
        let (id, want) = (launch.id, analysis::source_want(&[launch]));
        let views = source::read_source_views(path, &want, |head| head.id == id, &[]).unwrap();
        found.extend(views.iter().map(|view| Phases::of(view, &kernel)));
    }
    found
}

fn of(name: &str) -> Phases {
    all(&fixtures().join(name)).into_iter().next().flatten().expect("phases")
}

/// A number from a page worked out by hand, within a share of it.
#[track_caller]
fn is_near(value: Option<f64>, expected: f64, share: f64) {
    let value = value.expect("a number");
    assert!((value - expected).abs() <= share * expected, "{value} and {expected}");
}

#[track_caller]
fn phase(phases: &Phases, kind: PhaseKind) -> &Phase {
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
    is_near(cycles(PhaseKind::Control), 257.0, 0.01);
    is_near(phases.step_cycles(), 1_389.0, 1e-3);
    // By hand the instruction behind the barrier, where its waits are sampled, went to the wait with all its samples.
    is_near(cycles(PhaseKind::StageWait), 1_581.0, 0.03);
    is_near(cycles(PhaseKind::Issue), 693.0, 0.06);
    let tensor = |kind| phase(&phases, kind).tensor;
    assert_eq!((tensor(PhaseKind::Epilogue), tensor(PhaseKind::Prologue)), (Some(0.0), Some(0.0)));
    is_near(tensor(PhaseKind::MainLoop), 6_147.0, 1e-4);
    is_near(phases.step_efficiency, 0.74, 0.01);
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
        (PhaseKind::StageWait, 5_257.0),
        (PhaseKind::Issue, 26_520.0),
        (PhaseKind::ProductsWait, 33_614.0),
        (PhaseKind::Drain, 1_284.0),
        (PhaseKind::Epilogue, 2_521.0),
    ] {
        is_near(cycles(kind), expected, 1e-3);
    }
    is_near(cycles(PhaseKind::Prologue), 808.0, 0.02);
    is_near(cycles(PhaseKind::Exit), 2_715.0, 0.01);
    is_near(phases.step_cycles(), 1_042.0, 1e-3);
    is_near(phases.step_efficiency, 0.983, 1e-3);
    // Each consumer drains its own products while the other one may multiply: no phase is known to be without.
    assert!(phases.phases.iter().all(|phase| phase.tensor != Some(0.0)));
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

/// The reports of a folder and of the folders in it that can be read.
fn reports(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(reports(&path));
        } else if path.extension().is_some_and(|extension| extension == "ncu-repz") {
            found.push(path);
        }
    }
    found.sort();
    found
}

#[track_caller]
fn is_whole(phases: &Phases, path: &Path) {
    let name = path.display();
    let sum: f64 = phases.phases.iter().map(|phase| phase.share).sum();
    assert!((sum - 1.0).abs() < 1e-9 || phases.roles.len() > 1 && sum > 0.9, "{name}: {sum}");
    for phase in &phases.phases {
        assert!(phase.cost <= phase.share + 1e-12 && phase.cost >= 0.0, "{name}: {phase:?}");
        assert!(phase.cycles.is_none_or(f64::is_finite), "{name}: {phase:?}");
        let parts: f64 = phase.parts.iter().map(|part| part.share).sum();
        assert!(phase.parts.is_empty() || (parts - phase.share).abs() < 1e-9, "{name}: {phase:?}");
    }
    if phases.roles.len() == 1 {
        let samples: u64 = phases.phases.iter().map(|phase| phase.samples).sum();
        assert_eq!(samples, phases.samples, "{name}");
    }
    let text = serde_json::to_string(phases).unwrap();
    assert!(text.len() < 16 << 10, "{name}: {} bytes", text.len());
    assert_eq!(&serde_json::from_str::<Phases>(&text).unwrap(), phases, "{name}");
}

#[test]
fn the_life_of_a_warp_is_cut_without_rest() {
    let mut seen = 0;
    for path in reports(&fixtures()) {
        if source::read_profile(&path, &analysis::want()).is_err() {
            continue;
        }
        for phases in all(&path).iter().flatten() {
            is_whole(phases, &path);
            seen += 1;
        }
    }
    assert!(seen > 30, "{seen}");
}
