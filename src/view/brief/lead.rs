//! The lines under the title: which kernel, how fast, against what, whether it is correct, under which clocks.

use crate::analysis::code::Identity;
use crate::analysis::{Audit, Standing, clocks_are_free};
use crate::evidence::{Correctness, Missing, Reading, SanitizerRun, TestRun};
use crate::quantity::format;
use crate::quantity::glance::{amount, digits, rate, time};
use crate::view::document::Line;
use crate::view::faults::{checker, faults, tested_at, tests_passed, void_check};
use crate::view::heading::Heading;
use crate::view::{clock_steps, floor};
use crate::words::{Words, words};
use std::borrow::Cow;

/// The lines, each on one row of the page.
pub(in crate::view) fn lines(heading: &Heading, audit: &Audit) -> Vec<Line> {
    let speed = (audit.standing() != Standing::Wrong).then(|| headline(heading, audit));
    let damage =
        audit.now.artefact.damage.first().or(audit.before.as_ref().and_then(|old| old.artefact.damage.first()));
    let lines = [
        Some(("kernel", what(heading, audit))),
        speed.map(|words| ("time", words)),
        Some(("correctness", words::join(heading.open().into_iter().chain([standing(heading, audit)]), " "))),
        Some(("conditions", conditions(audit, damage.map(|damage| damage.what.as_str())))),
    ];
    lines.into_iter().flatten().map(|(name, words)| Line::new(name, words)).collect()
}

fn what(heading: &Heading, audit: &Audit) -> Words {
    let mut parts: Vec<Words> = Vec::new();
    if heading.title.is_empty() {
        parts.push(words!("`{}`", audit.now.artefact.kernel.short_name()));
    } else {
        parts.push(heading.title.as_str().into());
    }
    let work: Vec<&str> =
        [audit.work.shape.as_str(), audit.work.types.as_str()].into_iter().filter(|part| !part.is_empty()).collect();
    if !work.is_empty() {
        parts.push(work.join(", ").into());
    }
    if let Some(gpu) = setting(audit, "gpu") {
        let gpu = gpu.trim_start_matches("NVIDIA ");
        // The build's architecture says more than the chip's: sm_90a beside sm_90.
        let bare = gpu.split(" (").next().unwrap_or(gpu);
        parts.push(match audit.code.as_slice() {
            [one] => format!("{bare} ({})", one.facts.arch).into(),
            _ => gpu.into(),
        });
    }
    if !heading.commit.is_empty() {
        let short: String = heading.commit.chars().take(8).collect();
        let is_dirty = heading.commit.ends_with("-dirty");
        parts.push(words!("commit `{}`", if is_dirty { format!("{short}-dirty") } else { short }));
    }
    parts.extend(among(heading, audit));
    words::join(parts, " · ")
}

/// Percent of the time of all kernels from which on some of them take nearly all.
const NEARLY_ALL: f64 = 90.0;

/// Which part of the report's time the page is about: `54.0 % of the time of the 12 kernels of the report, 1.680 ms in all (3 take
/// 91.2 %)`; `None` for a report of one kernel.
fn among(heading: &Heading, audit: &Audit) -> Option<Words> {
    let own =
        audit.report.kernels.iter().find(|kernel| kernel.is_subject).filter(|_| audit.report.kernels.len() > 1)?;
    // A title does not say which kernel it is.
    let name = if heading.title.is_empty() { Words::default() } else { words!("`{}`: ", own.kernel.short_name()) };
    // They may be of several programs.
    let all = words!("the {} kernels of the report", format::integer(audit.report.kernels.len() as u64));
    let Some(share) = own.share else { return Some(words!("{}1 of {}", name, all)) };
    let sums = audit.report.kernels.iter().scan(0.0, |sum, kernel| {
        *sum += kernel.share.unwrap_or_default();
        Some(*sum)
    });
    let few = sums.enumerate().find(|(_, sum)| *sum >= NEARLY_ALL).map(|(at, sum)| (at + 1, sum));
    let few = match few {
        Some((1, _)) if audit.report.kernels[0].is_subject => String::new(),
        Some((1, sum)) => format!(" (1 takes {} %)", digits(sum)),
        Some((few, sum)) if few < audit.report.kernels.len() => format!(" ({few} take {} %)", digits(sum)),
        _ => String::new(),
    };
    let total = audit.report.time.map(|ns| format!(", {} in all", time(ns)));
    Some(words!("{}{} % of the time of {}{}{}", name, digits(share), all, words::maybe(total), few))
}

