//! Which part of dynamic shared memory lies where, as stated, against its size and the mbarriers that the code initialises.

use super::checked::{Checked, Seen};
use super::layout::Layout;
use super::resources::{Agreement, ResourceRow, row};
use super::shared_map::{Initialised, MBARRIER};
use crate::quantity::format;

/// A part of dynamic shared memory, as audit.toml states it; offsets are bytes from where the kernel's layout begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedPart {
    /// What lies there.
    pub name: String,
    /// Offset of the first.
    pub at: u64,
    pub bytes: u64,
    /// How many there are, each `every` bytes behind the one before.
    pub times: u64,
    /// Bytes from one to the next.
    pub every: u64,
    /// What each offset is a multiple of.
    pub align: u64,
    /// Whether it is the mbarriers of the kernel, all of them.
    pub has_mbarriers: bool,
    /// Only for this variant of the subject; all when empty.
    pub variant: String,
}

/// What the check is called, and what it asks.
pub(super) const NAME: &str = "layout of shared memory";
pub(super) const RULE: &str =
    "parts lie apart and aligned within the dynamic memory, mbarriers where the code initialises them";

impl SharedPart {
    fn say(&self) -> String {
        let at = format::integer(self.at);
        match self.times {
            1 => format!("Shared as stated ({}, at {at})", self.name),
            many => {
                format!("Shared as stated ({}, {many} × every {} B from {at})", self.name, format::integer(self.every))
            }
        }
    }
}

/// The rows of the parts, what is left behind the last, and the check of the layout; nothing where none is stated.
pub(super) fn checked(
    parts: &[SharedPart],
    dynamic: Option<u64>,
    initialised: Initialised,
) -> Option<(Vec<ResourceRow>, Checked)> {
    let end = parts.iter().map(|part| part.at + (part.times - 1) * part.every + part.bytes).max()?;
    let mut rows: Vec<ResourceRow> = parts.iter().map(|part| row_of(part, initialised)).collect();
    let left = dynamic.and_then(|dynamic| dynamic.checked_sub(end));
    rows.extend(left.map(|left| row("Shared behind the last part", "B", None, None, Some(left))));
    let beyond = dynamic.and_then(|dynamic| end.checked_sub(dynamic)).filter(|by| *by > 0);
    let fault = fault(parts).or_else(|| beyond.map(|by| Layout::Beyond { end, by }));
    let layout = match (fault, dynamic) {
        (Some(fault), _) => fault,
        (None, None) => Layout::Unstated,
        (None, Some(dynamic)) => unseen(parts, initialised).unwrap_or(Layout::Fits { end, dynamic }),
    };
    let seen = Seen::Layout(layout);
    let check = Checked { name: NAME.into(), rule: RULE.into(), seen, deciding: Vec::new(), deciding_count: 0 };
    Some((rows, check))
}

fn row_of(part: &SharedPart, initialised: Initialised) -> ResourceRow {
    let seen = initialised.filter(|_| part.has_mbarriers).map(|(from, to)| to - from);
    let stated = part.bytes * part.times;
    let found = row(&part.say(), "B", None, seen, Some(stated));
    match seen {
        Some(seen) if seen != stated => ResourceRow { agreement: Agreement::Differs, ..found },
        _ => found,
    }
}

/// Two parts in one place, or one that is not aligned.
fn fault(parts: &[SharedPart]) -> Option<Layout> {
    let each = |part: &'_ SharedPart| (0..part.times).map(|n| part.at + n * part.every).collect::<Vec<_>>();
    let mut all: Vec<(u64, &SharedPart)> =
        parts.iter().flat_map(|part| each(part).into_iter().map(move |at| (at, part))).collect();
    all.sort_by_key(|(at, _)| *at);
    let askew = all.iter().find(|(at, part)| at % part.align != 0);
    askew.map(|(at, part)| Layout::Askew { part: part.name.clone(), at: *at, align: part.align }).or_else(|| {
        let over = all.windows(2).find(|pair| pair[0].0 + pair[0].1.bytes > pair[1].0)?;
        let [(at, first), (next, second)] = [over[0], over[1]];
        Some(Layout::Over { first: first.name.clone(), end: at + first.bytes, second: second.name.clone(), at: next })
    })
}

