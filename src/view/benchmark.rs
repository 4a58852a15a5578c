//! The benchmark: times outside the profiler, beside a reference and the old side, with the clocks they were taken at.

use super::clock_steps;
use super::correctness::launch;
use super::document::{Block, Cell, Section, Table};
use super::tables::{self, code, heading, list, paragraph, text};
use crate::analysis::{Audit, Caution, ReferenceProfile, Sample, Standing, Timed, Timing};
use crate::evidence::{Benchmark, Clocks, Reading, TimedReference};
use crate::quantity::{Quantity, Unit, format, format::Scale};
use crate::words::{Words, words};

/// The section; `None` where nothing was timed.
pub(super) fn section(audit: &Audit) -> Option<Section> {
    let timing = audit.trials.timing.as_ref();
    let mut blocks = timing.map(|timing| timed(audit, timing)).unwrap_or_default();
    if let Some(reference) = audit.trials.reference.as_ref().filter(|_| audit.standing() != Standing::Wrong) {
        blocks.extend(counters(reference));
    }
    if let Some(timing) = timing {
        blocks.push(heading("clocks", "Clocks"));
        blocks.push(clocks(audit, timing).into());
        blocks.push(paragraph("clocks", clock_words(timing)));
        let own = &timing.benchmark.launch;
        match audit.trials.correctness.as_ref().filter(|check| check.launch == *own) {
            _ if timing.benchmark.told.is_some() => {}
            Some(_) => {
                blocks.push(paragraph("launch", "The launch is that of the check above, machine code included."))
            }
            None => blocks.push(launch(audit, own, "benchmark")),
        }
    }
    (!blocks.is_empty()).then(|| Section::new("benchmark", "Benchmark", blocks))
}

fn timed(audit: &Audit, timing: &Timing) -> Vec<Block> {
    let benchmark = &timing.benchmark;
    let mut blocks = Vec::new();
    if audit.standing() == Standing::Wrong {
        blocks.push(paragraph(
            "wrong",
            "These are the times of a kernel whose results are wrong, so they are compared with nothing.",
        ));
    } else if let (Some(ratio), Some(reference)) = (ratio(timing), &benchmark.reference) {
        let interval = timing.ratio.and_then(|ratio| ratio.interval);
        let between = interval.map_or_else(
            || match timing.step {
                Some(_) => " (no interval across a step of the clock)".to_owned(),
                None => " (too few samples for an interval)".to_owned(),
            },
            |(low, high)| {
                let confidence = format::plain(timing.confidence, 1);
                format!(" (between {} and {} at {confidence} %)", format::fixed(low, 3), format::fixed(high, 3))
            },
        );
        let (name, note) = (&reference.name, note(reference));
        let words = words!("The kernel takes **{}**{} the time of {}.{}", ratio, between, name, note);
        blocks.push(paragraph("ratio", words));
        if let Some((both, timed)) = reference.completed.as_ref().zip(timing.completed.as_ref()) {
            let share = format::fixed(timing.kernel.time.median / timed.time.median, 3);
            let words = words!(
                "With `{}` behind it, the product takes {}: the kernel takes {} × that.",
                both.by.as_str(),
                median(timed),
                share
            );
            blocks.push(paragraph("completed", words));
        }
    }
    blocks.push(times(audit, timing).into());
    let cautions: Vec<String> = timing.cautions.iter().map(|one| caution(timing, *one)).collect();
    if !cautions.is_empty() {
        blocks.push(list("cautions", &cautions));
    }
    blocks.push(paragraph("method", method(benchmark)));
    blocks.extend(benchmark.reference.as_ref().and_then(choice).filter(|_| audit.standing() != Standing::Wrong));
    blocks
}

