//! How a stated layout of shared memory stands to the code.

use crate::analysis::judgement::Judgement;
use crate::quantity::format;

/// A stated layout beside the code, offsets and sizes in bytes.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layout {
    /// Its parts lie apart and aligned within the dynamic memory.
    Fits {
        /// Where the last part ends.
        end: u64,
        /// Dynamic shared memory of a block.
        dynamic: u64,
    },
    /// The size of the dynamic memory is not stated.
    Unstated,
    /// A part that is not aligned.
    Askew {
        /// Its name.
        part: String,
        /// Where it lies.
        at: u64,
        /// What that has to be a multiple of.
        align: u64,
    },
    /// Two parts in one place.
    Over {
        /// Name of the part that begins first.
        first: String,
        /// Where it ends.
        end: u64,
        /// Name of the other.
        second: String,
        /// Where that begins.
        at: u64,
    },
    /// It ends behind the dynamic memory.
    Beyond {
        /// Where the last part ends.
        end: u64,
        /// By how much.
        by: u64,
    },
    /// The code computes the addresses of its mbarriers.
    Computed,
    /// Another number of mbarriers.
    Count {
        /// Those that the code initialises.
        seen: u64,
        /// Those that are stated.
        stated: u64,
    },
    /// Initialised so many bytes from what a register points at, which may be the mbarriers themselves or the layout.
    Away {
        /// Bytes from there.
        from: u64,
    },
}

impl Layout {
    pub(super) fn verdict(&self) -> Judgement {
        match self {
            Layout::Fits { .. } => Judgement::Holds,
            Layout::Unstated | Layout::Computed | Layout::Away { .. } => Judgement::Unclear,
            Layout::Askew { .. } | Layout::Over { .. } | Layout::Beyond { .. } | Layout::Count { .. } => {
                Judgement::Fails
            }
        }
    }

    pub(super) fn say(&self) -> String {
        let whole = |bytes: &u64| format::integer(*bytes);
        match self {
            Layout::Fits { end, dynamic } => format!("ends at {} of {} B", whole(end), whole(dynamic)),
            Layout::Unstated => "the size of the dynamic memory is not stated".to_owned(),
            Layout::Askew { part, at, align } => {
                format!("{part} at {} is not at a multiple of {}", whole(at), whole(align))
            }
            Layout::Over { first, end, second, at } => {
                format!("{first} ends at {}, {second} begins at {}", whole(end), whole(at))
            }
            Layout::Beyond { end, by } => format!("ends at {}, {} B beyond the dynamic memory", whole(end), whole(by)),
            Layout::Computed => "the code computes the addresses of its mbarriers".to_owned(),
            Layout::Count { seen, stated } => format!("the code initialises {seen} mbarriers, {stated} are stated"),
            Layout::Away { from } => {
                format!("the code initialises them {} B from what its register points at", whole(from))
            }
        }
    }
}