/// Why the code does not show the mbarriers where they are stated; `None` where it does, or none are stated.
fn unseen(parts: &[SharedPart], initialised: Initialised) -> Option<Layout> {
    let part = parts.iter().find(|part| part.has_mbarriers)?;
    let stated = part.bytes * part.times;
    match initialised {
        None => Some(Layout::Computed),
        Some((from, to)) if to - from != stated => {
            Some(Layout::Count { seen: (to - from) / MBARRIER, stated: stated / MBARRIER })
        }
        Some((from, _)) => (from != part.at && from != 0).then_some(Layout::Away { from }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Judgement;

    fn part(name: &str, at: u64, bytes: u64, times: u64, every: u64) -> SharedPart {
        let has_mbarriers = name == "mbarriers";
        SharedPart { name: name.into(), at, bytes, times, every, align: 8, has_mbarriers, variant: String::new() }
    }

    fn end(parts: &[SharedPart], dynamic: Option<u64>, initialised: Initialised) -> (Judgement, String) {
        let check = checked(parts, dynamic, initialised).unwrap().1.beside(None);
        (check.verdict, check.found)
    }

    /// Two stages of 96 bytes, A of 64 and B of 32, and four mbarriers behind them.
    fn ring() -> Vec<SharedPart> {
        vec![part("A", 0, 64, 2, 96), part("B", 64, 32, 2, 96), part("mbarriers", 192, 32, 1, 32)]
    }

    #[test]
    fn a_layout_that_fits_says_what_is_left() {
        assert_eq!(end(&ring(), Some(228), Some((192, 224))), (Judgement::Holds, "ends at 224 of 228 B".into()));
        let (rows, _) = checked(&ring(), Some(228), Some((192, 224))).unwrap();
        let found: Vec<_> = rows.iter().map(|row| (row.label.as_str(), row.cubin, row.launch)).collect();
        assert_eq!(
            found,
            [
                ("Shared as stated (A, 2 × every 96 B from 0)", None, Some(128)),
                ("Shared as stated (B, 2 × every 96 B from 64)", None, Some(64)),
                ("Shared as stated (mbarriers, at 192)", Some(32), Some(32)),
                ("Shared behind the last part", None, Some(4)),
            ]
        );
        assert!(checked(&[], Some(1), None).is_none(), "nothing is stated");
    }

    #[test]
    fn what_lies_wrong_is_named_with_its_bytes() {
        let fails = |parts: &[SharedPart], dynamic, seen, words: &str| {
            assert_eq!(end(parts, Some(dynamic), seen), (Judgement::Fails, words.to_owned()));
        };
        let mut over = ring();
        over[0].bytes = 68;
        fails(&over, 228, None, "A ends at 68, B begins at 64");
        let mut askew = ring();
        askew[1].at = 68;
        fails(&askew, 228, None, "B at 68 is not at a multiple of 8");
        fails(&ring(), 220, None, "ends at 224, 4 B beyond the dynamic memory");
        fails(&ring(), 228, Some((192, 232)), "the code initialises 5 mbarriers, 4 are stated");
    }

    #[test]
    fn what_the_code_does_not_show_is_open() {
        let open = |seen| end(&ring(), Some(228), seen).0;
        assert_eq!([open(None), open(Some((8, 40)))], [Judgement::Unclear; 2]);
        assert_eq!(open(Some((0, 32))), Judgement::Holds, "the register points at the barriers themselves");
        assert_eq!(end(&ring(), None, None).0, Judgement::Unclear);
    }
}