/// The value of a measuring condition on the new side.
pub(in crate::view) fn setting<'a>(audit: &'a Audit, id: &str) -> Option<&'a str> {
    audit.settings.iter().find(|setting| setting.id == id)?.new.as_deref()
}

/// Why there is no time: nobody asked for it, or the launch failed and left NaN.
fn untimed(time: &Reading) -> Words {
    match time {
        Reading::Missing(Missing::NotCollected { why, .. }) if !why.is_empty() => {
            words!("{} for `gpu__time_duration.sum`; a launch that failed has no time", &**why)
        }
        _ => words!("the report holds no `gpu__time_duration.sum`"),
    }
}

/// Time, rate and how they stand to the reference and to the old side.
fn headline(heading: &Heading, audit: &Audit) -> Words {
    let mut first = match &audit.trials.timing {
        Some(timing) => vec![time(timing.kernel.time.median)],
        None => match audit.performance.time.new.value() {
            Some(ns) => vec![format!("{} under ncu", time(ns))],
            None => return words!("**Time not measured**: {}", untimed(&audit.performance.time.new)),
        },
    };
    let own = audit.trials.timing.as_ref().map(|timing| (&timing.kernel.flop_rate, &timing.kernel.byte_rate));
    let profiled = (
        &audit.performance.flop_rate.as_ref().map(|row| row.new.clone()),
        &audit.performance.byte_rate.as_ref().map(|row| row.new.clone()),
    );
    let (flop, byte) = own.unwrap_or(profiled);
    let value = |reading: &Option<Reading>| reading.as_ref().and_then(Reading::value);
    // Only a peak that was collected tells a stated amount from a slip.
    let is_held = audit.stated.floor.is_some();
    let of_bytes = || value(byte).map(|per_second| rate(per_second, "B/s"));
    let of_flop = value(flop).map(|per_second| rate(per_second, "FLOP/s"));
    // Where memory sets the floor its rate is the one that has a peak.
    let by_bytes = audit.stated.floor.as_ref().is_some_and(|floor| floor.clock.is_none());
    let both = of_bytes().filter(|_| by_bytes).into_iter().chain(of_flop).collect::<Vec<String>>();
    let stated = if both.is_empty() { of_bytes() } else { Some(both.join(" · ")) };
    first.extend(stated.clone().filter(|_| is_held));
    first.extend(counted(audit).map(|per_second| format!("{} executed", rate(per_second, "FLOP/s"))));
    let beside = audit.trials.timing.as_ref().and_then(|timing| {
        let reference = timing.benchmark.reference.as_ref()?;
        Some((reference, timing.reference.as_ref()?.time.median, timing.kernel.time.median))
    });
    if let Some((reference, theirs, ours)) = beside {
        // A function of Python may have the name of what is audited.
        let kind = if reference.name.starts_with(FUNCTION) { "the reference " } else { "" };
        first.push(format!("{} % of {kind}{}", format::fixed(100.0 * theirs / ours, 0), called(&reference.name)));
    }
    let mut all = Words::from(words::strong(first.join(" · ")));
    if let Some((reference, theirs, _)) = beside {
        let note = if reference.note.is_empty() { String::new() } else { format!("; {}", reference.note) };
        all.push(format!(" ({}{note}", time(theirs)));
        all.push(completed(audit).unwrap_or_default());
        all.push(")");
    }
    all.push(other_state(audit));
    if let Some(rate) = stated.filter(|_| !is_held && !audit.stated.is_beside) {
        all.push(format!(" · {rate} as stated, with no peak to hold it against"));
    }
    let is_undecided = audit.comparison().is_some_and(|one| !one.whole.verdict.is_decided());
    if let Some((factor, old)) = speed(audit).filter(|_| !is_undecided).zip(old_name(heading, audit)) {
        all.push(words!(" · {}× the speed of {}", digits(factor), old));
    }
    let beside = floor::reached(heading, audit).into_iter().chain(floor::more(audit));
    beside.for_each(|said| all.push(format!(" · {said}")));
    for said in floor::impossible(audit) {
        all.push(words!(" · **{}: no rate**", said));
    }
    all
}

/// Operations that the profile counts in a second, where the subject states no work.
fn counted(audit: &Audit) -> Option<f64> {
    let is_stated = audit.work.flop.is_some() || audit.work.bytes.is_some();
    let operations = audit.now.roofline.operations.filter(|count| !is_stated && *count > 0.0)?;
    let profiled = audit.performance.time.new.value()?;
    Some(1e9 * operations / audit.trials.timing.as_ref().map_or(profiled, |timing| timing.kernel.time.median))
}

