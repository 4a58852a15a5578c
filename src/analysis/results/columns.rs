//! Several profiles side by side: kernels joined by name, grid and block, each compared with the first profile's.

use crate::analysis::derive::panels::Panel;
use crate::analysis::evidence::Side;
use crate::analysis::kernel::select::KernelKey;
use crate::analysis::limits::Limits;
use crate::analysis::over_time::OverTime;
use crate::analysis::profile::Profile;
use crate::analysis::results::changed::TimedChange;
use crate::analysis::results::pair::Pair;
use crate::analysis::studied::Studied;
use crate::analysis::version::Version;
use crate::analysis::versus::verdict::Comparison;
use crate::evidence::{Dim3, Workload};
use std::collections::HashMap;

/// One further column for a kernel.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Against {
    /// Position of the profile, from 0; the first profile is the old side.
    pub column: usize,
    /// The kernel as this profile has it.
    pub kernel: KernelKey,
    /// Its readings as the new side, the first profile's as the old one.
    pub panels: Vec<Panel>,
    /// What the comparison comes to.
    pub comparison: Comparison,
    /// What a launch does over its time; `None` where PM sampling was not collected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub over_time: Option<OverTime>,
    /// What the benchmark says; `None` without one on both sides.
    #[serde(skip)]
    pub timed: Option<TimedChange>,
    /// What the verdicts compared with.
    #[serde(skip)]
    pub limits: Limits,
}

/// The kernels of a file, and what a comparison with them as the new side compares with.
#[derive(Clone, Debug, Default)]
pub struct Column {
    pub kernels: Vec<Side>,
    /// Of a snapshot its own limits.
    pub limits: Limits,
}

/// One kernel over all profiles that hold it.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Joined {
    /// The kernel as the first profile has it.
    pub kernel: KernelKey,
    /// What a launch of it does over its time; `None` where PM sampling was not collected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub over_time: Option<OverTime>,
    /// The other profiles, in order.
    pub against: Vec<Against>,
}

/// Profiles side by side.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Columns {
    /// Kernels that the first profile shares with at least one other.
    pub joined: Vec<Joined>,
    /// Kernels without a counterpart: (position of the profile, kernel).
    pub unmatched: Vec<(usize, KernelKey)>,
}

/// Joins files, each with the kernels that it holds. The first is the old side of every comparison. Where each holds
/// exactly one kernel, these are joined whatever they are called.
pub fn columns(files: &[Column]) -> Columns {
    let profiles: Vec<Vec<(&Side, &Profile)>> = files
        .iter()
        .map(|file| file.kernels.iter().filter_map(|side| Some((side, side.profile.as_ref()?))).collect())
        .collect();
    let Some((first, others)) = profiles.split_first() else { return Columns::default() };
    let is_one_each = profiles.iter().all(|kernels| kernels.len() == 1);
    let mut found = Columns::default();
    let mut taken: Vec<Vec<bool>> = profiles.iter().map(|kernels| vec![false; kernels.len()]).collect();
    let places: Vec<HashMap<Meant<'_>, usize>> = others.iter().map(|kernels| places(kernels)).collect();
    for (at, base) in first.iter().enumerate() {
        let mut against = Vec::new();
        for (column, kernels) in others.iter().enumerate().map(|(at, kernels)| (at + 1, kernels)) {
            let known = || places[column - 1].get(&meant(&base.1.kernel)).copied();
            let Some(other) = (if is_one_each { Some(0) } else { known() }) else { continue };
            taken[0][at] = true;
            taken[column][other] = true;
            against.push(compared(column, &files[column].limits, kernels[other], *base));
        }
        if !against.is_empty() {
            let over_time = base.1.over_time.clone();
            found.joined.push(Joined { kernel: base.1.kernel.clone(), over_time, against });
        }
    }
    for (column, kernels) in profiles.iter().enumerate() {
        let alone = kernels.iter().zip(&taken[column]).filter(|(_, taken)| !**taken);
        found.unmatched.extend(alone.map(|((_, profile), _)| (column, profile.kernel.clone())));
    }
    found
}

fn compared(at: usize, limits: &Limits, new: (&Side, &Profile), old: (&Side, &Profile)) -> Against {
    let (kernel, old_kernel) = (&new.1.summary(), &old.1.summary());
    // Columns hold readings against each other, and no instructions.
    let studied = &Studied::default();
    let now = Version { side: new.0, profile: new.1, kernel, studied };
    let was = Version { side: old.0, profile: old.1, kernel: old_kernel, studied };
    let pair = Pair::of(now, Some(was), limits);
    Against {
        column: at,
        kernel: new.1.kernel.clone(),
        comparison: pair.compared(now, was, limits),
        panels: pair.panels,
        over_time: new.1.over_time.clone(),
        timed: pair.timing.and_then(|timing| timing.change),
        limits: limits.clone(),
    }
}

/// What says that two reports mean one kernel.
type Meant<'a> = (Workload, &'a str, Option<Dim3>, Option<Dim3>);

fn meant(key: &KernelKey) -> Meant<'_> {
    (key.workload, key.short_name(), key.grid, key.block)
}

/// Where each kernel stands first.
fn places<'a>(kernels: &[(&'a Side, &'a Profile)]) -> HashMap<Meant<'a>, usize> {
    let all = kernels.iter().enumerate().rev();
    all.map(|(at, (_, profile))| (meant(&profile.kernel), at)).collect()
}
