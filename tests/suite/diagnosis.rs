//! The table of the diagnosis: every kernel whose limiter was stated before it was measured, with NVIDIA's rules beside it.

use crate::labelled::{self, Row};
use crate::written::is_as_written;
use crate::{labelled_fields, labelled_unseen};
use std::fmt::Write as _;
use std::path::Path;

/// A name, in bold where it is not the stated one.
fn marked(name: &str, is_stated: bool) -> String {
    if is_stated { name.to_owned() } else { format!("**{name}**") }
}

fn told(rows: &[Row]) -> String {
    let first = rows.iter().filter(|row| row.named[0] == row.stated).count();
    let met = rows.iter().filter(|row| row.named.contains(&row.stated)).count();
    let lines = rows.iter().filter(|row| row.line.ends_with("hit")).count();
    let agreed = rows.iter().filter(|row| row.rule.1).count();
    let (unseen, others) = labelled_unseen::met();
    let all = rows.len() + others;
    assert!(100 * (met + unseen) >= 94 * all, "{} of {all}", met + unseen);
    let mut text = format!(
        "Of {} kernels the verdict names the stated limiter in {met}: in {first} as what limits, else as what that is the cause of or cannot be told from. It points where the source says in {lines}. NVIDIA's rule that estimates the most for the whole kernel means the stated limiter in {agreed}. With those of [unseen.md](unseen.md) it is {} of {all}.\n\n| kernel | stated | the verdict | its line | NVIDIA's top rule |\n| --- | --- | --- | --- | --- |\n",
        rows.len(),
        met + unseen
    );
    for Row { kernel, stated, named, line, rule: (rule, agrees) } in rows {
        let (found, rule) = (marked(&named.join(", "), named.contains(stated)), marked(rule, *agrees));
        writeln!(text, "| {kernel} | {stated} | {found} | {line} | {rule} |").unwrap();
    }
    text
}

#[test]
fn the_table_of_the_diagnosis_is_what_came_out() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/evidence/diagnosis.md");
    is_as_written(&page, &told(&[labelled::rows(), labelled_fields::rows()].concat()));
}
