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
    number.trim().replace(',', "").parse().ok()
}

/// Cycles between two instructions of a warp that are this wait: its part of them is printed to three digits, the cycles are not.
fn stall(said: &str, held: impl Fn(&str) -> Option<f64>) -> Option<Vec<Told>> {
    let (_, cause) = said.split_once("cycles being stalled ")?;
    let (cause, _) = cause.split_once(". ")?;
    let reason = catalog::stalls().iter().find(|row| row.printed.iter().any(|words| cause.contains(words)))?;
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
        "ALU" | "FMA" | "FP64" | "Tensor" => format!("sm__pipe_{}_cycles_active", name.to_lowercase()),
        "XU" | "LSU" => format!("sm__inst_executed_pipe_{}", name.to_lowercase()),
        _ => return None,
    };
    let of = if said.contains("based on elapsed cycles") { "elapsed" } else { "active" };
    Some(vec![(format!("{counter}.avg.pct_of_peak_sustained_{of}"), "%", percent)])
}

fn conflicts(said: &str) -> Option<Vec<Told>> {
    let of = match said.contains("for shared loads.") {
        true => Counter::L1texDataBankConflictsPipeLsuMemSharedOpLdSum,
        false => Counter::L1texDataBankConflictsPipeLsuMemSharedOpStSum,
    };
    Some(vec![(of.name().to_owned(), "", number(said, "This results in ", " bank conflicts")?)])
}

/// All of what is counted, and what of it is not excessive.
fn excessive(said: &str, what: &'static str, [whole, needed]: [Counter; 2]) -> Option<Vec<Told>> {
    let excess = number(said, "in a total of ", &format!(" excessive {what}"))?;
    let all = number(said, "of the total ", &format!(" {what})"))?;
    Some(vec![(whole.name().to_owned(), what, all), (needed.name().to_owned(), what, all - excess)])
}

/// Cycles of the SM that is busy for longest.
fn longest(said: &str, held: impl Fn(&str) -> Option<f64>) -> Option<Vec<Told>> {
    let above = number(said, "Maximum instance value is ", "% above")?;
    let average = held(Counter::SmCyclesActiveAvg.name()).filter(|_| said.starts_with("One or more SMs have "))?;
    Some(vec![(Counter::SmCyclesActiveMax.name().to_owned(), "cycle", average * (1.0 + above / 100.0))])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(rule: &str, said: &str) -> Vec<(String, f64)> {
        let held = |name: &str| (name == "sm__cycles_active.avg").then_some(1000.0);
        told(rule, said, held).into_iter().map(|(name, _, value)| (name, value)).collect()
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
        let uneven = "One or more SMs have a much lower number of active cycles than the average number of active cycles. Maximum instance value is 18.11% above the average, while the minimum instance value is 100.00% below the average.";
        let [(_, cycles)] = of("WorkloadImbalance", uneven)[..] else { panic!() };
        assert!((cycles - 1181.1).abs() < 1e-6);
        assert!(of("WorkloadImbalance", &uneven.replace("SMs", "L2 Slices")).is_empty());
    }
}
