//! Whether the kernel computes what it should: the check of its outputs, then the findings of compute-sanitizer.

use super::document::{Block, Cell, Section, Table, Tone};
use super::faults::{checker, faults, position, tested_at, tests_passed, void_check};
use super::heading::Heading;
use super::tables::{self, code, count, paragraph, strong, text};
use crate::analysis::{Audit, Standing};
use crate::evidence::{
    Correctness, LaunchFacts, OutputCheck, SanitizerFinding, SanitizerLevel, SanitizerRun, SanitizerSite, TestCase,
    TestRun,
};
use crate::quantity::format;
use crate::words::{Words, words};

pub(super) fn section(heading: &Heading, audit: &Audit) -> Section {
    let mut blocks = vec![paragraph("standing", standing(audit))];
    if let Some(check) = &audit.trials.correctness {
        blocks.push(outputs(check).into());
        blocks.push(paragraph(
            "outputs",
            "Write-only outputs held a pattern before each launch, NaNs before the first, so an element that was not written shows. The reference ran first, so a kernel that overwrites its inputs cannot change the expected values.",
        ));
        blocks.push(launch(audit, &check.launch, "check"));
    }
    blocks.extend(audit.trials.tested.iter().flat_map(|tested| tests(tested, heading)));
    blocks.extend(sanitized(&audit.trials.sanitizer));
    Section::new("correctness", "Correctness", blocks)
}

/// The first sentences: right, wrong, or not known.
fn standing(audit: &Audit) -> Words {
    let tools = match (audit.trials.sanitizer.is_empty(), audit.trials.sanitizer.iter().all(|run| run.is_clean())) {
        (true, _) => "",
        (false, true) => " compute-sanitizer found nothing.",
        (false, false) => " The findings of compute-sanitizer are below.",
    };
    match audit.standing() {
        Standing::Wrong => words!("**WRONG:** {}.", faults(audit).join("; ")),
        Standing::Correct => {
            let outputs = audit.trials.correctness.as_ref().map(within);
            let said = outputs.into_iter().chain(audit.trials.tested.as_ref().map(tests_passed));
            words!("**Correct:** {}.{}", words::join(said, "; "), tools)
        }
        Standing::NotChecked => {
            let is_check = |step: &str| ["correctness", "tests"].contains(&step);
            let missed = audit.trials.missed.iter().find(|(step, _)| is_check(step)).map(|(_, why)| why.clone());
            let why = match missed.or(void_check(audit)) {
                Some(why) => words!("{}.", why.trim_end_matches('.')),
                None => words!("No check of the kernel's outputs was given: {} makes one.", checker(audit)),
            };
            words!("**NOT MEASURED:** {} Whether the kernel computes what it should is not known.{}", why, tools)
        }
    }
}

/// What passed, within what.
fn within(check: &Correctness) -> String {
    let seeds: Vec<String> = check.runs.iter().map(|run| run.seed.to_string()).collect();
    let seeds = match seeds.as_slice() {
        [one] => format!("seed {one}"),
        some => format!("seeds {}", some.join(", ")),
    };
    let start = format!("every element of every output, on inputs of {seeds}, against {}", check.reference);
    if check.tolerance == 0.0 {
        return format!("{start}: bitwise equal");
    }
    let outputs = || check.runs.iter().flat_map(|run| &run.outputs);
    let largest = |value: fn(&OutputCheck) -> Option<f64>| outputs().filter_map(value).fold(0.0, f64::max);
    let norm = largest(|output| output.relative_norm);
    let error = largest(|output| output.worst.as_ref().and_then(|worst| worst.error));
    format!(
        "{start}: the relative norm of the difference is at most {} where {} is allowed, the error of one element at most {} where {} is",
        format::scientific(norm),
        format::scientific(check.tolerance),
        format::scientific(error),
        format::scientific(check.worst_tolerance)
    )
}

