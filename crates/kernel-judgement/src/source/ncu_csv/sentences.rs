//! Counters that ncu's rules print in a sentence of their own: the page has no other row for them.

use crate::catalog::{self, Counter};

/// A metric by its name with the unit that a row of it has, and its value.
pub(super) type Told = (String, &'static str, f64);

/// All of what rules count, and what of it is needed.
const SHARED: [Counter; 2] = [Counter::MemoryL1WavefrontsShared, Counter::MemoryL1WavefrontsSharedIdeal];
const GLOBAL: [Counter; 2] =
    [Counter::MemoryL2TheoreticalSectorsGlobal, Counter::MemoryL2TheoreticalSectorsGlobalIdeal];
/// Cycles between two instructions of a warp.
const LATENCY: Counter = Counter::SmspAverageWarpLatencyPerInstIssuedRatio;

/// What the rule of that name says in numbers, beside what other rows of the page hold: numbers of one decimal or whole ones.
pub(super) fn told(rule: &str, said: &str, held: impl Fn(&str) -> Option<f64>) -> Vec<Told> {
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    match rule {
        "CPIStall" => stall(&said, held),
        "HighPipeUtilization" => pipe(&said),
        "SharedMemoryConflicts" => conflicts(&said),
        "UncoalescedSharedAccess" => excessive(&said, "wavefronts", SHARED),
        "UncoalescedGlobalAccess" => excessive(&said, "sectors", GLOBAL),
        "WorkloadImbalance" => longest(&said, held),
        _ => None,
    }
    .unwrap_or_default()
}

/// The number behind the words `before` and in front of `behind`.
fn number(said: &str, before: &str, behind: &str) -> Option<f64> {
    let (_, rest) = said.split_once(before)?;
    let (number, _) = rest.split_once(behind)?;
    plain(number.trim())
}

/// Digits with a point at most, commas only between groups of three.
fn plain(number: &str) -> Option<f64> {
    let (whole, decimals) = number.split_once('.').unwrap_or((number, "0"));
    let groups: Vec<&str> = whole.split(',').collect();
    let is_grouped = match &groups[..] {
        [_] => true,
        [first, others @ ..] => first.len() <= 3 && others.iter().all(|group| group.len() == 3),
        [] => false,
    };
    let is_digits = |text: &&str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_number = is_grouped && groups.iter().chain([&decimals]).all(is_digits);
    number.replace(',', "").parse().ok().filter(|value: &f64| is_number && value.is_finite())
}

/// Cycles between two instructions of a warp that are this wait: its part of them is printed to three digits, the cycles are not.
fn stall(said: &str, held: impl Fn(&str) -> Option<f64>) -> Option<Vec<Told>> {
    let (_, cause) = said.split_once("cycles being stalled ")?;
    let (cause, _) = cause.split_once(". ")?;
    let reason = catalog::stalls().iter().find(|row| row.is_named_in(cause))?;
    let whole = held(LATENCY.name()).or_else(|| number(said, "total average of ", " cycles"))?;
    let part = number(said, "represents about ", "%")?;
    Some(vec![
        (catalog::per_issue(reason.id), "inst", part / 100.0 * whole),
        (LATENCY.name().to_owned(), "cycle", whole),
    ])
}

/// The busiest pipe, and of what cycles that is a part.
fn pipe(said: &str) -> Option<Vec<Told>> {
    let (name, _) = said.split_once(" is the highest-utilized pipeline (")?;
    let percent = number(said, "highest-utilized pipeline (", "%)")?;
    let counter = match name {
        // Before 2022 the rule took all pipes of cycles that were active, and this one by its instructions.
        "FP64" if !said.contains("based on ") => "sm__inst_executed_pipe_fp64".to_owned(),
        "ALU" | "FMA" | "FP64" | "Tensor" => format!("sm__pipe_{}_cycles_active", name.to_lowercase()),
        "XU" | "LSU" => format!("sm__inst_executed_pipe_{}", name.to_lowercase()),
        _ => return None,
    };
    let of = if said.contains("based on elapsed cycles") { "elapsed" } else { "active" };
    Some(vec![(format!("{counter}.avg.pct_of_peak_sustained_{of}"), "%", percent)])
}

fn conflicts(said: &str) -> Option<Vec<Told>> {
    let of = if said.contains("wavefronts for shared loads.") {
        Counter::L1texDataBankConflictsPipeLsuMemSharedOpLdSum
    } else if said.contains("wavefronts for shared stores.") {
        Counter::L1texDataBankConflictsPipeLsuMemSharedOpStSum
    } else {
        return None;
    };
    Some(vec![(of.name().to_owned(), "", number(said, "This results in ", " bank conflicts")?)])
}

/// All of what is counted, and what of it is not excessive.
fn excessive(said: &str, what: &'static str, [whole, needed]: [Counter; 2]) -> Option<Vec<Told>> {
    let all = number(said, "of the total ", &format!(" {what})"))?;
    let excess = number(said, "in a total of ", &format!(" excessive {what}")).filter(|excess| *excess <= all)?;
    Some(vec![(whole.name().to_owned(), what, all), (needed.name().to_owned(), what, all - excess)])
}

/// Cycles of the SM that is busy for longest: ncu prints `1 − average / longest` as what it is above the average.
fn longest(said: &str, held: impl Fn(&str) -> Option<f64>) -> Option<Vec<Told>> {
    let above = number(said, "Maximum instance value is ", "% above").filter(|above| *above < 100.0)?;
    let average = held(Counter::SmCyclesActiveAvg.name()).filter(|_| said.starts_with("One or more SMs have "))?;
    Some(vec![(Counter::SmCyclesActiveMax.name().to_owned(), "cycle", average / (1.0 - above / 100.0))])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(rule: &str, said: &str) -> Vec<(String, f64)> {
        beside(1000.0, rule, said)
    }

    fn beside(average: f64, rule: &str, said: &str) -> Vec<(String, f64)> {
        let held = |name: &str| (name == "sm__cycles_active.avg").then_some(average);
        told(rule, said, held).into_iter().map(|(name, _, value)| (name, value)).collect()
    }

    #[test]
    fn numbers_are_digits_with_groups_of_three() {
        let read = ["12", "0.5", "1,234.5", "12,345,678"].map(plain);
        assert_eq!(read, [Some(12.0), Some(0.5), Some(1234.5), Some(12_345_678.0)]);
        let others =
            ["12,5", "1234,567", ",123", "1,23,456", "1.5,000", "1.2.3", "5.", ".5", "-1", "1e5", "nan", "inf", ""];
        assert_eq!(others.map(plain), [None; 13]);
        assert_eq!(plain(&"9".repeat(400)), None);
    }

    #[test]
    fn a_wait_is_its_part_of_the_cycles_between_two_instructions() {
        let said = "On average, each warp of this workload spends 6.7 cycles being stalled waiting for a scoreboard dependency on a L1TEX (local, global, surface, texture) operation. Find the instruction. This stall type represents about 41.8% of the total average of 16.0 cycles between issuing two instructions.";
        let [(name, cycles), _] = &of("CPIStall", said)[..] else { panic!() };
        assert_eq!(name, "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio");
        assert!((cycles - 6.688).abs() < 1e-9, "{cycles}");
        assert!(of("CPIStall", "Check the Warp Stall Sampling (All Samples) table.").is_empty());
    }

    #[test]
    fn counts_in_words_are_the_counters() {
        let pipe =
            "FP64 is the highest-utilized pipeline (85.2%) based on active cycles, taking into account the rates.";
        assert_eq!(
            of("HighPipeUtilization", pipe),
            [("sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_active".to_owned(), 85.2)]
        );
        let wasted = "This kernel has uncoalesced shared accesses resulting in a total of 220200960 excessive wavefronts (70% of the total 314572800 wavefronts).";
        assert_eq!(
            of("UncoalescedSharedAccess", wasted).iter().map(|(_, count)| *count).collect::<Vec<_>>(),
            [314572800.0, 94371840.0]
        );
        assert_eq!(
            of("HighPipeUtilization", "FP64 is the highest-utilized pipeline (85.2%). It executes 64-bit ones."),
            [("sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active".to_owned(), 85.2)]
        );
        assert!(of("UncoalescedSharedAccess", &wasted.replace("220200960", "314572801")).is_empty());
    }

    #[test]
    fn conflicts_are_of_loads_or_of_stores() {
        let said = "This results in 582841 bank conflicts, which represent 12.20% of the overall 4777145 wavefronts for shared stores. Check the uncoalesced shared loads.";
        let name = |way| format!("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{way}.sum");
        assert_eq!(of("SharedMemoryConflicts", said), [(name("st"), 582841.0)]);
        let loads = said.replace("wavefronts for shared stores", "wavefronts for shared loads");
        assert_eq!(of("SharedMemoryConflicts", &loads), [(name("ld"), 582841.0)]);
        let neither = said.replace("wavefronts for shared stores", "wavefronts for shared atomics");
        assert!(of("SharedMemoryConflicts", &neither).is_empty());
    }

    #[test]
    fn the_longest_sm_is_above_the_average_by_a_part_of_its_own_cycles() {
        let uneven = |above: &str| {
            format!(
                "One or more SMs have a much lower number of active cycles than the average number of active cycles. Maximum instance value is {above}% above the average, while the minimum instance value is 100.00% below the average."
            )
        };
        // Averages and longest SMs as reports hold them beside the sentence.
        for (average, above, longest, off) in [(343.727, "81.94", 1903.0, 1.0), (20773.66, "58.58", 50159.0, 10.0)] {
            let [(_, cycles)] = beside(average, "WorkloadImbalance", &uneven(above))[..] else { panic!() };
            assert!((cycles - longest).abs() <= off, "{cycles} of {longest}");
        }
        for above in ["100.00", "250.00", "-18.11", "nan"] {
            assert!(of("WorkloadImbalance", &uneven(above)).is_empty(), "{above}");
        }
        let uneven = uneven("18.11");
        assert!(of("WorkloadImbalance", &uneven.replace("SMs", "L2 Slices")).is_empty());
    }
}
