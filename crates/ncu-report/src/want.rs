//! What a reader is asked for.

use crate::unasked::is_asked_for;
use arcstr::ArcStr;
use rustc_hash::FxHashSet;

/// A choice among metric names.
#[derive(Clone, Debug, Default)]
pub enum NameSet {
    /// Every name.
    #[default]
    All,
    /// Names that are listed, or that begin or end in a listed way.
    These {
        /// Whole names.
        exact: FxHashSet<ArcStr>,
        /// Beginnings.
        prefixes: Vec<&'static str>,
        /// Endings.
        suffixes: Vec<&'static str>,
    },
}

impl NameSet {
    /// No name at all.
    pub fn none() -> NameSet {
        NameSet::These { exact: FxHashSet::default(), prefixes: Vec::new(), suffixes: Vec::new() }
    }

    /// The names of a list.
    pub fn exactly<N: Into<ArcStr>>(names: impl IntoIterator<Item = N>) -> NameSet {
        let exact = names.into_iter().map(Into::into).collect();
        NameSet::These { exact, prefixes: Vec::new(), suffixes: Vec::new() }
    }

    /// The same choice and one name more.
    pub fn with(mut self, name: &str) -> NameSet {
        if let NameSet::These { exact, .. } = &mut self {
            exact.insert(name.into());
        }
        self
    }

    /// Whether `name` is chosen.
    pub fn contains(&self, name: &str) -> bool {
        match self {
            NameSet::All => true,
            NameSet::These { exact, prefixes, suffixes } => {
                exact.contains(name)
                    || prefixes.iter().any(|prefix| name.starts_with(prefix))
                    || suffixes.iter().any(|suffix| name.ends_with(suffix))
            }
        }
    }
}

/// Of which results NVIDIA's rule results are wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rules {
    /// Of none.
    #[default]
    None,
    /// Of the first result of each kernel: name, grid and block.
    FirstOfKernel,
    /// Of all.
    All,
}

/// Which metrics of which results to decode; everything else is skipped without being decoded.
#[derive(Clone, Debug, Default)]
pub struct Want {
    /// The metrics.
    pub metrics: NameSet,
    /// A report that names at most so many metrics of its own ([`is_asked_for`]) was collected for these (`ncu --metrics a,b,c`), and
    /// all of them are wanted; 0 by default.
    pub few: usize,
    /// Those of them whose instances are wanted.
    pub instances: NameSet,
    /// Those of them whose instances are wanted of the first result of each kernel (name, grid and block), because the
    /// others have the same or one is enough; none by default.
    pub first_instances: Option<NameSet>,
    /// Whether NVIDIA's rule results are wanted.
    pub rules: Rules,
    /// Whether the BLAKE3 hash of the file is wanted.
    pub hash: bool,
    /// Whether a damaged artefact is read as far as it is whole, with what is lost in
    /// [`Report::damage`](super::Report::damage), instead of being refused.
    pub allow_damage: bool,
}

impl Want {
    /// Whether everything of an artefact that holds these metrics is wanted.
    pub fn wants_all<'n>(&self, names: impl Iterator<Item = &'n str>) -> bool {
        self.few > 0 && names.filter(|name| is_asked_for(name)).take(self.few + 1).count() <= self.few
    }

    /// Whether the instances of a metric are wanted of the first result of each kernel.
    pub fn has_first_instances(&self, name: &str) -> bool {
        self.first_instances.as_ref().is_some_and(|names| names.contains(name))
    }

    /// Everything that an artefact holds, which must be whole.
    pub fn everything() -> Want {
        Want { rules: Rules::All, hash: true, ..Want::default() }
    }
}
