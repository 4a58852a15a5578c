//! Several builds side by side: those of one source with times, resources and occupancy, and those of several audits.

use super::verdict::products;
use super::{build_name, resources};
use crate::analysis::code::{
    CodeAudit, CodeColumns, CodeColumnsRow, FRAME, INSTRUCTIONS, SPILL_LOADS, SPILL_STORES, StaticOccupancy, code_rows,
};
use crate::analysis::{Sample, Standing, VariantTimes};
use crate::catalog::chip_of_arch;
use crate::quantity::{format, glance};
use crate::view::columns::{lead, letters};
use crate::view::document::{Block, Cell, Column, Document, Section};
use crate::view::tables::{left, paragraph, right, table, text};
use crate::words::{Words, words};

/// The section; `None` where the source has one build.
pub(in crate::view) fn section(codes: &[CodeAudit], times: &[VariantTimes]) -> Option<Section> {
    let names: Vec<String> = match codes {
        [_, _, ..] => codes.iter().map(|code| build_name(codes, code)).collect(),
        _ => times.iter().map(|one| one.name.clone()).collect(),
    };
    if names.len() < 2 {
        return None;
    }
    // One column of times for each build, whatever it is built for.
    let of_column = |at: usize, name: &String| {
        let variant = codes.get(at).filter(|_| codes.len() > 1).map_or(name, |code| &code.facts.variant);
        times.iter().find(|one| one.name == *variant)
    };
    let measured: Vec<Option<&VariantTimes>> = names.iter().enumerate().map(|(at, name)| of_column(at, name)).collect();
    let (table, same) = side_by_side(&names, codes, &measured);
    let said = match times.is_empty() {
        true => " Nothing here says which one is faster.",
        false => {
            " Times are medians of launches of each build, compared with the first build, the subject of this page."
        }
    };
    let counts = match codes.len() {
        0 | 1 => "",
        _ => " Static counts: how often an instruction occurs in the code, not how often it ran.",
    };
    let words = words!("{} builds of one source.{}{}", names.len(), counts, said);
    let mut blocks = vec![paragraph("builds", words), table];
    blocks.extend((!same.is_empty()).then(|| paragraph("same", words!("The same in all: {}.", same.join("; ")))));
    Some(Section::new("variants", "Builds side by side", blocks))
}

/// What tells the builds apart, and what does not in words.
fn side_by_side(names: &[String], codes: &[CodeAudit], measured: &[Option<&VariantTimes>]) -> (Block, Vec<String>) {
    let mut columns = vec![left("Build")];
    columns.extend(names.iter().map(|name| right(name)));
    let mut rows = if codes.len() > 1 {
        [
            of_shape(codes),
            telling(code_rows(codes), codes.iter().all(|code| code.facts.printed().is_some()))
                .iter()
                .map(counted)
                .collect(),
        ]
        .concat()
    } else {
        Vec::new()
    };
    let is_nothing = |cell: &Cell| cell.sort.is_none_or(|number| number == 0.0);
    rows.retain(|row| !row[1..].iter().all(is_nothing));
    let (mut same, mut apart) = (Vec::new(), Vec::new());
    for row in times(measured).into_iter().chain(rows) {
        match row[1..].iter().all(|cell| cell.words == row[1].words) {
            true => same.push(format!("{} {}", row[0].words.to_plain(), row[1].words.to_plain())),
            false => apart.push(row),
        }
    }
    (table("builds", columns, apart).into(), same)
}

/// Resources that are parts of the rows of the occupancy or say the instructions in bytes.
const PARTS: [&str; 4] = ["Static shared memory", "Dynamic shared memory", "Shared memory left to the block", "Code"];
/// What the row of what ptxas printed has.
const PRINTED: [&str; 3] = [FRAME, SPILL_STORES, SPILL_LOADS];
/// Rows that say the same as another where their numbers are equal: a cap that every build reaches, local memory of spills alone.
const TOLD: [(&str, &str); 2] =
    [("Register cap", "Registers per thread"), ("Local memory", "Instructions that spill or refill")];
