//! How a stated layout of shared memory stands to the code.

use crate::analysis::Judgement;
use crate::quantity::format;

/// A stated layout beside the code, offsets and sizes in bytes.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layout {
    /// Its parts lie apart and aligned within the dynamic memory.
    Fits { end: u64, dynamic: u64 },
    /// The size of the dynamic memory is not stated.
    Unstated,
    /// A part that is not aligned.
    Askew {
        part: String,
        at: u64,
        /// What that has to be a multiple of.
        align: u64,
    },
    /// Two parts in one place.
    Over { first: String, end: u64, second: String, at: u64 },
    /// It ends behind the dynamic memory.
    Beyond { end: u64, by: u64 },
    /// The code computes the addresses of its mbarriers.
    Computed,
    /// Another number of mbarriers.
    Count { seen: u64, stated: u64 },
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
