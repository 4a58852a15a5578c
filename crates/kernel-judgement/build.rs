//! Writes the ids of catalogs as names of types.

#![allow(clippy::disallowed_methods, reason = "cargo tells a build script by the environment")]

use std::path::Path;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let out = env::var("OUT_DIR").unwrap_or_default();
    for (file, text) in [
        ("vocabulary.rs", vocabulary()),
        ("counters.rs", counters()),
        ("readings.rs", named("reading_forms", &ids("readings", "id"))),
    ] {
        if let Err(fault) = fs::write(Path::new(&out).join(file), text) {
            println!("cargo::error={out}: {fault}");
        }
    }
}

/// The ids of catalogs for the macros of `src/catalog/vocabulary.rs`, which make enums of them: `SolLow "sol-low",`.
fn vocabulary() -> String {
    let parts = ids("subsystems", "code");
    let is_own = |code: &String| !parts.contains(code) && code != "unknown-unit";
    let codes: Vec<String> = ids("limiters", "code").into_iter().filter(is_own).collect();
    let lists = [
        ("thresholds", ids("thresholds", "id")),
        ("stall_reasons", ids("stalls", "id")),
        ("parts", parts),
        ("codes", codes),
        ("actions", ids("levers", "code")),
        ("families", ids("families", "id")),
    ];
    lists.iter().map(|(list, ids)| named(list, ids)).collect()
}

/// The metrics of the catalog for the macro of `src/catalog/counters.rs`.
fn counters() -> String {
    let ids: Vec<String> = ["metrics", "counters"].iter().flat_map(|file| ids(file, "id")).collect();
    named("counter_names", &ids)
}

/// A call of a macro with ids and the names of their variants: the words of the id, where a percentage is one of its peak.
fn named(list: &str, ids: &[String]) -> String {
    let line = |id: &String| {
        let short = id.replace(".pct_of_peak_sustained_", ".pct_");
        let words = short.split(['-', '_', '.', ':']).filter(|word| !word.is_empty());
        format!("    {} {id:?},\n", words.map(|word| word[..1].to_uppercase() + &word[1..]).collect::<String>())
    };
    format!("{list}! {{\n{}}}\n", ids.iter().map(line).collect::<String>())
}

/// What stands under a key in the rows of a catalog.
fn ids(file: &str, key: &str) -> Vec<String> {
    let path = format!("src/catalog/{file}.toml");
    println!("cargo::rerun-if-changed={path}");
    let text = fs::read_to_string(&path).unwrap_or_default();
    let id = |line: &str| Some(line.strip_prefix(key)?.strip_prefix(" = \"")?.strip_suffix('"')?.to_owned());
    text.lines().filter_map(id).collect()
}
