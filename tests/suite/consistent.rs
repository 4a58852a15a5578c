//! That the figures and sentences of a page agree with each other, on every committed audit.

use super::committed::{self, Judged};
use kernel_audit::render::Templates;
use kernel_audit::view;
use std::fs;
use std::path::Path;

/// The number in front of `behind`, the first behind `from`: `5,100` between "takes " and " cycles".
fn number(line: &str, from: &str, behind: &str) -> Option<f64> {
    let rest = &line[line.find(from)? + from.len()..];
    rest[..rest.find(behind)?].replace(',', "").parse().ok()
}

/// The shares of the rows of a table whose first cell begins so: the new side's.
fn shares(page: &str, label: &str) -> f64 {
    let share = |line: &str| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(|cell| cell.trim().trim_matches('*')).collect();
        let is_row = cells.first()?.starts_with(label);
        let percent = |cell: &&str| cell.strip_suffix(" %").and_then(|number| number.parse::<f64>().ok());
        cells[1..cells.len() - 1].iter().filter(|_| is_row).rev().find_map(percent)
    };
    page.lines().filter(|line| line.starts_with('|')).filter_map(share).sum()
}

/// Where a line is named that no file has.
fn has_line_zero(line: &str) -> bool {
    line.match_indices(":0").any(|(at, _)| {
        let (before, behind) = (line[..at].chars().next_back(), line[at + 2..].chars().next());
        let is_number = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit() || c == 'x');
        !is_number(before) && !is_number(behind)
    })
}

/// Rows of accesses that read alike, and copies that bring less than they cannot avoid to bring.
fn odd_accesses(page: &str) -> Vec<String> {
    let (mut seen, mut odd) = (Vec::new(), Vec::new());
    for line in page.lines().filter(|line| line.starts_with("| `") || line.starts_with("| L2 →")) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let key = (cells[1], line.contains("inherent"));
        let is_twin = key.0.contains("(:") && seen.contains(&key);
        let factor = cells.iter().rev().find_map(|cell| cell.parse::<f64>().ok());
        if is_twin || line.contains("(operands of this tile shape)") && factor.is_some_and(|factor| factor < 0.99) {
            odd.push(line.to_owned());
        }
        seen.push(key);
    }
    odd
}

/// What on a page contradicts something else there.
fn contradictions(page: &str) -> Vec<String> {
    let page = page.split("<details>").next().unwrap_or_default();
    let mut found = odd_accesses(page);
    let next = page.split_once("\n## Next").map(|(_, behind)| behind.split("\n## ").next().unwrap_or_default());
    if page.contains("**Power cap:**")
        && !page.contains("** (`memory-dram`")
        && next.is_some_and(|next| !next.contains("nder the power cap"))
    {
        found.push("power holds the clock, and Next does not say it".to_owned());
    }
    for line in page.lines() {
        if let Some(step) = number(line, "A step takes ", " cycles") {
            let tile = page.lines().find(|line| line.contains(" cycles, ") && line.contains(" steps."));
            let whole = tile.and_then(|line| {
                let cycles = number(line, "each ", " cycles").or_else(|| number(line, "Warp lifetime: ", " cycles"))?;
                Some((cycles, number(line, " cycles, ", " steps")?))
            });
            match whole {
                None => found.push(format!("a step of what has none: {line}")),
                Some((cycles, steps)) if step * steps > 1.02 * cycles => {
                    found.push(format!("{steps} steps of {step} cycles in {cycles}: {line}"));
                }
                Some(_) => {}
            }
        }
        // Cycles times the length of a cycle is time, which the lead has as speed: `92 % of cuBLASLt`.
        let clocks = number(line, " At ", " GHz").zip(number(line, " GHz, and ", " there"));
        if let Some((own, theirs)) = clocks {
            let more = |from, behind| number(line, from, behind).map(|percent| 1.0 + percent / 100.0);
            let more = more(" there, ", " % more cycles").zip(more(" more cycles are ", " % more time"));
            let speed = number(page, "FLOP/s · ", " % of ").map(|percent| 100.0 / percent);
            let Some(((cycles, time), speed)) = more.zip(speed) else { continue };
            if (cycles * theirs / own / time - 1.0).abs() > 0.01 || (time / speed - 1.0).abs() > 0.01 {
                found.push(format!("cycles, clocks and time do not agree: {line}"));
            }
        }
        if has_line_zero(line) {
            found.push(format!("line 0: {line}"));
        }
        if line.contains("no unit is saturated") && !page.contains("\n## Units") {
            found.push(format!("units that nobody measured: {line}"));
        }
        if line.contains("`LDTM`")
            && line.contains(" is used ")
            && !line.contains("issue the next load before the wait")
        {
            found.push(format!("other warps cannot read this quarter of tensor memory: {line}"));
        }
        let tiles = line.split(" of a warp's lifetime in tile loads and barriers").next();
        if let Some(told) = tiles.filter(|told| told.len() < line.len()).and_then(|told| told.strip_suffix(" %")) {
            let told: f64 = told.rsplit(' ').next().and_then(|told| told.parse().ok()).unwrap_or_default();
            let sum = shares(page, "· load") + shares(page, "· barrier");
            if told < sum - 0.2 {
                found.push(format!("{told} % here, {sum:.1} % in the phases: {line}"));
            }
        }
    }
    found
}