/// What tells the old side from the new one: its kernel, else its audit, else its folder or file.
pub(super) fn old_name(heading: &Heading, audit: &Audit) -> Option<Words> {
    let old = audit.before.as_ref()?;
    let name = old.artefact.kernel.short_name();
    if name != audit.now.artefact.kernel.short_name() {
        return Some(words!("`{}`", name));
    }
    let stem = |path: &str| path.rsplit('/').next().unwrap_or_default().trim_end_matches(".json").to_owned();
    if !heading.against.is_empty() {
        let audit = stem(&heading.against);
        let day = audit.strip_suffix(&format!("-{}", heading.subject)).unwrap_or(&audit);
        return Some(if day.starts_with(|first: char| first.is_ascii_digit()) {
            day.into()
        } else {
            words!("`{}`", day)
        });
    }
    let parts = |path: &str| -> Vec<String> { path.rsplit('/').map(str::to_owned).collect() };
    let (theirs, own) = (parts(&old.artefact.origin.path), parts(&audit.now.artefact.origin.path));
    let folder = |parts: &[String]| parts.get(1).cloned().unwrap_or_default();
    Some(match (folder(&theirs), folder(&own)) {
        (old, new) if old != new && !old.is_empty() => words!("`{}`", old),
        _ if theirs[0] != own[0] => words!("`{}`", theirs[0].as_str()),
        _ => words!("the old side"),
    })
}

/// The reference with the kernel that does the rest of the work, beside the audited one.
fn completed(audit: &Audit) -> Option<Words> {
    let timing = audit.trials.timing.as_ref()?;
    let by = &timing.benchmark.reference.as_ref()?.completed.as_ref()?.by;
    let both = timing.completed.as_ref()?.time.median;
    let share = format::fixed(100.0 * both / timing.kernel.time.median, 0);
    Some(words!("; with `{}` behind it {}, {} %", by.as_str(), time(both), share))
}

/// The same numbers under the other state of the clocks; empty where there is one.
fn other_state(audit: &Audit) -> String {
    let Some(other) = audit.trials.timing.as_ref().and_then(|timing| timing.other.as_ref()) else {
        return String::new();
    };
    let mut parts = vec![time(other.kernel.time.median)];
    let flop = other.kernel.flop_rate.as_ref().and_then(Reading::value);
    parts.extend(flop.map(|per_second| rate(per_second, "FLOP/s")));
    parts.extend(other.reference.as_ref().map(|reference| {
        let (theirs, ours) = (reference.time.median, other.kernel.time.median);
        format!("{} % ({})", format::fixed(100.0 * theirs / ours, 0), time(theirs))
    }));
    let held = match other.held_by {
        0 => "unthrottled".to_owned(),
        bits => format!("under {}", clock_steps::held_by(bits)),
    };
    format!("; {held} {}", parts.join(" · "))
}

/// How `kernel_audit.bench` begins the name of a function that it compares with.
const FUNCTION: &str = "reference ";

/// What a reference is called in a few words: a library without its version and types, a function of Python (which
/// `kernel_audit.bench` names `reference matmul`) as `matmul()`, a kernel by its name or its file.
pub(in crate::view) fn called(reference: &str) -> Cow<'_, str> {
    if let Some(function) = reference.strip_prefix(FUNCTION) {
        return format!("{function}()").into();
    }
    // As `KernelReference::describe` says it.
    if let Some(source) = reference.strip_prefix("the kernel of ") {
        return source.rsplit('/').next().unwrap_or(source).into();
    }
    if let Some((kernel, _)) = reference.strip_prefix('`').and_then(|rest| rest.split_once("` of ")) {
        return kernel.into();
    }
    let name = reference.split(',').next().unwrap_or(reference);
    let is_version = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
    name.split_once(' ').filter(|(_, rest)| is_version(rest)).map_or(name, |(name, _)| name).into()
}

/// How many times as fast as the old side, by what decides: the benchmark, else the launches that ncu timed.
pub(super) fn speed(audit: &Audit) -> Option<f64> {
    let percent = audit.change_of_time();
    percent.map(|percent| 1.0 / (1.0 + percent / 100.0)).or(audit.performance.speedup)
}

