//! Loads in a loop whose values are used before they can be there.

use super::{Built, shown};
use crate::analysis::code::latency::LoadUse;
use crate::analysis::diagnose::finding::Severity;
use crate::analysis::diagnose::pattern::{Hit, Pattern};
use crate::catalog::{self, Code};
use crate::quantity::format;
use crate::words;
use crate::words::Words;

/// The loop that needs the most warps, beside the warps of a scheduler that there is room for.
pub(super) struct LoadLatency;

impl Pattern<Built<'_>> for LoadLatency {
    type Facts = (LoadUse, f64, bool);

    /// One warp alone waits for the value, and there is no room for as many warps as would issue in the meantime.
    fn detect(g: &Built<'_>) -> Option<Hit<Self::Facts>> {
        let [known] = g.code.occupancies.as_slice() else { return None };
        let chip = catalog::chip_of_arch(&g.code.arch)?;
        let room = f64::from(known.warps) / f64::from(chip.schedulers_per_sm);
        let is_assumed = chip.latency.as_ref()?.is_assumed;
        let exposed = g.code.loads.iter().filter(|load| load.is_exposed());
        let load = exposed.max_by_key(|load| load.warps()).filter(|load| f64::from(load.warps()) > room)?;
        shown(Code::LoadLatency, Severity::Notes, (load.clone(), room, is_assumed))
    }

    fn say((load, room, is_assumed): &Self::Facts) -> Words {
        let what = if load.opcode == "LDTM" { "tensor memory" } else { "global memory, from L2" };
        let assumed = if *is_assumed { " (assumed, not measured)" } else { "" };
        words!(
            "The result of `{}`{} is used {} cycles after issue, of the {} that {} takes{}: one warp needs {} cycles per iteration of {} instructions, so {} warps per scheduler would hide the latency; there is room for {}.",
            load.opcode.as_str(),
            load.line.map(|line| words!(" at line {}", line.to_string())).unwrap_or_default(),
            format::integer(load.cycles.into()),
            format::integer(load.latency.into()),
            what,
            assumed,
            format::integer(load.turn.into()),
            format::integer(load.instructions.into()),
            format::integer(load.warps().into()),
            format::plain(*room, 1)
        )
    }
}
