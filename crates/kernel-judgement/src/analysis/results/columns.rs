//! Several profiles side by side: kernels joined by name, grid and block, each compared with the first profile's.

use crate::analysis::{
    Comparison, KernelKey, Limits, Profile, Side, TimedChange, derive::panels::Panel, over_time::OverTime,
    results::pair::Pair, studied::Studied, version::Version,
};
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

/// Which kernels of several files are one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matched {
    /// Of each kernel that the first file shares its place there, and those in the others: (position of the file, place in it).
    pub joined: Vec<(usize, Vec<(usize, usize)>)>,
    /// Kernels without a counterpart: (position of the file, kernel).
    pub unmatched: Vec<(usize, KernelKey)>,
}

/// Which kernels of `files` are one, by kind, name, grid and block; those of files with one kernel each are one in any case.
pub fn matched(files: &[Vec<KernelKey>]) -> Matched {
    let Some((first, others)) = files.split_first() else { return Matched::default() };
    let is_one_each = files.iter().all(|kernels| kernels.len() == 1);
    let mut found = Matched::default();
    let mut taken: Vec<Vec<bool>> = files.iter().map(|kernels| vec![false; kernels.len()]).collect();
    let places: Vec<HashMap<Meant<'_>, usize>> = others.iter().map(|kernels| places(kernels)).collect();
    for (at, base) in first.iter().enumerate() {
        let place = |known: &HashMap<Meant<'_>, usize>| match is_one_each {
            true => Some(0),
            false => known.get(&meant(base)).copied(),
        };
        let beside = places.iter().enumerate().filter_map(|(file, known)| Some((file + 1, place(known)?)));
        let beside: Vec<(usize, usize)> = beside.collect();
        beside.iter().for_each(|(file, other)| taken[*file][*other] = true);
        taken[0][at] = !beside.is_empty();
        if !beside.is_empty() {
            found.joined.push((at, beside));
        }
    }
    for (file, kernels) in files.iter().enumerate() {
        let alone = kernels.iter().zip(&taken[file]).filter(|(_, taken)| !**taken);
        found.unmatched.extend(alone.map(|(kernel, _)| (file, kernel.clone())));
    }
    found
}

/// A kernel of the first file, the old side of every comparison, beside those of others: each with the position of its file and
/// what a comparison with it as the new side compares with. `None` for sides without a profile.
pub fn joined(base: &Side, others: &[(usize, &Side, &Limits)]) -> Option<Joined> {
    let profile = base.profile.as_ref()?;
    let against = |(file, side, limits): &(usize, &Side, &Limits)| {
        Some(compared(*file, limits, (*side, side.profile.as_ref()?), (base, profile)))
    };
    Some(Joined {
        kernel: profile.kernel.clone(),
        over_time: profile.over_time.clone(),
        against: others.iter().filter_map(against).collect(),
    })
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
fn places(kernels: &[KernelKey]) -> HashMap<Meant<'_>, usize> {
    kernels.iter().enumerate().rev().map(|(at, key)| (meant(key), at)).collect()
}
