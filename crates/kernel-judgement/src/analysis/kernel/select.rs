//! Which kernel the audit is about: launches grouped by name and shape, and the choice among the groups.

use crate::evidence::{Dim3, Launch, Report, Workload};
use arcstr::ArcStr;
use regex::Regex;
use rustc_hash::FxHashMap;
use std::collections::HashSet;

/// What makes two results the same work: kind, name and shape.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct KernelKey {
    /// Kernel, range, graph or command list.
    pub workload: Workload,
    /// The name that ncu displays.
    pub name: ArcStr,
    /// Function name without parameters.
    pub function: ArcStr,
    /// Mangled name; empty when the artefact does not hold it.
    pub mangled: ArcStr,
    /// Grid; `None` for ranges.
    pub grid: Option<Dim3>,
    /// Block; `None` for ranges.
    pub block: Option<Dim3>,
}

impl KernelKey {
    pub(in crate::analysis) fn of(launch: &Launch) -> KernelKey {
        KernelKey {
            workload: launch.workload,
            name: launch.name.clone(),
            function: launch.function.clone(),
            mangled: launch.mangled.clone(),
            grid: launch.grid,
            block: launch.block,
        }
    }

    /// The display name without its parameter list: `transpose_tiled<float, 0>` for `void transpose_tiled<float, 0>(…)`.
    pub fn short_name(&self) -> &str {
        short_name(&self.name)
    }

    /// Whether a filter takes it: by its function's name, then by the one that is shown.
    pub fn is_taken(&self, filter: Option<&Regex>) -> bool {
        filter.is_none_or(|re| re.is_match(&self.function) || re.is_match(self.short_name()))
    }
}

/// Cuts return type and parameter list off a demangled name; template arguments stay.
pub fn short_name(name: &str) -> &str {
    let mut depth = 0i32;
    let mut start = 0;
    for (at, c) in name.char_indices() {
        match c {
            '<' => depth += 1,
            '>' => depth -= 1,
            '(' if depth == 0 => {
                if name[at..].starts_with("(anonymous namespace)") {
                    continue;
                }
                if at > start && !name[start..at].trim_end().ends_with("(anonymous namespace") {
                    return name[start..at].trim();
                }
            }
            ' ' if depth == 0 && !name[start..at].contains('(') => start = at + 1,
            _ => {}
        }
    }
    name
}

/// The launches of one kernel at one shape.
#[derive(Clone, Debug)]
pub struct KernelGroup<'r> {
    pub key: KernelKey,
    /// The launches, in ncu's row order.
    pub launches: Vec<&'r Launch>,
}

/// All groups of a report, the most device time first; groups without a duration follow in file order.
pub fn groups(report: &Report) -> Vec<KernelGroup<'_>> {
    let mut order: Vec<KernelGroup<'_>> = Vec::new();
    let mut at: FxHashMap<KernelKey, usize> = FxHashMap::default();
    for launch in &report.launches {
        let key = KernelKey::of(launch);
        if let Some(at) = at.get(&key) {
            order[*at].launches.push(launch);
        } else {
            at.insert(key.clone(), order.len());
            order.push(KernelGroup { key, launches: vec![launch] });
        }
    }
    let mut timed: Vec<(Option<f64>, KernelGroup<'_>)> = order.into_iter().map(|g| (g.total_time(), g)).collect();
    timed.sort_by(|(a, _), (b, _)| b.unwrap_or(-1.0).total_cmp(&a.unwrap_or(-1.0)));
    timed.into_iter().map(|(_, group)| group).collect()
}

/// What the user asked for.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Matched against the function name, then the short display name; `None` takes all.
    pub kernel: Option<Regex>,
    /// The same for the old side, when the kernel was called otherwise.
    pub baseline_kernel: Option<Regex>,
}

/// No kernel to audit, or none to compare with.
#[derive(Debug, thiserror::Error)]
#[error("no kernel in {path} matches {filter}\n  it holds: {}", .available.join(", "))]
pub struct SelectionError {
    pub path: String,
    pub filter: String,
    /// What is there, each name once; of many the first, and how many more.
    pub available: Vec<String>,
}

impl SelectionError {
    fn new(report: &Report, filter: String) -> SelectionError {
        /// Names that are listed; a report of thousands is looked through with `audit show`.
        const LISTED: usize = 20;
        let mut known = HashSet::new();
        let names = report.launches.iter().map(|launch| short_name(&launch.name)).filter(|name| known.insert(*name));
        let mut available: Vec<String> = names.map(str::to_owned).collect();
        if available.len() > LISTED {
            let more = available.split_off(LISTED).len();
            available.push(format!("and {more} more"));
        }
        if available.is_empty() {
            available.push("no results at all".into());
        }
        SelectionError { path: report.origin.path.clone(), filter, available }
    }
}

/// What asks for a kernel of a report on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The expression for `--kernel`.
    pub kernel: String,
    /// The grid for `--grid`, where the expression alone takes another kernel.
    pub grid: Option<Dim3>,
}

