//! Tables of the documentation that tests make: what stands between two marks of a page is what came out.

use std::fs;
use std::path::Path;

const BEGIN: &str = "<!-- table -->\n";
const END: &str = "<!-- table end -->";

/// Holds a table against the one between the marks of a page; `INSTA_UPDATE=always` writes it.
#[track_caller]
pub(crate) fn is_as_written(page: &Path, table: &str) {
    let text = fs::read_to_string(page).unwrap_or_else(|error| panic!("{}: {error}", page.display()));
    let (head, rest) = text.split_once(BEGIN).expect("the page has the mark of a table");
    let (held, tail) = rest.split_once(END).expect("the table ends");
    let table = format!("\n{}\n\n", table.trim());
    if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        fs::write(page, format!("{head}{BEGIN}{table}{END}{tail}")).unwrap();
    } else {
        assert_eq!(held, table, "{}: make it again with INSTA_UPDATE=always", page.display());
    }
}
