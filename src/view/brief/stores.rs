//! The global stores of tiles: how many follow from the subject's arithmetic, how many ran, what they write and touch.

use crate::analysis::Audit;
use crate::analysis::phases::PhaseKind;
use crate::catalog::Counter;
use crate::quantity::{format, glance};
use crate::words::{Words, words};

/// Sectors of 32 bytes in a line of L1.
const SECTORS_OF_LINE: f64 = 4.0;

/// The subject's tile arithmetic beside the executed stores.
pub(super) fn of_tiles(audit: &Audit) -> Option<Words> {
    let stores = audit.stores.as_ref()?;
    let tiles = &stores.tiles;
    let sum = format!(
        "{} tiles × {} stores per warp × {} warps",
        format::integer(tiles.count),
        format::integer(tiles.stores_per_warp),
        format::integer(tiles.warps)
    );
    let Some(expected) = stores.expected else { return Some(words!("**Stores.** {} is more than 64 bits hold.", sum)) };
    let sum = format!("{sum} = {}", format::integer(expected));
    Some(match (stores.executed.value(), stores.ratio()) {
        (Some(executed), _) if executed == expected as f64 => {
            words!("**Stores.** {}, as many as STG instructions were executed{}.", sum, written(audit, expected))
        }
        (Some(executed), ratio) => {
            let times = ratio.map(|ratio| format!(", {} times as many", format::fixed(ratio, 3)));
            let executed = format::fixed(executed, 0);
            words!("**Stores.** {}, but {} STG instructions were executed{}.", sum, executed, words::maybe(times))
        }
        (None, _) => words!("**Stores.** {}; the executed stores are NOT MEASURED.", sum),
    })
}

/// What so many stores write where all have one width, beside the bytes of the outputs.
fn written(audit: &Audit, executed: u64) -> String {
    let widths = audit.code.first().and_then(|code| code.facts.widths.iter().find(|row| row.opcode.stores_global()));
    let Some([(bits, _)]) = widths.map(|row| row.widths.as_slice()) else { return String::new() };
    let bytes = executed as f64 * f64::from(32 * bits / 8);
    let outputs = audit.unavoidable.write.as_ref().map(|out| match bytes == out.bytes {
        true => format!(", all of {}", out.what),
        false => format!(", where {} has {}", out.what, glance::bytes(out.bytes)),
    });
    format!("; at {bits} bits a lane {}{}", glance::bytes(bytes), outputs.unwrap_or_default())
}

/// The lines of L1 that the global stores of one warp touch for one tile, in a kernel of products that has an epilogue for each:
/// between four sectors a line and one.
pub(super) fn lines(audit: &Audit) -> Option<Words> {
    let phases = audit.now.phases.as_ref()?;
    let has_epilogue = phases.phases.iter().any(|phase| phase.kind == PhaseKind::Epilogue);
    let tiles = phases.tiles.filter(|_| has_epilogue && phases.tensor.is_some())?;
    let counted = |metric: Counter| audit.now.coalescing.requests.iter().find(|row| row.id == metric)?.new.value();
    let each = tiles * phases.roles[phases.pacing].warps as f64;
    let requests = counted(Counter::L1texTRequestsPipeLsuMemGlobalOpStSum)? / each;
    let sectors = counted(Counter::L1texTSectorsPipeLsuMemGlobalOpStSum)? / each;
    let least = (sectors / SECTORS_OF_LINE).max(requests);
    (requests >= 1.0).then(|| {
        words!(
            "A warp stores a tile with {} requests of {} sectors: {} to {} lines of 128 B.",
            glance::short(requests),
            glance::short(sectors / requests),
            glance::short(least.ceil()),
            glance::short(sectors.ceil())
        )
    })
}