#[test]
fn no_committed_audit_contradicts_itself() {
    let (mut all, mut steps, mut tiles) = (Vec::new(), 0, 0);
    // These pages are what is written today: `committed` holds them to it.
    for path in committed::snapshots() {
        let page = crate::project::loose(&fs::read_to_string(path.with_extension("md")).unwrap());
        all.extend(contradictions(&page).into_iter().map(|fault| format!("{}: {fault}", path.display())));
        steps += usize::from(page.contains("A step takes "));
        tiles += usize::from(page.contains("in tile loads and barriers"));
    }
    assert!(all.is_empty(), "{all:#?}");
    assert!(steps > 5 && tiles > 2, "{steps} {tiles}");
}

#[test]
fn a_contradiction_is_found() {
    let tile = "Persistent blocks: 1,088 tiles, each 51,600 cycles, 8 steps.\n";
    let good = format!("{tile}- A step takes 5,100 cycles; the tensor pipe is busy.\n");
    assert_eq!(contradictions(&good), Vec::<String>::new());
    for bad in [
        good.replace("5,100", "45,756"),
        good.replace(", 8 steps", ""),
        "**384 µs · 715 TFLOP/s · 92 % of cuBLASLt**\n- Against cuBLASLt: idle. At 1.69 GHz, and 1.55 there, 18.7 % more cycles are 18.7 % more time.".into(),
        "Most of its work is at `gemm.cu:0`.".into(),
        "Largest wait (:0 from :309)".into(),
        "Barrier takes 18.0 % of the warps' time; no unit is saturated.".into(),
        "The result of `LDTM` at line 119 is used 4 cycles after issue; 4 warps per scheduler would hide the latency.".into(),
        "| · load | :18 | 19.1 % | 876 | x |\n| · barrier | :18 | 6.0 % | **9.3 %** | 276 | y |\n| 4 | 25.8 % of a warp's lifetime in tile loads and barriers |".into(),
    ] {
        assert_eq!(contradictions(&bad).len(), 1, "{bad}");
    }
    assert!(!has_line_zero("`:107` and 0:0 at c:0x10"));
}

#[test]
fn shared_memory_of_a_block_is_one_number() {
    let made = committed::snapshot("2026-11-20-gemm_bias");
    let audit = made.audit();
    let (_, reading) = audit.line.iter().find(|(name, _)| name == "shared.per-block").expect("a column");
    assert_eq!(reading.value(), Some(8_448.0));
    let page = crate::project::loose(
        &Templates::load(None).unwrap().marked_page("audit", &view::document(&made.heading, &audit)).unwrap().text,
    );
    assert!(page.contains("8,448 B") && !page.contains("9,472"), "{page}");
}

#[test]
fn builds_side_by_side_show_what_tells_them_apart() {
    let made = committed::snapshot("2026-11-25-block_scaled_gemm");
    let page = view::document(&made.heading, &made.audit());
    let page = crate::project::loose(&Templates::load(None).unwrap().marked_page("audit", &page).unwrap().text);
    let rows: Vec<&str> = page
        .lines()
        .skip_while(|line| !line.starts_with("| Build "))
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .collect();
    let has = |label: &str| rows.iter().any(|row| row.starts_with(&format!("| {label}")));
    assert!(has("Shared memory of a block") && has("Registers") && has("Instructions") && has("tcgen05"), "{rows:#?}");
    assert!(rows.len() <= 9 && !has("Static shared") && !has("Other"), "{rows:#?}");
}

#[test]
fn no_page_of_the_documentation_installs_what_nobody_published() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![root.join("docs")];
    let mut files = vec![root.join("README.md"), root.join("action.yml")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    let mut installs = 0;
    for file in files.iter().filter(|file| file.extension().is_some_and(|kind| kind == "md" || kind == "yml")) {
        for line in fs::read_to_string(file).unwrap().lines() {
            for command in line.match_indices("cargo install ").map(|(at, _)| &line[at..]) {
                installs += 1;
                assert!(command.contains("--path") || command.contains("--git"), "{}: {line}", file.display());
            }
        }
    }
    assert!(installs > 0);
}

/// The number of a factor: `96`, `2,048 blocks`.
fn factor(words: &str) -> Option<f64> {
    words.split(' ').next()?.replace(',', "").parse().ok()
}

#[test]
fn a_count_that_follows_from_the_code_is_all_that_was_executed() {
    let mut told = 0;
    for Judged { path, audit, .. } in committed::audits() {
        let page = fs::read_to_string(path.with_extension("md")).unwrap().replace('\u{a0}', " ");
        let counts = page.split(['.', ';', '\n']).filter(|part| part.contains(" warp") && part.contains("` = "));
        for (name, product) in counts.filter_map(|part| part.trim().strip_prefix('`')?.split_once("` = ")) {
            let Some(factors) = product.split(" × ").map(factor).collect::<Option<Vec<f64>>>() else { continue };
            let executed = audit.now.mix.count(|op| op.name() == name).expect(name);
            let product: f64 = factors.iter().product();
            assert!((product / executed - 1.0).abs() < 1e-3, "{}: {name} {product}, not {executed}", path.display());
            told += 1;
        }
    }
    assert!(told > 40, "{told}");
}