/// How to ask for the kernel at a place among all of a report, the most device time first: of the kernels that are taken the
/// first is the one under audit. By its function's name where that is enough, else by what tells it from the others. `None` where nothing tells it from one that takes more time.
pub fn asked_by(kernels: &[&KernelKey], at: usize) -> Option<Asked> {
    let key = *kernels.get(at)?;
    let is_first = |holds: &dyn Fn(&str) -> bool, grid: Option<Dim3>| {
        let is_taken = |own: &&KernelKey| {
            (grid.is_none() || own.grid == grid) && (holds(&own.function) || holds(own.short_name()))
        };
        kernels.iter().position(is_taken) == Some(at)
    };
    let part = |name: &str, grid| {
        is_first(&|own| own.contains(name), grid).then(|| Asked { kernel: regex::escape(name), grid })
    };
    let whole = |name: &str, grid| {
        is_first(&|own| own == name, grid).then(|| Asked { kernel: format!("^{}$", regex::escape(name)), grid })
    };
    let (function, name) = (&*key.function, key.short_name());
    let as_shown = |grid| if regex::escape(name) == name { part(name, grid) } else { None };
    // Kernels of one template are told apart by a word of their arguments.
    let words = || name.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| word.len() > 2);
    [None, key.grid].into_iter().find_map(|grid| {
        let function = part(function, grid).or_else(|| as_shown(grid)).or_else(|| whole(function, grid));
        function.or_else(|| words().find_map(|word| part(word, grid))).or_else(|| whole(name, grid))
    })
}

/// The groups that the filter takes, the most device time first: the one under audit. Errors: when the filter takes none.
pub(in crate::analysis) fn choose<'r>(
    report: &'r Report,
    filter: Option<&Regex>,
) -> Result<Vec<KernelGroup<'r>>, SelectionError> {
    let chosen: Vec<_> = groups(report).into_iter().filter(|g| g.key.is_taken(filter)).collect();
    if chosen.is_empty() {
        let filter = filter.map_or("anything".into(), |re| format!("/{re}/"));
        return Err(SelectionError::new(report, filter));
    }
    Ok(chosen)
}

/// The old counterpart of `new`: the same function at the same shape, else the same function, else, where a filter or a single group
/// leaves no doubt about what is meant, the group with the most device time. Errors: when the filter takes none, or no group can be
/// meant.
pub(in crate::analysis) fn counterpart<'r>(
    report: &'r Report,
    new: &KernelKey,
    filter: Option<&Regex>,
) -> Result<KernelGroup<'r>, SelectionError> {
    let mut candidates = choose(report, filter)?;
    let same = |g: &KernelGroup<'_>| g.key.workload == new.workload && g.key.short_name() == new.short_name();
    let shaped = |g: &KernelGroup<'_>| same(g) && g.key.grid == new.grid && g.key.block == new.block;
    let found = candidates.iter().position(shaped).or_else(|| candidates.iter().position(same));
    match found {
        Some(at) => Ok(candidates.swap_remove(at)),
        None if filter.is_some() || candidates.len() == 1 => Ok(candidates.swap_remove(0)),
        None => Err(SelectionError::new(report, format!("the new report's `{}`", new.short_name()))),
    }
}

#[cfg(test)]
mod tests {
    use super::{KernelKey, asked_by, short_name};
    use crate::evidence::{Dim3, Workload};

    #[test]
    fn short_names_keep_template_arguments() {
        assert_eq!(short_name("gemm_bias_v1(const float *, int)"), "gemm_bias_v1");
        assert_eq!(short_name("void transpose_tiled<float, 0>(T1 *, int)"), "transpose_tiled<float, 0>");
        assert_eq!(short_name("void k<(int)3, f<int>>(float)"), "k<(int)3, f<int>>");
        assert_eq!(short_name("void (anonymous namespace)::k<int>(float)"), "(anonymous namespace)::k<int>");
        assert_eq!(short_name("graph"), "graph");
        assert_eq!(short_name("a|b"), "a|b");
    }

    #[test]
    fn a_kernel_is_asked_for_by_the_least_that_tells_it_from_those_before() {
        let key = |name: &str, blocks: u64| KernelKey {
            workload: Workload::Kernel,
            name: name.into(),
            function: short_name(name).split('<').next().expect("a name").into(),
            mangled: "".into(),
            grid: Some(Dim3([blocks, 1, 1])),
            block: Some(Dim3([32, 1, 1])),
        };
        let all = [
            key("set_wide(int)", 1),
            key("set(int)", 1),
            key("map<add<float>>(int)", 4),
            key("map<mul<float>>(int)", 4),
            key("set(int)", 8),
            key("map<mul<float>, (int)2>(int)", 4),
            key("set(int)", 8),
        ];
        let keys: Vec<&KernelKey> = all.iter().collect();
        let asked = |at: usize| {
            asked_by(&keys, at).map(|asked| (asked.kernel, asked.grid.map(|grid| grid.0[0]))).unwrap_or_default()
        };
        assert_eq!(asked(0), ("set_wide".into(), None));
        assert_eq!(asked(1), ("^set$".into(), None));
        assert_eq!(asked(2), ("map".into(), None));
        assert_eq!(asked(3), ("map<mul<float>>".into(), None));
        assert_eq!(asked(4), ("set".into(), Some(8)));
        assert_eq!(asked(5), ("int".into(), None));
        assert_eq!(asked_by(&keys, 6), None);
    }
}