/// What is counted twice over: barriers, and the arrivals that these are initialised for.
const COUNTED: (&str, &str) = ("Initialisations of mbarriers", "Arrivals that mbarriers are initialised for");
/// What is in no class tells nothing.
const OTHER: &str = "Other";
/// A class of instructions has a row from this part of the code on where its counts are this factor apart.
const LARGE: f64 = 0.02;
const FACTOR: f64 = 1.2;
/// Such classes shown, those that are furthest apart.
const CLASSES: usize = 3;

/// The numbers that tell builds apart: resources, and classes of instructions whose counts differ; each build's own tables have all.
fn telling(mut rows: Vec<CodeColumnsRow>, is_printed: bool) -> Vec<CodeColumnsRow> {
    let is_part = |label: &str| PARTS.contains(&label) || is_printed && PRINTED.contains(&label);
    // What one build alone has is in its own table.
    rows.retain(|row| !is_part(&row.label) && row.values.iter().all(Option::is_some));
    let at = rows.iter().position(|row| row.label == INSTRUCTIONS).map_or(rows.len(), |at| at + 1);
    let classes = rows.split_off(at);
    let all = |row: &CodeColumnsRow| row.values.iter().copied().collect::<Option<Vec<f64>>>();
    let least = LARGE * rows.last().and_then(all).into_iter().flatten().fold(0.0, f64::max);
    let ends = |row: &CodeColumnsRow| {
        let values = || row.values.iter().map(|value| value.unwrap_or_default());
        (values().fold(f64::MAX, f64::min), values().fold(0.0, f64::max))
    };
    let spread = |row: &CodeColumnsRow| ends(row).1 - ends(row).0;
    let is_apart = |row: &CodeColumnsRow| ends(row).1 >= least && ends(row).1 >= FACTOR * ends(row).0;
    let mut classes: Vec<CodeColumnsRow> =
        classes.into_iter().filter(|row| row.label != OTHER).filter(is_apart).collect();
    classes.sort_by(|a, b| spread(b).total_cmp(&spread(a)));
    classes.truncate(CLASSES);
    rows.extend(classes);
    let values = |label: &str| rows.iter().find(|row| row.label == label).map(|row| row.values.clone());
    let told = TOLD.map(|(label, by)| values(label).filter(|own| values(by).as_ref() == Some(own)).map(|_| label));
    let has_arrivals = values(COUNTED.1).is_some();
    rows.retain(|row| !(told.contains(&Some(row.label.as_str())) || has_arrivals && row.label == COUNTED.0));
    rows
}

/// The times, and what is known of the results; no rows where nothing was measured. Wrong results have no time to quote.
fn times(measured: &[Option<&VariantTimes>]) -> Vec<Vec<Cell>> {
    if measured.iter().all(Option::is_none) {
        return Vec::new();
    }
    let row = |label: &str, of: &dyn Fn(&VariantTimes) -> String| -> Vec<Cell> {
        let cell = |one: &Option<&VariantTimes>| match one {
            Some(one) if one.standing == Standing::Wrong => text("WRONG"),
            Some(one) => text(of(one)),
            None => text("NOT MEASURED"),
        };
        std::iter::once(text(label)).chain(measured.iter().map(cell)).collect()
    };
    let sampled = |label: &str, of: fn(&VariantTimes) -> Option<Sample>| {
        let time = |one: &VariantTimes| of(one).map_or("NOT MEASURED".to_owned(), |sample| glance::time(sample.median));
        measured.iter().flatten().any(|one| of(one).is_some()).then(|| row(label, &time))
    };
    let mut against = row("Beside the first build", &|one| {
        let interval = one.against_first.and_then(|shift| Some((shift.factor, shift.interval?)));
        interval.map_or_else(
            || "NOT MEASURED".to_owned(),
            |(factor, (low, high))| {
                let percent = |factor: f64| format::change(1.0, factor);
                format!("{} ({} to {})", percent(factor), percent(low), percent(high))
            },
        )
    });
    if let Some(first) = against.get_mut(1) {
        *first = text("—");
    }
    let results = row("Results", &|one| match one.standing {
        Standing::Correct => "correct".to_owned(),
        Standing::NotChecked => "not checked".to_owned(),
        Standing::Wrong => "WRONG".to_owned(),
    });
    let times = [
        sampled("Duration under ncu", |one| one.profiled),
        sampled("Median of the benchmark", |one| one.timed),
        Some(against),
        Some(results),
    ];
    times.into_iter().flatten().collect()
}