/// A row for each output and seed.
fn outputs(check: &Correctness) -> Table {
    let head = "Output | Seed: | Elements: | Relative norm: | Worst element | Rel. error: | Bitwise different: | Not written: | Not finite: | Nondeterministic: | Result";
    let row = |seed: u64, output: &OutputCheck| {
        let worst = output.worst.as_ref();
        let place = worst.map(|w| format!("{}: {} for {}", position(output, w), w.got, w.expected));
        let error = worst.map(|w| w.error.map_or_else(|| "not finite".to_owned(), format::scientific));
        let extents: Vec<String> = output.shape.iter().map(u64::to_string).collect();
        vec![
            code(format!("{}: {} [{}]", output.name, output.dtype, extents.join(", "))),
            text(seed.to_string()).sorted(seed as f64),
            count(output.elements),
            text(output.relative_norm.map_or_else(|| "not finite".to_owned(), format::scientific))
                .sorted(output.relative_norm),
            text(place.unwrap_or_else(|| "none".to_owned())),
            text(error.unwrap_or_default()).sorted(worst.and_then(|w| w.error)),
            count(output.different),
            count(output.unwritten),
            count(output.not_finite),
            output.changed_between_runs.map_or_else(|| text("no second launch"), count),
            if output.passed { text("within").toned(Tone::Good) } else { strong("WRONG").toned(Tone::Bad) },
        ]
    };
    let rows = check.runs.iter().flat_map(|run| run.outputs.iter().map(|output| row(run.seed, output)));
    let caption = "The relative norm is the Frobenius norm of the difference over that of the expected values. The error of an element is relative to the larger of its expected magnitude and the root mean square of all expected values.";
    Table { caption: caption.into(), ..tables::table("outputs", head, rows) }
}

/// The project's own tests: how many, when and of what, and those that did not pass.
fn tests(tested: &TestRun, heading: &Heading) -> Vec<Block> {
    let meant = match tested.meant.as_str() {
        "" => Words::default(),
        meant => words!(", those that match `{}`", meant),
    };
    let begun = if tested.begun.is_empty() { String::new() } else { format!(", begun {}", tested.begun) };
    let said =
        words!("Tests of the project{}: {}{}{}.", meant, tests_passed(tested), tested_at(tested, heading), begun);
    let mut blocks = vec![paragraph("tests", said)];
    let failed = tested.failed.iter().map(|test| (test, strong("WRONG").toned(Tone::Bad)));
    let broken = tested.broken.iter().map(|test| (test, text("broke off")));
    let row = |(test, ended): (&TestCase, Cell)| vec![code(test.name.clone()), ended, text(test.why.clone())];
    let rows: Vec<_> = failed.chain(broken).map(row).collect();
    if !rows.is_empty() {
        blocks.push(tables::table("tests", "Test | Result | It said", rows).into());
    }
    blocks
}

/// What was launched, and whether it is what this page is about.
pub(super) fn launch(audit: &Audit, launch: &LaunchFacts, what: &str) -> Block {
    // A function of Python has no grid of its own.
    if launch.grid == [0; 3] {
        let said = words!("Called by `kernel_audit.bench`: the function that launches `{}`.", &launch.kernel);
        return paragraph("launch", said);
    }
    let extent = |of: [u32; 3]| of.iter().map(|side| format::integer(u64::from(*side))).collect::<Vec<_>>().join(" × ");
    let mut said = words!(
        "Launched by `audit launch`: `{}`, grid {}, block {}",
        &launch.kernel,
        extent(launch.grid),
        extent(launch.block)
    );
    if let Some(cluster) = launch.cluster {
        said.push(format!(", cluster {}", extent(cluster)));
    }
    if launch.dynamic_shared > 0 {
        said.push(format!(", {} bytes of dynamic shared memory", format::integer(u64::from(launch.dynamic_shared))));
    }
    said.push(".");
    let built: Vec<&str> = audit.code.iter().map(|code| code.facts.code_sha256.as_str()).collect();
    match (launch.code_sha256.as_str(), built.as_slice()) {
        ("", _) => said.push(" The driver compiled it from PTX."),
        (_, []) => {}
        (own, built) if built.contains(&own) => said.push(" It is the machine code of this page's build."),
        (own, _) => {
            let own: String = own.chars().take(16).collect();
            said.push(words!(
                " **The {} ran other machine code** (SHA-256 `{}…`) than this page's build, and says nothing about it.",
                what,
                own
            ));
        }
    }
    let profiled = (audit.now.artefact.kernel.grid, audit.now.artefact.kernel.block);
    let same = |of: Option<crate::evidence::Dim3>, own: [u32; 3]| of.is_none_or(|of| of.0 == own.map(u64::from));
    if !(same(profiled.0, launch.grid) && same(profiled.1, launch.block)) {
        said.push(words!(" **The profile is of another grid or block.**"));
    }
    paragraph("launch", said)
}

