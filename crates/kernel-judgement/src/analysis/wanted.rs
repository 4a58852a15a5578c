//! What the analysis asks of a reader.

use crate::analysis::derive::mix::{PER_OPCODE, WITH_MODIFIERS};
use crate::analysis::{
    Work, derive::asked::FEW, derive::roofline, kernel::overview::MEMBER_NAMES, kernel::summary::DURATION,
};
use crate::catalog::{self, Counter, CounterPlace};
use crate::evidence::{NameSet, Rules, Want};
use arcstr::ArcStr;

/// Endings of the counters that NVIDIA's breakdown lists name; which ones they are differs from chip to chip.
const BREAKDOWN_ENDINGS: [&str; 2] = [".avg.pct_of_peak_sustained_elapsed", crate::analysis::derive::units::BUSIEST];
/// Metrics whose instances the analysis reads.
const INSTANCES: [Counter; 2] = [PER_OPCODE, WITH_MODIFIERS];
/// Metrics whose instances are facts of the kernel and its shape: the same in every launch.
const FIRST_INSTANCES: [Counter; 3] =
    [MEMBER_NAMES, Counter::LaunchOccupancyPerRegisterCount, Counter::LaunchOccupancyPerBlockSize];

/// The metrics of the catalog under all their spellings, the counters that are read by name, every stall reason of every
/// family, the counters of the throughput breakdowns and of the tensor path; rules and the hash of the file with them.
pub fn want() -> Want {
    use CounterPlace::{Device, Instances, Launch};
    let listed = catalog::metrics().iter().flat_map(catalog::MetricRow::spellings);
    let read = catalog::counters().iter().filter(|row| matches!(row.from, Launch | Device | Instances));
    let names = listed.chain(read.map(|row| row.id));
    let families = catalog::stall_families().iter().map(|family| family.prefix);
    let prefixes = families.chain([roofline::TENSOR_PREFIX]);
    let series = catalog::series().iter().flat_map(|row| row.names.iter().copied());
    let suffixes = series.clone().chain(BREAKDOWN_ENDINGS).collect();
    let prefixes: Vec<&str> = catalog::sampler().told.iter().copied().chain(prefixes).collect();
    let metrics = NameSet::These { exact: names.map(ArcStr::from).collect(), prefixes, suffixes };
    let instances = NameSet::exactly(INSTANCES);
    let first_instances = Some(NameSet::These {
        exact: FIRST_INSTANCES.into_iter().map(ArcStr::from).collect(),
        prefixes: catalog::sampler().told.clone(),
        suffixes: series.collect(),
    });
    Want { metrics, few: FEW, instances, first_instances, rules: Rules::FirstOfKernel, hash: true, ..Want::default() }
}

/// What tells which kernel an audit is about: the time of each launch.
pub fn brief() -> NameSet {
    let versions = [Counter::LaunchRegistersPerThread, Counter::LaunchSharedMemPerBlockDynamic];
    let versions = versions.iter().flat_map(|counter| counter.spellings());
    NameSet::exactly(DURATION.spellings().chain([MEMBER_NAMES.name()]).chain(versions))
}

/// [`want`] with the metrics that a subject's own checks name.
pub fn want_for(work: &Work) -> Want {
    let mut want = want();
    if let NameSet::These { exact, .. } = &mut want.metrics {
        exact.extend(work.readings().map(ArcStr::from));
    }
    want
}