fn method(benchmark: &Benchmark) -> Words {
    if let Some(told) = &benchmark.told {
        let one = told.stands_for.as_ref().map_or_else(String::new, |of| format!(" The time is the {of}."));
        let kept = benchmark.samples_ms.len() as u64;
        let some = (kept < told.taken)
            .then(|| format!(" {} of {} are kept.", format::integer(kept), format::integer(told.taken)));
        return words!("By {}, `{}`: {}.{}{}", &benchmark.tool, &told.row, &told.what, one, words::maybe(some));
    }
    let method = &benchmark.method;
    let (turns, each) = match &benchmark.reference {
        Some(_) => (", kernel and reference in turn", " of each"),
        None => ("", ""),
    };
    let flushed = match method.flushed_bytes {
        0 => "nothing was done to the caches between launches".to_owned(),
        bytes => {
            let (bytes, how) = (format::integer(bytes), method.flushed_by.participle());
            format!("before each {bytes} bytes were {how}, so that L2 held none of its data")
        }
    };
    let seeds = match method.other_seed {
        Some(other) => format!("inputs of seed {} and {other} in turn", method.seed),
        None => format!("inputs of seed {}", method.seed),
    };
    let held = method.held.as_ref().map_or_else(String::new, |held| {
        let unseen: Vec<f64> = held.unseen_ms.iter().map(|ms| ms * 1e6).collect();
        let scale = Scale::of_samples(unseen.iter().copied());
        let unseen: Vec<String> = unseen.iter().map(|ns| scale.write(*ns)).collect();
        format!(
            " After the last sample its outputs were those of {}, and so were those of launches on inputs that the kernel \
             had not seen before, in {}.",
            held.reference,
            unseen.join(" and ")
        )
    });
    format!(
        "One launch between two CUDA events, alone on the GPU{turns}; {flushed}; {} launches{each} to warm up, {seeds}.{held} ncu's duration is another number: that of a launch replayed under counters. Compare this time with other programs; the profile shows where it goes.",
        method.warm_up
    )
    .into()
}

fn caution(timing: &Timing, caution: Caution) -> String {
    match caution {
        Caution::Short(empty) => format!(
            "Too short to time this way: two events with nothing between them are {} apart, {} % of the kernel's median, and each time includes about that much. Time several launches together.",
            Quantity::new(empty, Unit::NS).map_or_else(String::new, format::quantity),
            format::fixed(100.0 * empty / timing.kernel.time.median, 1)
        ),
        Caution::Scatter(scatter) => {
            format!("The launches scatter by {} %: a small change does not show.", format::fixed(scatter, 1))
        }
        Caution::Drift(drift) => format!(
            "The times drift: the medians of the first and the last third are {} % apart, as under thermal or power throttling. Interval and scatter assume like launches, so both are too narrow.",
            format::fixed(drift, 1)
        ),
        Caution::Clock(before, after) => format!(
            "The SM clock moved from {} to {} MHz during the run: kernel and reference, timed in turn, share that; other times do not.",
            format::plain(before, 0),
            format::plain(after, 0)
        ),
        Caution::Open => {
            let limit = match timing.benchmark.method.ended_by.as_str() {
                "samples" => "number of samples",
                "time" => "time limit",
                other => other,
            };
            format!("The median had not converged when the {limit} was reached.")
        }
    }
}

/// In what the reference's work differs, with a space before it.
fn note(reference: &TimedReference) -> String {
    if reference.note.is_empty() { String::new() } else { format!(" Not the same work: {}.", reference.note) }
}

fn choice(reference: &TimedReference) -> Option<Block> {
    let choice = reference.choice.as_ref()?;
    let ran = choice.tried_ms.iter().flatten().count();
    let medians: Vec<f64> = choice.tried_ms.iter().flatten().map(|ms| ms * 1e6).collect();
    let scale = Scale::of_samples(medians.iter().copied());
    let listed: Vec<String> = medians.iter().map(|ns| scale.write_bare(*ns)).collect();
    Some(paragraph(
        "algorithm",
        format!(
            "The library offered {} algorithms, {ran} of them ran, and the fastest was timed: number {} in its own order ({}). \
         Their medians in its order, in {}: {}.",
            choice.tried_ms.len(),
            choice.position + 1,
            choice.algorithm,
            if medians.iter().all(|ns| *ns < 1e3) { "ns" } else { "µs" },
            listed.join(", ")
        ),
    ))
}