/// The blocks about the runs; none where there are none.
fn sanitized(runs: &[SanitizerRun]) -> Vec<Block> {
    if runs.is_empty() {
        return Vec::new();
    }
    let mut blocks = vec![tools(runs).into()];
    let found: Vec<_> = runs.iter().flat_map(|run| run.findings.iter().map(move |found| (run, found))).collect();
    if !found.is_empty() {
        blocks.push(paragraph("sanitizer-findings", "Where:"));
        blocks.push(places(&found).into());
    }
    blocks
}

fn tools(runs: &[SanitizerRun]) -> Table {
    let row = |run: &SanitizerRun| {
        vec![
            code(run.tool.name()),
            text(run.tool.looks_for()),
            if run.is_clean() { result(run) } else { result(run).strong() },
        ]
    };
    let caption = "Each tool ran the same program before anything was measured.";
    Table {
        caption: caption.into(),
        ..tables::table("sanitizer", "compute-sanitizer | Looks for | Result", runs.iter().map(row))
    }
}

fn result(run: &SanitizerRun) -> Cell {
    if !run.not_measured.is_empty() {
        return text(format!("NOT MEASURED: {}", run.not_measured)).toned(Tone::Unsure);
    }
    let of = |level| run.findings.iter().filter(|finding| finding.level == level).count();
    let (errors, warnings) = (of(SanitizerLevel::Error), of(SanitizerLevel::Warning));
    let counted = |n: usize, word: &str| format::counted(n as u64, word);
    match (errors, warnings) {
        (0, 0) if run.findings.is_empty() => text("clean").toned(Tone::Good),
        (0, 0) => text(counted(run.findings.len(), "remark")),
        (0, n) => text(counted(n, "warning")),
        (n, 0) => text(format!("WRONG: {}", counted(n, "error"))).toned(Tone::Bad),
        (n, m) => text(format!("WRONG: {} and {}", counted(n, "error"), counted(m, "warning"))).toned(Tone::Bad),
    }
}

fn places(found: &[(&SanitizerRun, &SanitizerFinding)]) -> Table {
    let row = |&(run, finding): &(&SanitizerRun, &SanitizerFinding)| {
        let sites: Vec<String> = finding.sites.iter().map(site).collect();
        let hazards = if finding.hazards == 0 { Cell::default() } else { count(finding.hazards) };
        vec![
            code(run.tool.name()),
            text(if sites.is_empty() { "outside kernels".into() } else { sites.join("; ") }),
            text(finding.text.clone()),
            count(finding.records),
            hazards,
        ]
    };
    tables::table("sanitizer-findings", "Tool | Place | What | Threads: | Hazards:", found.iter().map(row))
}

fn site(site: &SanitizerSite) -> String {
    let function = format!("{}+{}", site.function, site.pc);
    let place = match site.line {
        0 => function,
        line => format!("{}:{line} ({function})", site.file),
    };
    if site.access.is_empty() { place } else { format!("{} at {place}", site.access) }
}
