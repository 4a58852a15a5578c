//! The other kernels of the report, by their share of its device time.

use super::numbers::{digits, time};
use crate::analysis::{Audit, OtherKernel};
use crate::quantity::format;
use crate::view::document::Section;
use crate::view::tables::{code, count, left, paragraph, right, table, text};
use crate::words;

/// Rows shown.
const SHOWN: usize = 8;

/// The section; `None` where the report holds no other kernel.
pub(super) fn section(audit: &Audit) -> Option<Section> {
    if audit.kernels.len() < 2 {
        return None;
    }
    let shown = &audit.kernels[..audit.kernels.len().min(SHOWN)];
    let has_share = shown.iter().any(|kernel| kernel.share.is_some());
    let mut columns = vec![left("Kernel"), left("Grid"), right("Launches"), right("Time per launch")];
    columns.extend(has_share.then(|| right("% of device time")));
    let row = |kernel: &OtherKernel| {
        let ns = kernel.time.value();
        // A grid without blocks is one that the report does not tell.
        let grid = kernel.kernel.grid.map(|grid| grid.to_string()).filter(|grid| !grid.starts_with("(0,"));
        let mut cells = vec![
            code(kernel.kernel.short_name()),
            text(grid.unwrap_or_default()),
            count(kernel.launches as u64),
            text(ns.map_or_else(|| "not measured".to_owned(), time)).sorted(ns),
        ];
        cells.extend(has_share.then(|| text(kernel.share.map(digits).unwrap_or_default()).sorted(kernel.share)));
        let stand_out =
            |cell: crate::view::Cell| if kernel.is_subject && !cell.words.is_empty() { cell.strong() } else { cell };
        cells.into_iter().map(stand_out).collect()
    };
    let mut blocks = vec![table("kernels", columns, shown.iter().map(row).collect()).into()];
    let rest = audit.kernels.len().saturating_sub(SHOWN);
    let rest =
        if rest > 0 { format!(" {} more in the full tables.", format::integer(rest as u64)) } else { String::new() };
    blocks.push(paragraph("pick", words!("`--kernel REGEX` audits another.{}", rest)));
    Some(Section::new("kernels", "Kernels of this report", blocks))
}
