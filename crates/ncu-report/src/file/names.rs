//! The string table, resolved once per read: which ids were asked for, in which place, with which unit.

use super::device;
use crate::ncu_units::unit_of;
use crate::unasked::is_asked_for;
use crate::{NameSet, Unit, Want};
use arcstr::ArcStr;
use bytes::Bytes;
use cuda_binary::text::lossy;
use std::borrow::Cow;

/// A metric that will be decoded.
pub(super) struct Asked {
    pub(super) name: ArcStr,
    pub(super) unit: Unit,
    /// Whether it goes into the launch; false for one that is only read to know the device or the grid.
    pub(super) deliver: bool,
    /// Whether it says something of the device or the grid.
    pub(super) is_of_device: bool,
    pub(super) instances: Instances,
    /// Whether it is read of a result of which no more than what tells its kernel is read.
    pub(super) is_brief: bool,
}

/// Of which results the instances of a metric are decoded.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Instances {
    None,
    First,
    All,
}

impl Instances {
    fn of(name: &str, want: &Want) -> Instances {
        if want.instances.contains(name) {
            Instances::All
        } else if want.has_first_instances(name) {
            Instances::First
        } else {
            Instances::None
        }
    }

    /// Whether those of a result are; `is_first` says that it is the first of its kernel.
    pub(super) fn are_wanted(self, is_first: bool) -> bool {
        match self {
            Instances::None => false,
            Instances::First => is_first,
            Instances::All => true,
        }
    }
}

/// The string table as one read sees it.
pub(super) struct Names {
    /// For each id the position in `asked`, where the metric will be decoded.
    slots: Vec<Option<u32>>,
    /// The metrics to decode, sorted by name, each name once.
    pub(super) asked: Vec<Asked>,
    /// Whether a result used the id.
    used: Vec<bool>,
}

impl Names {
    /// Resolves the strings of all blocks; `brief` are the metrics that are read of every result.
    pub(super) fn new(strings: &[Bytes], want: &Want, brief: &NameSet) -> Names {
        let mut wanted: Vec<(Cow<'_, str>, usize, bool)> = Vec::new();
        let is_all = want.wants_all(strings.iter().filter_map(|string| std::str::from_utf8(string).ok()));
        for (id, string) in strings.iter().enumerate() {
            let name = lossy(string);
            let deliver = want.metrics.contains(&name) || is_all && is_asked_for(&name);
            if deliver || device::is_needed(&name) {
                wanted.push((name, id, deliver));
            }
        }
        wanted.sort_unstable();
        let mut slots = vec![None; strings.len()];
        let mut asked: Vec<Asked> = Vec::with_capacity(wanted.len());
        for (name, id, deliver) in wanted {
            if asked.last().is_none_or(|last| *last.name != *name) {
                asked.push(Asked {
                    unit: if deliver { unit_of(&name) } else { Unit::NONE },
                    deliver,
                    is_of_device: device::is_needed(&name),
                    is_brief: device::is_needed(&name) || brief.contains(&name),
                    instances: Instances::of(&name, want),
                    name: name.into(),
                });
            }
            slots[id] = u32::try_from(asked.len() - 1).ok();
        }
        Names { slots, asked, used: vec![false; strings.len()] }
    }

    /// Notes that a result uses an id and gives the position of its metric in `asked`: `None` for an id that the
    /// table does not have, `Some(None)` for a metric that nobody asked for.
    pub(super) fn use_id(&mut self, id: u32) -> Option<Option<usize>> {
        let at = id as usize;
        *self.used.get_mut(at)? = true;
        Some(self.slots[at].map(|slot| slot as usize))
    }

    /// How many names there are.
    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    /// The names that no result used, in the order of the table, and those that some result used.
    pub(super) fn by_use<'a>(&self, strings: &'a [Bytes]) -> (Vec<&'a str>, Vec<&'a str>) {
        let mut unused = Vec::new();
        let mut used = Vec::new();
        for (string, is_used) in strings.iter().zip(&self.used) {
            if let Ok(name) = std::str::from_utf8(string) {
                if *is_used { used.push(name) } else { unused.push(name) }
            }
        }
        (unused, used)
    }
}