/// What ptxas printed, shared memory with what the launch adds, and the blocks that it leaves room for.
fn of_shape(codes: &[CodeAudit]) -> Vec<Vec<Cell>> {
    let row = |label: &str, of: &dyn Fn(&CodeAudit) -> Option<String>| {
        // What nobody printed, or where several block sizes are looked at, sorts with what there is none of.
        let cell = |code: &CodeAudit| match of(code) {
            Some(said) => text(said).sorted(1.0),
            None => text("—"),
        };
        std::iter::once(text(label)).chain(codes.iter().map(cell)).collect()
    };
    let shared = |code: &CodeAudit| {
        let one = known(code)?;
        let room = chip_of_arch(&code.facts.arch).map(|chip| f64::from(chip.shared_per_sm));
        let share = room.map(|room| format!(" ({})", resources::of_shared(one.shared_bytes as f64, room)));
        Some(format!("{} B{}", format::integer(one.shared_bytes), share.unwrap_or_default()))
    };
    let blocks = |code: &CodeAudit| {
        let one = known(code)?;
        Some(format!("{} ({})", format::integer(one.blocks.into()), one.limiters().join(", ")))
    };
    vec![
        row(resources::PTXAS, &|code| code.facts.printed().map(resources::ptxas)),
        row("Shared memory of a block, dynamic included", &shared),
        row("Blocks on one SM, limited by", &blocks),
        row("Tensor instructions", &|code| products(code).map(|products| products.to_plain())),
    ]
}

/// The occupancy at the one block size that is known.
fn known(code: &CodeAudit) -> Option<&StaticOccupancy> {
    match code.facts.occupancies.as_slice() {
        [one] => Some(one),
        _ => None,
    }
}

/// A number that the builds have: a resource, instructions, or a class of them.
pub(super) fn counted(row: &CodeColumnsRow) -> Vec<Cell> {
    let unit = if row.unit.is_empty() { String::new() } else { format!(" {}", row.unit) };
    let value = |value: &Option<f64>| {
        let shown = value.map_or("—".to_owned(), |v| format!("{}{unit}", format::fixed(v, 0)));
        text(shown).sorted(*value)
    };
    std::iter::once(text(row.label.clone())).chain(row.values.iter().map(value)).collect()
}

/// The document of a comparison of the builds of these audits.
pub(crate) fn code_side_by_side(names: &[String], columns: &[CodeColumns]) -> Document {
    let letters = letters(names.len());
    let section = |one: &CodeColumns| {
        let columns: Vec<Column> =
            std::iter::once(left("What")).chain(letters.iter().map(|letter| right(letter))).collect();
        let rows = table("columns", columns, one.rows.iter().map(counted));
        let blocks = vec![paragraph("kernels", kernels(one, &letters)), rows.into()];
        Section::new(format!("code-{}", one.arch), format!("Code for {}", one.arch), blocks)
    };
    Document {
        title: "Comparison of machine code".into(),
        lead: lead(names, &letters),
        sections: columns.iter().map(section).collect(),
        ..Document::default()
    }
}

fn kernels(one: &CodeColumns, letters: &[String]) -> Words {
    let side = |at: usize| {
        let kernel = &one.kernels[at];
        if kernel.is_empty() {
            return words!("{}: no such build", &letters[at]);
        }
        let same = if at > 0 && one.same_as_first[at] { ", the same bytes as the first" } else { "" };
        words!("{}: `{}`{}", &letters[at], kernel, same)
    };
    let sides = words::join((0..one.kernels.len()).map(side), "; ");
    words!("{}. Static counts: how often an instruction occurs in the code, not how often it ran.", sides)
}
