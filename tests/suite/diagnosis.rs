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
    let met = rows.iter().filter(|row| row.found == row.stated).count();
    let lines = rows.iter().filter(|row| row.line.ends_with("hit")).count();
    let agreed = rows.iter().filter(|row| row.rule.1).count();
    let (unseen, others) = labelled_unseen::met();
    let all = rows.len() + others;
    assert!(10 * (met + unseen) >= 9 * all, "{} of {all}", met + unseen);
    let mut text = format!(
        "Of {} kernels the first finding is the stated limiter in {met}, and it points where the source says in {lines}. NVIDIA's rule that estimates the most for the whole kernel means the stated limiter in {agreed}. With those of [unseen.md](unseen.md) it is {} of {all}.\n\n| kernel | stated | first finding | its line | NVIDIA's top rule |\n| --- | --- | --- | --- | --- |\n",
        rows.len(),
        met + unseen
    );
    for Row { kernel, stated, found, line, rule: (rule, agrees) } in rows {
        let (found, rule) = (marked(found, found == stated), marked(rule, *agrees));
        writeln!(text, "| {kernel} | {stated} | {found} | {line} | {rule} |").unwrap();
    }
    text
}

#[test]
fn the_table_of_the_diagnosis_is_what_came_out() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/evidence/diagnosis.md");
    is_as_written(&page, &told(&[labelled::rows(), labelled_fields::rows()].concat()));
}
