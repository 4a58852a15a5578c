//! Writes the ids of catalogs as enums, and the catalogs as JSON.

#![allow(clippy::disallowed_methods, reason = "cargo tells a build script by the environment")]

use std::path::Path;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/catalog");
    let write = |file: &str, text: String| {
        let path = Path::new(&env::var("OUT_DIR").unwrap_or_default()).join(file);
        fs::write(&path, text).unwrap_or_else(|fault| println!("cargo::error={}: {fault}", path.display()));
    };
    write("vocabulary.rs", vocabulary());
    write("counters.rs", counters());
    write("readings.rs", readings());
    for path in fs::read_dir("src/catalog").into_iter().flatten().flatten().map(|entry| entry.path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if !name.ends_with(".toml") {
            continue;
        }
        match toml::from_str::<serde_json::Value>(&fs::read_to_string(&path).unwrap_or_default()) {
            Ok(rows) => write(&format!("{name}.json"), rows.to_string()),
            Err(fault) => println!("cargo::error=src/catalog/{name}: {}", fault.to_string().replace('\n', " ")),
        }
    }
}

/// What enums of ids can do that are read and written by their ids, in this case.
fn by_id(case: &str) -> String {
    let can = "PartialOrd, Ord, Hash, Display, EnumString, IntoStaticStr, VariantArray, Serialize, Deserialize";
    format!("{can})]\n#[strum(serialize_all = {case:?})]\n#[serde(rename_all = {case:?}")
}

/// The enums of `src/catalog/vocabulary.rs`.
fn vocabulary() -> String {
    let (kebab, snake) = (by_id("kebab-case"), by_id("snake_case"));
    let parts = ids("subsystems", "code");
    let is_own = |code: &String| !parts.contains(code) && code != "unknown-unit";
    let codes: Vec<String> = ids("limiters", "code").into_iter().filter(is_own).collect();
    let named: String = codes.iter().map(|id| format!("(Code::{}, {id:?}), ", variant(id))).collect();
    let limits = "What limits a kernel, and what was found. The words are rows of `limiters.toml`.";
    let others = "/// A part of the chip near its peak: `memory-dram`.
    Unit(Part),
    /// Warps wait for this reason: `latency-long-scoreboard`, `sync-barrier`.
    Wait(StallReason),";
    [
        listed(
            "A number that a judgement compares with: a row of `thresholds.toml`, which says what each is.",
            ("Threshold", &kebab, ""),
            &ids("thresholds", "id"),
        ),
        listed("A stall reason: a row of `stalls.toml`.", ("StallReason", &snake, ""), &ids("stalls", "id")),
        listed(
            "A part of the chip: a row of `subsystems.toml`, or none of them.",
            ("Part", &kebab, "UnknownUnit,"),
            &parts,
        ),
        listed(limits, ("Code", "PartialOrd, Ord, Hash", others), &codes),
        format!("impl Code {{\n    /// Those with a name of their own.\n    const NAMED: &[(Code, &str)] = &[{named}];\n}}\n"),
        listed("What to do about a limit: a row of `levers.toml`.", ("Action", &kebab, ""), &ids("levers", "code")),
        listed(
            "A family of metrics that is told by their names: a row of `families.toml`.",
            ("Family", &kebab, ""),
            &ids("families", "id"),
        ),
    ]
    .concat()
}

/// The enum of `src/catalog/counters.rs`, with its names.
fn counters() -> String {
    let ids: Vec<String> = ["metrics", "counters"].iter().flat_map(|file| ids(file, "id")).collect();
    let doc = "A metric of ncu that the catalog lists, called by the words of its name; `Pct` at the end is of the sustained peak.";
    let names = format!("const NAMES: &[&str] = &{ids:?};\n");
    listed(doc, ("Counter", "PartialOrd, Ord, Hash", ""), &ids) + &names
}

/// The enum of `src/catalog/readings.rs`.
fn readings() -> String {
    let doc = "A name or a form of names that a reading can have: a row of `readings.toml`.";
    listed(doc, ("ReadingForm", "VariantArray", ""), &ids("readings", "id"))
}

/// An enum with a variant for each id and some others: its name, and what it can do beside being compared and copied.
fn listed(doc: &str, (name, can, others): (&str, &str, &str), ids: &[String]) -> String {
    let variants: String = ids.iter().map(|id| format!("    #[doc = {id:?}] {},\n", variant(id))).collect();
    format!(
        "/// {doc}\n#[derive(Clone, Copy, Debug, PartialEq, Eq, {can})]\npub enum {name} {{\n{variants}    {others}\n}}\n"
    )
}

/// The words of an id, where a percentage is one of its peak.
fn variant(id: &str) -> String {
    let short = id.replace(".pct_of_peak_sustained_", ".pct_");
    let words = short.split(['-', '_', '.', ':']).filter(|word| !word.is_empty());
    words.map(|word| word[..1].to_uppercase() + &word[1..]).collect()
}

/// What stands under a key in the rows of a catalog.
fn ids(file: &str, key: &str) -> Vec<String> {
    let path = format!("src/catalog/{file}.toml");
    let text = fs::read_to_string(&path).unwrap_or_default();
    let id = |line: &str| Some(line.strip_prefix(key)?.strip_prefix(" = \"")?.strip_suffix('"')?.to_owned());
    text.lines().filter_map(id).collect()
}
