//! The gate: a finished page is parsed again and compared with what went in before anything is written.

use super::error::RenderError;
use super::outline::{Grid, Outline};

/// Checks that a Markdown parser reads from a page what was placed on it.
///
/// Tables must be the same in number, order, header, alignment and every cell, folded ones included. Headings, verbatim
/// blocks and images must all be there in order; a template may add its own. Errors: [`RenderError::Rejected`] names
/// the first part that differs.
pub(super) fn check(page: &str, expected: &Outline) -> Result<(), RenderError> {
    let found = Outline::of_markdown(page);
    if let Some(foreign) = found.foreign.first() {
        return reject("the page".to_owned(), "only what the document and its templates write", foreign);
    }
    if let Some(live) = found.live.iter().find(|live| !expected.live.contains(live)) {
        return reject(
            "the page".to_owned(),
            "no link, mention or element that neither it nor its template places",
            live,
        );
    }
    in_order("heading", &expected.headings, &found.headings)?;
    for (at, table) in expected.tables.iter().enumerate() {
        match found.tables.get(at) {
            Some(other) => same_table(table, other)?,
            None => return reject(table_name(table), "a table", "none"),
        }
    }
    if let Some(extra) = found.tables.get(expected.tables.len()) {
        let place = format!("under the heading {:?}", extra.name);
        return reject(place, "no further table", &format!("one with the header {:?}", extra.header));
    }
    in_order("verbatim block", &expected.code, &found.code)?;
    let images = |outline: &Outline| -> Vec<String> {
        outline.images.iter().map(|(alt, target)| format!("![{alt}]({target})")).collect()
    };
    in_order("image", &images(expected), &images(&found))
}

fn same_table(expected: &Grid, found: &Grid) -> Result<(), RenderError> {
    let name = table_name(expected);
    if expected.header != found.header {
        return reject(format!("{name}, header"), &format!("{:?}", expected.header), &format!("{:?}", found.header));
    }
    if let Some(at) = (0..expected.right.len()).find(|at| expected.right.get(*at) != found.right.get(*at)) {
        let word = |right: bool| if right { "right-aligned" } else { "left-aligned" };
        let column = &expected.header[at];
        return reject(format!("{name}, column {column:?}"), word(expected.right[at]), word(!expected.right[at]));
    }
    for (at, row) in expected.rows.iter().enumerate() {
        let place = format!("{name}, row {}", at + 1);
        if row.len() != expected.header.len() {
            let cells = format!("{} cells, one for each column", expected.header.len());
            return reject(place, &cells, &format!("{} cells in the document", row.len()));
        }
        let Some(other) = found.rows.get(at) else {
            return reject(place, &format!("{row:?}"), "no such row");
        };
        for ((column, cell), text) in expected.header.iter().zip(row).zip(other) {
            if cell != text {
                return reject(format!("{place}, column {column:?}"), &format!("{cell:?}"), &format!("{text:?}"));
            }
        }
    }
    match found.rows.get(expected.rows.len()) {
        Some(extra) => reject(name, &format!("{} rows", expected.rows.len()), &format!("one more: {extra:?}")),
        None => Ok(()),
    }
}

/// Every expected text must be found, in order; others may stand between.
fn in_order(what: &str, expected: &[String], found: &[String]) -> Result<(), RenderError> {
    let mut rest = found.iter();
    for (at, text) in expected.iter().enumerate() {
        if !rest.any(|other| other == text) {
            let near = found.get(at).map_or("nothing".to_owned(), |other| format!("{other:?} in its place"));
            return reject(format!("{what} {}", at + 1), &format!("{text:?}"), &near);
        }
    }
    Ok(())
}

fn table_name(table: &Grid) -> String {
    format!("table {:?}", table.name)
}

pub(super) fn reject<T>(place: String, expected: &str, found: &str) -> Result<T, RenderError> {
    Err(RenderError::Rejected { place, expected: expected.to_owned(), found: found.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gate_names_table_row_and_column() {
        let grid = |row: &[&str]| Grid {
            name: "t".into(),
            right: vec![false, true],
            header: vec!["A".into(), "B".into()],
            rows: vec![row.iter().map(|cell| (*cell).to_owned()).collect()],
        };
        let check = |body: &str, grid: Grid| {
            let expected = Outline { tables: vec![grid], ..Outline::default() };
            check(&format!("# Title\n\n## Stalls\n\n{body}\n"), &expected).map_err(|error| error.to_string())
        };
        assert_eq!(check("| A | B |\n|---|--:|\n| 1 | 2 |", grid(&["1", "2"])), Ok(()));
        for (body, what) in [
            ("| A | B |\n|---|--:|\n| 1 | 3 |", "table \"t\", row 1, column \"B\": expected \"2\", found \"3\""),
            ("| A | B |\n|---|--:|\n| 1 | 2 |\n| 3 | 4 |", "expected 1 rows, found one more"),
            ("| A | B |\n|---|--:|", "row 1: expected [\"1\", \"2\"], found no such row"),
            ("| A | B |\n|---|---|\n| 1 | 2 |", "column \"B\": expected right-aligned, found left-aligned"),
            ("| A | C |\n|---|--:|\n| 1 | 2 |", "header: expected [\"A\", \"B\"], found [\"A\", \"C\"]"),
            ("| A | B |\n|--:|\n| 1 | 2 |", "expected a table, found none"),
            ("| A | B |\n|---|--:|\n| 1 | 2 |\n\n| A |\n|---|", "expected no further table"),
        ] {
            let error = check(body, grid(&["1", "2"])).expect_err(body);
            assert!(error.contains(what), "{error}");
        }
        let error = check("| A | B |\n|---|--:|\n| 1 | |", grid(&["1"])).expect_err("a cell is missing");
        assert!(error.contains("row 1: expected 2 cells"), "{error}");
    }
}