fn median(timed: &Timed) -> String {
    Scale::of_samples([timed.time.median]).write(timed.time.median)
}

/// A time of ncu as those of the benchmark are written, beside which it stands.
fn profiled(reading: &Reading) -> Cell {
    let written = match reading.quantity() {
        Some(time) if time.unit() == Unit::NS => Scale::of_samples([time.value()]).write(time.value()),
        _ => tables::number(reading),
    };
    text(written).sorted(reading.value())
}

/// `1.23 ×`.
fn ratio(timing: &Timing) -> Option<String> {
    timing.ratio.map(|ratio| format!("{} ×", format::fixed(ratio.factor, 3)))
}

type Fact = (&'static str, fn(&Scale, &Timed) -> Cell);

const FACTS: [Fact; 6] = [
    ("Median", |scale, timed| text(scale.write(timed.time.median)).sorted(timed.time.median)),
    ("Smallest and largest", |scale, timed| pair(scale, timed.time.min, timed.time.max)),
    ("Scatter (robust)", |_, timed| scatter(&timed.time)),
    ("Samples", |_, timed| tables::count(timed.time.count as u64)),
    ("Arithmetic rate", |_, timed| rate(timed.flop_rate.as_ref())),
    ("Data rate", |_, timed| rate(timed.byte_rate.as_ref())),
];

/// With as many samples a median has an interval, unless a step lies within.
const MANY: usize = 10;

/// Position of the first rate among the facts.
const RATES: usize = 4;

fn pair(scale: &Scale, low: f64, high: f64) -> Cell {
    text(format!("{}–{}", scale.write_bare(low), scale.write(high))).sorted(low)
}

fn scatter(time: &Sample) -> Cell {
    time.scatter.map_or_else(|| text("one sample"), |scatter| tables::percent(scatter, 2))
}

fn rate(reading: Option<&Reading>) -> Cell {
    reading.map_or_else(|| text("no work stated"), tables::reading)
}

/// A column for each side: old, new, reference.
fn times(audit: &Audit, timing: &Timing) -> Table {
    let is_wrong = audit.standing() == Standing::Wrong;
    let old = timing.change.as_ref().filter(|_| !is_wrong).map(|change| &change.old);
    let reference = timing.reference.as_ref().filter(|_| !is_wrong);
    let sides = [old, Some(&timing.kernel), reference];
    let scale = Scale::of_samples(sides.iter().flatten().map(|side| side.time.median));
    let line = |label: &str, read: &dyn Fn(&Timed) -> Cell| -> Vec<Cell> {
        let cells = sides.map(|side| side.map(read).unwrap_or_default());
        std::iter::once(text(label)).chain(cells).collect()
    };
    // Wrong results are not the stated work, so that there is no rate of it.
    let facts = if is_wrong { &FACTS[..RATES] } else { &FACTS[..] };
    let mut rows: Vec<Vec<Cell>> = facts.iter().map(|(label, read)| line(label, &|side| read(&scale, side))).collect();
    rows[0][2] = std::mem::take(&mut rows[0][2]).strong();
    let label = format!("Interval of the median at {} %", format::plain(timing.confidence, 1));
    let interval = line(&label, &|side| match side.time.interval {
        Some((low, high)) => pair(&scale, low, high),
        None if side.time.count >= MANY => text("none across a step"),
        None => text("too few samples"),
    });
    rows.insert(1, interval);
    if audit.performance.time.has_number() {
        let was = old.and(audit.performance.time.old.as_ref()).map(profiled).unwrap_or_default();
        let held = audit.trials.reference.as_ref().and_then(|reference| reference.rows.first());
        let beside = || held.map_or_else(|| text("not profiled"), |row| profiled(&row.reference));
        let own = profiled(&audit.performance.time.new);
        rows.push(vec![text("Duration under ncu"), was, own, reference.map(|_| beside()).unwrap_or_default()]);
    }
    let caption = if is_wrong { "" } else { "Rates are stated work over the median time." };
    Table { caption: caption.into(), ..tables::filled("times", "Benchmark | Old kernel: | Kernel: | Reference:", rows) }
}

fn counters(reference: &ReferenceProfile) -> Vec<Block> {
    let rows =
        reference.rows.iter().filter(|row| row.kernel.quantity().is_some() || row.reference.quantity().is_some());
    let line = |row: &crate::analysis::Beside| {
        let (own, other) = (tables::reading(&row.kernel), tables::reading(&row.reference));
        vec![text(row.label.clone()), own.strong(), other, code(row.id.clone())]
    };
    let shape = |of: Option<crate::evidence::Dim3>| of.map_or_else(|| "not held".to_owned(), |of| of.to_string());
    let mut said = words!(
        "The reference under ncu is `{}`, grid {}, block {}.",
        reference.kernel.short_name(),
        shape(reference.kernel.grid),
        shape(reference.kernel.block)
    );
    if reference.others > 0 {
        let kernels = if reference.others == 1 { "kernel" } else { "kernels" };
        said.push(format!(" Its report holds {} more {kernels} with less device time.", reference.others));
    }
    let name = "reference-counters";
    let table = tables::table(name, "Metric | Kernel: | Reference: | Metric name", rows.map(line));
    vec![heading(name, "Counters of the reference"), paragraph(name, said), table.into()]
}

fn clocks(audit: &Audit, timing: &Timing) -> Table {
    let number = |value: Option<f64>, unit: &str| {
        let shown = |value: f64| text(format!("{} {unit}", format::plain(value, 1))).sorted(value);
        value.map_or_else(|| text("not read"), shown)
    };
    let row = |when: &str, clocks: Option<&Clocks>| {
        vec![
            text(when),
            number(clocks.and_then(|c| c.sm_mhz), "MHz"),
            number(clocks.and_then(|c| c.memory_mhz), "MHz"),
            number(clocks.and_then(|c| c.temperature_c), "°C"),
            number(clocks.and_then(|c| c.power_w), "W"),
            text(clocks.map_or_else(|| "not read".to_owned(), |clocks| clock_steps::held_down(&clocks.throttle))),
        ]
    };
    let mut rows = vec![
        row("Before the first sample", timing.benchmark.clocks_before.as_ref()),
        row("After the last sample", timing.benchmark.clocks_after.as_ref()),
    ];
    let profiled = audit.settings.iter().find(|setting| setting.id == "sm-clock").and_then(|s| s.new.clone());
    if let Some(clock) = profiled {
        rows.push(["While ncu measured", &clock, "", "", "", ""].map(text).to_vec());
    }
    tables::table("clocks", "When | SM: | Memory: | Temperature: | Power: | Throttle reason", rows)
}

fn clock_words(timing: &Timing) -> String {
    let missing = &timing.benchmark.clocks_missing;
    if !missing.is_empty() {
        return format!("Clocks were not read: {}.", missing.trim_end_matches('.'));
    }
    "nvidia-smi read them while the kernel ran in a loop, before the first sample and after the last one. Between the \
     samples nothing was read: a launch is shorter than a reading."
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_spelled_and_unknown_bits_stay() {
        assert_eq!(clock_steps::held_down("0x0000000000000000"), "none");
        assert_eq!(clock_steps::held_down("0x0000000000000044"), "SW power cap, HW thermal slowdown");
        assert_eq!(clock_steps::held_down("0x1000"), "0x1000");
        assert_eq!(clock_steps::held_down(""), "not reported");
    }

    #[test]
    fn times_keep_a_hundredth_of_a_microsecond() {
        let scale = Scale::of_samples([2_116_370.0]);
        assert_eq!(pair(&scale, 2_116_160.0, 2_116_610.0).words.to_plain(), "2,116.16–2,116.61 µs");
        assert_eq!(Scale::of_samples([764.0]).write(764.0), "764 ns");
    }
}
