//! `audit explain` knows the words of pages.

use crate::committed;
use crate::project::Project;
use kernel_audit::catalog;
use std::collections::BTreeSet;
use std::fs;

/// Tables whose first column holds names that audit gives, not names of the user's code.
const NAMED: [&str; 8] =
    ["Phase", "% of peak", "Level", "Build, launch", "Build, launch, occupancy", "Stall", "Resource", ""];

/// Columns, rows, verdicts and codes of a page.
fn words(page: &str, into: &mut BTreeSet<String>) {
    let lines: Vec<&str> = page.lines().collect();
    let mut first = String::new();
    for (at, line) in lines.iter().enumerate() {
        for verdict in line.split("**").skip(1).step_by(2).map(|bold| bold.trim_end_matches(['.', ':'])) {
            let is_word = verdict.len() > 3 && verdict.chars().all(|c| c.is_ascii_uppercase() || c == ' ');
            into.extend(is_word.then(|| verdict.to_owned()));
        }
        let names: Vec<&str> = line.split('`').collect();
        for (before, name) in names.iter().zip(&names[1..]).step_by(2) {
            let is_code = name.contains('-') && name.chars().all(|c| c.is_ascii_lowercase() || c == '-');
            into.extend((is_code || before.ends_with("lever ")).then(|| (*name).to_owned()));
        }
        let Some(row) = line.strip_prefix("| ") else { continue };
        let cells: Vec<&str> = row.trim_end_matches('|').split(" | ").map(str::trim).collect();
        if lines.get(at + 1).is_some_and(|next| next.starts_with("| -") || next.starts_with("| :")) {
            first = cells[0].to_owned();
            // Builds side by side have the names that their author gave them.
            let own = if first == "Build" { 1 } else { cells.len() };
            into.extend(cells.iter().take(own).map(|cell| (*cell).to_owned()));
        } else if !cells[0].starts_with('-') && NAMED.contains(&first.as_str()) {
            // A part of a loop stands behind a dot, products with their number, and a loop with its steps.
            let name = cells[0].trim_start_matches("· ").split(", ").next().filter(|_| first == "Phase");
            let name = name.filter(|name| name.contains("**")).unwrap_or(cells[0].trim_start_matches("· "));
            into.insert(if name.starts_with("issue ") { "issue of products" } else { name }.to_owned());
        }
    }
}

#[test]
fn every_word_of_a_committed_page_is_explained() {
    let mut all = BTreeSet::new();
    for snapshot in committed::snapshots() {
        words(&fs::read_to_string(snapshot.with_extension("md")).unwrap(), &mut all);
    }
    let plain = |word: &String| word.replace("**", "").trim_matches('`').trim_end_matches(':').to_owned();
    // What stands for itself: a number of a row, the user's own code, the reference by its name.
    let stands = |word: &String| {
        word.len() < 2
            || word.contains('`')
            || word.starts_with("Lines of ")
            || word.starts_with("% of ") && word != "% of peak"
            || word.contains('\\')
            // A unit, or opcodes, by what is said of them.
            || word.ends_with(": % of peak")
            || word.ends_with(": busy cycles")
            || word.starts_with("of the instructions ")
    };
    // A row may carry a number of its kernel in brackets.
    let is_known = |word: &String| {
        [word.as_str(), word.split(" (").next().unwrap_or_default()]
            .into_iter()
            .any(|word| catalog::explain(word).is_some())
    };
    let unknown: Vec<String> =
        all.iter().filter(|word| !stands(word)).map(plain).filter(|word| !is_known(word)).collect();
    assert!(all.len() > 40, "{all:?}");
    assert!(unknown.is_empty(), "words that `audit explain` does not know: {unknown:?}");
}

