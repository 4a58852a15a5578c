//! Code asks an opcode what it is: opcodes are named in their table, and hardly anywhere else.

use crate::layers::all_sources;
use cuda_binary::Op;
use std::fs;
use std::path::Path;

/// Names of opcodes that may stand outside the table, in the program and its crates without their tests.
const MOST: usize = 34;

/// The opcodes that a text of Rust names: as a value, or as a literal, with or without modifiers.
fn named(text: &str) -> Vec<String> {
    let own = text.split("#[cfg(test)]\nmod tests").next().unwrap_or(text);
    let code: String = own.lines().filter_map(|line| line.split("//").next()).map(|line| format!("{line}\n")).collect();
    let values =
        code.split("Op::").skip(1).map(|rest| rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next());
    let literals = code.split('"').skip(1).step_by(2);
    let is_opcode =
        |word: &str| word.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'.' || b == b'_');
    let words = literals.filter(|word| is_opcode(word)).map(|word| word.split('.').next());
    let known = values.chain(words).flatten().filter(|name| Op::of(name).is_known() && Op::of(name).name() == *name);
    known.map(str::to_owned).collect()
}

#[test]
fn opcodes_are_named_in_their_table() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = all_sources();
    let mut all: Vec<(String, String)> = Vec::new();
    for file in files.iter().filter(|file| !file.ends_with("op/table.rs")) {
        let text = fs::read_to_string(file).unwrap();
        all.extend(named(&text).into_iter().map(|name| (file.strip_prefix(root).unwrap().display().to_string(), name)));
    }
    assert!(all.len() <= MOST, "{} opcodes are named outside the table:\n{all:#?}", all.len());
}

#[test]
fn what_names_an_opcode_is_found() {
    assert_eq!(named("if op == Op::LDG { \"STG.E\" } // \"LDS\"\n// Op::LDL\nOp::of(x); \"Executed\""), ["LDG", "STG"]);
}
