//! Reports of one launch that a test states number by number.

use crate::evidence::{Origin, Report, Want};

/// A report with these columns of ncu's raw page: name, unit, value.
pub(crate) fn report(columns: &[(&str, &str, &str)]) -> Report {
    let line = |part: fn(&(&str, &str, &str)) -> String| columns.iter().map(part).collect::<Vec<_>>().join(",");
    let text = format!(
        "{}\n{}\n{}\n",
        line(|column| format!("\"{}\"", column.0)),
        line(|column| format!("\"{}\"", column.1)),
        line(|column| format!("\"{}\"", column.2))
    );
    super::read(text.as_bytes(), Origin::default(), &Want::default()).unwrap()
}
