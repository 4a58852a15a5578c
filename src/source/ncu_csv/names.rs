//! The metric behind a row of the details page.

use std::collections::HashMap;
use std::sync::LazyLock;

type Rows = HashMap<(&'static str, &'static str), Vec<(&'static str, &'static str)>>;

static ROWS: LazyLock<Rows> = LazyLock::new(|| {
    let mut rows = Rows::new();
    for line in include_str!("../../catalog/details_names.tsv").lines().filter(|line| !line.starts_with('#')) {
        let mut cells = line.split('\t');
        if let (Some(section), Some(name), Some(metric)) = (cells.next(), cells.next(), cells.next()) {
            rows.entry((section, name)).or_default().push((metric, cells.next().unwrap_or_default()));
        }
    }
    rows
});

/// The metric that the row `name` of `section` shows on a device of compute capability `cc`; `None` where it is not
/// known, where the capability is not, and below 7.0, whose metrics have other names.
pub(super) fn metric(section: &str, name: &str, cc: Option<(u32, u32)>) -> Option<&'static str> {
    let (major, minor) = cc?;
    let chip = major.checked_mul(10)?.checked_add(minor)?;
    if chip < 70 {
        return None;
    }
    let rows = ROWS.get(&(section, name))?;
    rows.iter().find(|(_, chips)| holds(chips, chip)).map(|(metric, _)| *metric)
}

/// Whether `chips` (`90-100,103`, `86-`, or nothing for all) holds `chip`.
fn holds(chips: &str, chip: u32) -> bool {
    chips.is_empty()
        || chips.split(',').any(|range| {
            let (low, high) = range.split_once('-').unwrap_or((range, range));
            let bound = |text: &str, open: u32| if text.is_empty() { Some(open) } else { text.parse().ok() };
            bound(low, 0).is_some_and(|low| low <= chip) && bound(high, u32::MAX).is_some_and(|high| chip <= high)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_well_formed_and_reachable() {
        let lines = include_str!("../../catalog/details_names.tsv").lines().filter(|line| !line.starts_with('#'));
        for line in lines.clone() {
            let cells: Vec<&str> = line.split('\t').collect();
            assert!(
                cells.len() == 4 && cells[2].contains("__") && !cells[0].is_empty() && !cells[1].is_empty(),
                "{line}"
            );
            let reached =
                (70..140).any(|chip| metric(cells[0], cells[1], Some((chip / 10, chip % 10))) == Some(cells[2]));
            assert!(reached, "{line}");
        }
        assert_eq!(lines.count(), ROWS.values().map(Vec::len).sum::<usize>());
    }

    #[test]
    fn the_chip_chooses_the_metric() {
        let row = |cc| metric("Memory Workload Analysis", "L2 Compression Input Sectors", cc);
        assert_eq!(row(Some((9, 0))), Some("lrc__ilc_input_sectors.sum"));
        assert_eq!(row(Some((8, 6))), Some("lts__gcomp_input_sectors.sum"));
        assert_eq!((row(Some((6, 1))), row(None)), (None, None));
    }
}