fn standing(heading: &Heading, audit: &Audit) -> Words {
    let mut parts: Vec<Words> = Vec::new();
    match audit.standing() {
        Standing::Wrong => {
            return words!("**WRONG:** {}", faults(audit).join("; "));
        }
        Standing::Correct => {
            let outputs = audit.trials.correctness.as_ref().map(passed);
            let passed = |tested: &TestRun| words!("{}{}", tests_passed(tested), tested_at(tested, heading));
            let tests = audit.trials.tested.as_ref().map(passed);
            parts.push(words!("Correct: {}", words::join(outputs.into_iter().chain(tests), "; ")));
        }
        Standing::NotChecked => {
            let missed = |step: &str| audit.trials.missed.iter().find(|(known, _)| known == step).map(|(_, why)| why);
            let why = ["correctness", "tests"].into_iter().find_map(missed).cloned().or_else(|| void_check(audit));
            let why = why.map(|why| format!(" ({})", why.trim_end_matches('.'))).unwrap_or_default();
            parts.push(match audit.trials.timing {
                Some(_) => words!("**Outputs not checked**{}", why),
                None => {
                    let how = if audit.is_from_python() { "" } else { " where audit.toml states the arguments" };
                    words!("**Outputs not checked, not timed outside ncu.** {} does both{}{}", checker(audit), how, why)
                }
            });
        }
    }
    let clean = audit.trials.sanitizer.iter().filter(|run| run.is_clean()).count();
    if clean > 0 && clean == audit.trials.sanitizer.len() {
        parts.push(if clean == 1 { "1 sanitizer clean".into() } else { format!("{clean} sanitizers clean").into() });
    } else {
        let open = audit.trials.sanitizer.iter().filter(|run| !run.is_clean());
        let (ended, broken): (Vec<_>, Vec<_>) = open.partition(|run| run.not_measured.is_empty());
        let names = |runs: Vec<&SanitizerRun>| runs.iter().map(|run| run.tool.name()).collect::<Vec<_>>().join(", ");
        parts.extend((!ended.is_empty()).then(|| words!("**not clean: {}**", names(ended))));
        parts.extend((!broken.is_empty()).then(|| words!("not measured: {}", names(broken))));
    }
    if audit.code.iter().any(|code| matches!(code.facts.identity, Identity::Same { .. })) {
        parts.push("the profiled SASS is the timed SASS".into());
    }
    words::join(parts, "; ")
}

fn passed(check: &Correctness) -> Words {
    let elements: u64 = check.runs.first().map_or(0, |run| run.outputs.iter().map(|output| output.elements).sum());
    let within = if check.tolerance == 0.0 { "bitwise equal" } else { "within tolerance" };
    let seeds = if check.runs.len() == 1 { "seed" } else { "seeds" };
    let ending = if elements == 1 { "" } else { "s" };
    format!("{} element{ending} × {} {seeds} {within}", amount(elements as f64), check.runs.len()).into()
}

/// Clocks, launches, baseline, and what is missing of a damaged report.
fn conditions(audit: &Audit, damage: Option<&str>) -> Words {
    let mut parts: Vec<String> = Vec::new();
    parts.extend(match (clocks_are_free(&audit.settings), setting(audit, "sm-clock")) {
        (Some(true), Some(clock)) => Some(format!("Clocks unlocked, {clock} under ncu")),
        (Some(true), None) => Some("Clocks unlocked".to_owned()),
        (_, Some(clock)) => Some(format!("SM clock {clock}")),
        (_, None) => None,
    });
    parts.extend(clock_steps::effective(audit));
    parts.extend(clock_steps::other_inputs(audit));
    parts.extend(clock_steps::off_ncu(audit));
    let told = audit.trials.timing.as_ref().map(|timing| &timing.benchmark).filter(|times| times.told.is_some());
    parts.extend(told.map(|times| format!("timed by {}", times.tool)));
    let count = |launches: usize| match launches {
        1 => "one launch".to_owned(),
        many => format!("{} launches", format::integer(many as u64)),
    };
    match &audit.before {
        None => {
            parts.push("baseline: none".to_owned());
            parts.push(count(audit.now.artefact.launches.len()));
        }
        Some(old) => {
            // What the verdict rests on: launches that ncu timed by themselves, else those of the profile.
            let timed = audit.comparison().and_then(|comparison| comparison.whole.time.as_ref());
            let (is, was) = timed.map_or((audit.now.artefact.launches.len(), old.artefact.launches.len()), |time| {
                (time.new.count, time.old.count)
            });
            parts.push(match is == was {
                true => format!("{} a side", count(is)),
                false => format!("{} against {}", count(is), count(was)),
            });
        }
    }
    let mut words = Words::from(format::capital(&parts.join("; ")));
    words.push(damage.map_or_else(Words::default, |what| words!(". **Incomplete evidence:** {}", what)));
    words
}
