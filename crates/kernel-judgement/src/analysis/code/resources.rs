//! What assembler, cubin and launch say of one kernel's resources, and whether they agree.

use super::select::Launched;
use crate::evidence::{BuildRecord, CubinKernel};

/// Whether the sources of a number agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Agreement {
    /// All that have the number give the same.
    Same,
    /// The launch was given more than the build counted, which the hardware's allocation in steps explains.
    Rounded,
    /// They differ and nothing explains it.
    Differs,
    /// Fewer than two have the number.
    Alone,
}

#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ResourceRow {
    pub label: String,
    /// Unit: empty for a count, `B` for bytes.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub unit: String,
    /// What ptxas printed; `None` where it printed nothing of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ptxas: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cubin: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub launch: Option<u64>,
    pub agreement: Agreement,
}

pub(super) const REGISTERS: &str = "Registers per thread";
/// The label of the most registers that launch bounds or options leave a thread.
pub(super) const REGISTER_CAP: &str = "Register cap";
pub const FRAME: &str = "Stack frame";
pub(crate) const BARRIERS: &str = "Barriers";
/// Registers that a thread can have: a cap of as many is none. CUDA C++ Programming Guide, Compute Capabilities.
const NO_CAP: u64 = 255;
/// The label of what is put into local memory where registers run out.
pub const SPILL_STORES: &str = "Spill stores, callees included";
/// The label of what is taken back.
pub const SPILL_LOADS: &str = "Spill loads, callees included";
/// The label of shared memory that the build fixes.
pub(super) const STATIC_SHARED: &str = "Static shared memory";

pub(super) fn row(label: &str, unit: &str, ptxas: Option<u64>, cubin: Option<u64>, launch: Option<u64>) -> ResourceRow {
    let build = ptxas.or(cubin);
    let build_differs = ptxas.zip(cubin).is_some_and(|(ptxas, cubin)| ptxas != cubin);
    let agreement = match (build, launch) {
        _ if build_differs => Agreement::Differs,
        (Some(build), Some(launch)) if launch > build => Agreement::Rounded,
        (Some(build), Some(launch)) if launch < build => Agreement::Differs,
        (Some(_), Some(_)) => Agreement::Same,
        _ if ptxas.is_some() && cubin.is_some() => Agreement::Same,
        _ => Agreement::Alone,
    };
    ResourceRow { label: label.into(), unit: unit.into(), ptxas, cubin, launch, agreement }
}

/// The rows of a kernel. Shared memory of the launch is its static part.
pub(super) fn rows(
    kernel: &CubinKernel,
    record: Option<&BuildRecord>,
    launched: Option<&Launched>,
) -> Vec<ResourceRow> {
    let whole = |value: Option<f64>| value.filter(|v| v.fract() == 0.0 && *v >= 0.0).map(|v| v as u64);
    let launch = |read: fn(&Launched) -> Option<f64>| whole(launched.and_then(read));
    let ptxas = |read: fn(&BuildRecord) -> Option<u64>| record.and_then(read);
    let marked = kernel.spill_offsets.as_ref().map(|offsets| offsets.len() as u64);
    let capped = kernel.register_cap.filter(|cap| *cap < NO_CAP);
    let cap = capped.map(|cap| row(REGISTER_CAP, "", None, Some(cap), None));
    let mut rows = vec![
        row(REGISTERS, "", ptxas(|r| r.registers), kernel.registers, launch(|l| l.registers.value())),
        row(FRAME, "B", ptxas(|r| r.stack_bytes), kernel.frame_bytes, None),
        row(
            STATIC_SHARED,
            "B",
            ptxas(|r| r.shared_bytes),
            Some(kernel.shared_bytes),
            launch(|l| l.static_shared.value()),
        ),
        row(BARRIERS, "", ptxas(|r| r.barriers), kernel.barriers, None),
        row(SPILL_STORES, "B", ptxas(|r| r.spills()[0]), None, None),
        row(SPILL_LOADS, "B", ptxas(|r| r.spills()[1]), None, None),
        row("Instructions that spill or refill", "", None, marked, None),
        row("Parameters", "B", None, kernel.parameter_bytes, None),
        row("Code", "B", None, Some(kernel.code_bytes), None),
    ];
    if let Some(cap) = cap {
        rows.insert(1, cap);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launch_may_have_more_than_the_build_and_never_less() {
        let of = |ptxas, cubin, launch| row("x", "", ptxas, cubin, launch).agreement;
        assert_eq!(of(Some(14), Some(14), Some(16)), Agreement::Rounded);
        assert_eq!(of(Some(14), Some(14), Some(14)), Agreement::Same);
        assert_eq!(of(Some(14), Some(14), Some(12)), Agreement::Differs);
        assert_eq!(of(Some(14), Some(15), Some(16)), Agreement::Differs);
        assert_eq!(of(None, Some(14), None), Agreement::Alone);
        assert_eq!(of(None, Some(14), Some(16)), Agreement::Rounded);
    }
}
