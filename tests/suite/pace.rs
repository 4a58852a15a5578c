//! Who sets the pace of a kernel whose warps have roles, and what of its time is waiting: against samples counted by hand.

use crate::committed::{self, Judged};
use crate::phases::{is_near, of, phase};
use kernel_audit::analysis::phases::{CycleUnit, Pace, Phase, PhaseKind, Phases};

#[test]
fn warpgroups_that_take_tiles_in_turn() {
    // Three of four producer warps end at once, so that a consumer has more than its part of the samples.
    let phases = of("collected/patch_embed_gemm_8_prefetch/profile.ncu-repz");
    assert_eq!((phases.roles.len(), phases.unit, phases.in_turn), (2, Some(CycleUnit::Tile), Some(2)));
    // 74 tiles of 64 images at each of 196 positions, for each of 4 slices of the columns: 4 warps of one warpgroup compute one.
    assert_eq!((phases.tiles, phases.steps), (Some(74.0 * 196.0 * 4.0), Some(1.0)));
    assert_eq!(phases.step_cycles(), None, "a turn of the loop is a tile");
    // 24 products of 64 x 192 x 32 take 96 cycles each: 2,304 for a tile, and two are computed in the time of one.
    is_near(phases.tensor, 2.0 * 24.0 * 96.0, 0.013);
    is_near(phases.step_efficiency, 0.943 / 0.985 / 0.997, 2e-3);
    assert_eq!(phases.pressure.and_then(|pressure| pressure.is_healthy), Some(true));
    assert_eq!(phases.pace, Some(Pace::Role(phases.pacing)));
    // Samples by `audit dump source`. The turn: the question at 0x14e0, the jump behind it. The loop that asks again (0x4870
    // to 0x4890) stands out of line. The first instruction that writes a register which a store of the tile before still reads (0x6b0).
    let samples = |kind| phase(&phases, kind).samples;
    assert_eq!(samples(PhaseKind::TurnWait), 195 + 5_977);
    assert_eq!(samples(PhaseKind::StoreWait), 11_440);
    // Six WARPGROUP.DEPBAR of the products of steps, one of those of the tile (0x2700).
    assert_eq!(samples(PhaseKind::ProductsWait), 3_759 + 2_674 + 2_784 + 2_896 + 2_946);
    assert_eq!(samples(PhaseKind::Drain), 4_941);
    let wait = [62 + 351, 65 + 331, 64 + 353, 62 + 336, 78 + 334, 67 + 604];
    assert_eq!(samples(PhaseKind::StageWait), wait.iter().sum::<u64>());
    let epilogue = phase(&phases, PhaseKind::Epilogue);
    let name = epilogue.name.as_ref().expect("the name in the line table");
    assert_eq!((name.name.as_str(), name.call.line, epilogue.in_flight), ("store_tile", 309, Some(false)));
    is_near(Some(epilogue.share), 0.308, 2e-3);
    assert_eq!(
        (phase(&phases, PhaseKind::TurnWait).in_flight, phase(&phases, PhaseKind::Issue).in_flight),
        (Some(false), Some(true))
    );
    // The stores of the step before are started by one thread of each warpgroup; the tile is theirs all the same.
    let staged = of("collected/patch_embed_gemm_5_staged/profile.ncu-repz");
    assert_eq!((staged.tiles, staged.in_turn), (phases.tiles, Some(2)));
    assert_eq!((phase(&staged, PhaseKind::TurnWait).samples, staged.pace), (58 + 16_401, Some(Pace::Copies)));
}

#[test]
fn a_producer_that_is_waited_for_is_told_by_its_lines() {
    let phases = of("collected/mxfp4_moe_w1_swiglu/profile.ncu-repz");
    assert_eq!((phases.pacing, phases.pace), (0, Some(Pace::Role(1))));
    // By `audit dump source`, summed by the line of the kernel: 14,873 samples behind the split.
    let lines: Vec<(u32, PhaseKind, u64, u64)> =
        phases.roles[1].lines.iter().map(|line| (line_of(line), line.kind, line.samples, line.executed)).collect();
    let expected = [
        (345, PhaseKind::Compute, 6_760, 46_137_344),
        (337, PhaseKind::Copies, 4_486, 22_618_112),
        // 97 % of them wait for the scales that the line before loaded.
        (321, PhaseKind::LoadsWait, 1_216, 393_216),
        (332, PhaseKind::SlotWait, 588, 1_310_720),
    ];
    assert_eq!(lines, expected);
    assert_eq!(phases.roles[1].lines[0].name.as_ref().map(|name| name.name.as_str()), Some("write_block"));
    // The loop stands in a lambda that is called at 421; its lines are those of the lambda.
    assert_eq!(phase(&phases, PhaseKind::StageWait).at.first, 390);
    // Half tiles and whole ones are loops of their own, of which a turn runs one: 1,088 tiles by the counts of the groups.
    let grouped = of("collected/mxfp4_grouped_matmul/profile.ncu-repz");
    let mains = grouped.phases.iter().filter(|phase| phase.kind == PhaseKind::MainLoop).count();
    assert_eq!((mains, grouped.tiles, grouped.pace), (2, Some(1_088.0), Some(Pace::Role(1))));
}

/// The line of the kernel that a line of a role stands at.
fn line_of(line: &Phase) -> u32 {
    line.name.as_ref().map_or(line.at.first, |name| name.call.line)
}

/// A wait executes the instructions that wait and hardly anything else, polls aside. (A `Barrier` is the barriers alone, of which a
/// kernel may have many.)
#[track_caller]
pub(crate) fn waits_do_not_work(phases: &Phases, name: &str) {
    let is_wait = |phase: &&Phase| {
        use PhaseKind::{Barrier, Drain};
        phase.kind == Drain || phase.kind.is_wait() && phase.kind != Barrier
    };
    let own: u64 = phases.leaves().map(|phase| phase.executed).sum();
    let others = phases.roles.iter().enumerate().filter(|(at, _)| *at != phases.pacing);
    let all = own + others.map(|(_, role)| role.executed).sum::<u64>();
    let lines = phases.roles.iter().flat_map(|role| &role.lines);
    for wait in phases.leaves().chain(lines).filter(is_wait) {
        let works = wait.executed - wait.polls;
        assert!(20 * works <= all, "{name}: {:?} executes {works} of {all} instructions", wait.kind);
    }
}

#[test]
fn no_wait_of_a_committed_page_works() {
    let mut seen = 0;
    for Judged { path, audit, .. } in committed::audits() {
        let Some(phases) = &audit.now.phases else { continue };
        waits_do_not_work(phases, &path.display().to_string());
        seen += 1;
    }
    assert!(seen > 30, "{seen}");
}
