//! The lever of lanes that are switched off.

use super::lever::{Lever, LeverOrigin};
use crate::analysis::ground::Ground;
use crate::quantity::format;

/// Lanes that were switched off: `1 − (threads per instruction, predicated on) / 32`.
pub(super) fn divergence(g: &Ground<'_, '_>) -> Option<Lever> {
    let on = g.kernel.value("smsp__thread_inst_executed_pred_on_per_inst_executed.ratio")?;
    let idle = 100.0 * (1.0 - on / 32.0);
    (on < g.limits.get("thread-utilisation-low")).then(|| Lever {
        code: "idle-lanes".into(),
        origin: LeverOrigin::Audit,
        bound: idle,
        is_rough: false,
        formula: format!("1 − {} / 32 threads per executed instruction", format::fixed(on, 2)),
        sentence: format!(
            "Keep the lanes busy: on average {} of 32 threads take part in an instruction.",
            format::fixed(on, 2)
        ),
        remeasure: "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio".into(),
    })
}