#[test]
fn words_are_found_in_any_letters_and_are_a_list() {
    let project = Project::new();
    for (word, says) in [
        ("AMBIGUOUS", "do not decide"),
        ("ambiguous", "do not decide"),
        ("Long scoreboard", "stall reason"),
        ("LG throttle", "stall reason"),
        ("roofline", "Peak rates"),
        ("pp", "Percentage points"),
        ("hypothesis", "before it is measured"),
        ("expectation", "own words"),
        ("prediction", "old page"),
        ("confidence", "How sure"),
        ("tail", "no block left"),
        ("issue floor", "schedulers"),
        ("conditional code", "some of its turns"),
        ("power cap", "clock"),
        ("back-pressure", "tensor pipe"),
        ("tile", "tile"),
        ("step", "turn"),
        ("stage", "shared memory"),
        ("waves-per-SM", "Grid size"),
        ("kind::mxf4", "tcgen05.mma"),
    ] {
        let told = project.words(&["explain", word]).done().split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(told.contains(says), "{word}: {told}");
    }
    let list = project.run("explain words").done();
    assert!(list.lines().count() > 40 && list.contains("NOT COMPARABLE"), "{list}");
}

#[test]
fn readings_of_checks_and_what_a_subject_states_are_explained() {
    let project = Project::new();
    let list = project.run("explain readings").done();
    let names: Vec<&str> = list.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.len() > 15 && names.contains(&"shared.conflict-share"), "{list}");
    let own = ["stall-rank.barrier", "change.cycles", "opcode.FFMA"];
    for name in names.into_iter().chain(own) {
        let said = project.words(&["explain", name]).done();
        assert!(said.contains("A reading for checks") || matches!(name, "time"), "{name}: {said}");
    }
    for word in ["hypothesis", "prediction", "expect", "confidence", "tail"] {
        project.words(&["explain", word]).done();
    }
    for unknown in ["shared.conflicts", "no-such-thing"] {
        project.words(&["explain", unknown]).ends(2, "nothing is known about");
    }
}

/// The words of the documents that this program grew from, with the beginning of what each is.
#[test]
fn the_words_of_playbooks_are_explained() {
    for (word, what) in [
        ("tcgen05.alloc", "tcgen05.alloc (PTX instruction)"),
        ("TCGEN05.WAIT", "tcgen05.wait (PTX instructions)"),
        ("CP.ASYNC.BULK", "cp.async.bulk (PTX instructions)"),
        ("CP.ASYNC.BULK.COMMIT", "cp.async.bulk.commit (PTX instructions)"),
        ("st.global.v8.b32", "st.global.v8.b32 (PTX instruction)"),
        ("st.shared.v4", "st.shared.v4 (PTX instructions)"),
        ("STG.E.V8", "STG (opcode)"),
        ("cta_group::2", "cta_group::2 (word)"),
        ("multicast", "multicast (word)"),
        ("--source-level all", "--source-level (word)"),
        ("--set source", "--set (word)"),
        ("--page raw", "--csv (word)"),
        ("--maxrregcount", "__launch_bounds__ (word)"),
        ("WarpStateStatistics", "WarpStateStats (section of ncu)"),
        ("SharedMemory", "MemoryWorkloadAnalysis_Tables (section of ncu)"),
        ("SpeedOfLight", "SpeedOfLight (section of ncu)"),
        ("Occupancy", "Occupancy (word)"),
        ("stalled_membar", "membar (stall reason)"),
        ("inst_executed_op_global_ld", "inst_executed_op_global_ld (metric)"),
        ("Bank Conflicts", "bank conflict (word)"),
        ("memory bound", "memory bound (word)"),
        ("wgmma_async", "warpgroup product (word)"),
        ("racecheck", "racecheck (word)"),
        ("ERR_NVGPUCTRPERM", "ERR_NVGPUCTRPERM (word)"),
        ("NVFP4", "NVFP4 (word)"),
        ("sync bound", "sync bound (word)"),
        // Heads of the table of what the assembler printed.
        ("Arch", "Architecture (word)"),
        ("Spill stores (B)", "Spill stores, callees included (word)"),
        ("Spill loads (B)", "Spill stores, callees included (word)"),
        ("Stack (B)", "Stack frame (word)"),
        ("Shared (B)", "Shared memory (word)"),
    ] {
        let told = catalog::explain(word).map(|told| format!("{} ({})", told.name, told.kind));
        assert_eq!(told.as_deref(), Some(what), "{word}");
    }
    for stranger in ["bound", "--no-such-option", "no::such", "ldg 128", "_", "s"] {
        assert!(catalog::explain(stranger).is_none(), "{stranger}");
    }
}
