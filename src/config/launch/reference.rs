//! `[subject.correctness]` and `[subject.reference]`: what the outputs are checked against, and what the kernel is timed
//! beside. Both name a reference by the same keys.

use super::argument::ArgumentKeys;
use super::product::GemmKeys;
use crate::config::ConfigError;
use crate::config::subject::StatedTests;
use crate::config::text::Text;
use crate::nearest::nearest;
use audit_launch::{Argument, CheckPlan, Gemm, KernelReference, LaunchPlan, Reference, ReferencePlan};
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::Spanned;

const DEFAULT_TOLERANCE: f64 = 1e-5;
/// The error of one element that is allowed, in units of the tolerance, where none is stated.
const WORST_PER_TOLERANCE: f64 = 10.0;
/// Seeds of a check where none are stated.
const DEFAULT_SEEDS: [u64; 2] = [1, 2];

/// `[subject.correctness]` or `[subject.reference]`. One type for both: the keys that only one of them has are at the
/// end, and refused in the other.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table `[subject.correctness]` or `[subject.reference]`")]
pub(in crate::config) struct ReferenceKeys {
    source: Option<Spanned<PathBuf>>,
    kernel: Option<String>,
    grid: Option<Spanned<toml::Value>>,
    block: Option<Spanned<toml::Value>>,
    dynamic_shared: Option<Spanned<toml::Value>>,
    args: Option<Vec<Spanned<String>>>,
    #[serde(default)]
    maps: bool,
    cublaslt: Option<GemmKeys>,
    tolerance: Option<Spanned<f64>>,
    worst: Option<Spanned<f64>>,
    seeds: Option<Spanned<Vec<u64>>>,
    junit: Option<Spanned<PathBuf>>,
    pytest: Option<Spanned<Vec<String>>>,
    tests: Option<Spanned<String>>,
    note: Option<Spanned<String>>,
    buffers: Option<Spanned<Vec<ArgumentKeys>>>,
    then: Option<Spanned<KernelKeys>>,
}

/// A kernel that a reference launches: `then`, behind a product.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table with `source`, the kernel behind the product")]
struct KernelKeys {
    source: Spanned<PathBuf>,
    kernel: Option<String>,
    grid: Option<Spanned<toml::Value>>,
    block: Option<Spanned<toml::Value>>,
    dynamic_shared: Option<Spanned<toml::Value>>,
    args: Option<Vec<Spanned<String>>>,
    #[serde(default)]
    maps: bool,
}

/// The parts of a subject that its reference is made from.
pub(in crate::config) struct Subjected<'a> {
    /// Where the table with the reference stands.
    pub(in crate::config) table: Range<usize>,
    pub(in crate::config) folder: &'a Path,
    pub(in crate::config) plan: Option<&'a LaunchPlan>,
}

/// Files that a subject names and where it does.
type Files = Vec<(PathBuf, Range<usize>)>;

impl Text {
    /// `[subject.correctness]`: what the launcher compares, the tests of the project, or both.
    pub(in crate::config) fn correctness(
        &self,
        on: Subjected<'_>,
        mut keys: ReferenceKeys,
        files: &mut Files,
    ) -> Result<(Option<CheckPlan>, Option<StatedTests>), ConfigError> {
        let tests = self.tests(&on, &mut keys, files)?;
        let is_compared = keys.source.is_some() || keys.cublaslt.is_some() || tests.is_none();
        Ok((if is_compared { Some(self.check_plan(on, keys, files)?) } else { None }, tests))
    }

    fn tests(
        &self,
        on: &Subjected<'_>,
        keys: &mut ReferenceKeys,
        files: &mut Files,
    ) -> Result<Option<StatedTests>, ConfigError> {
        let which = keys.tests.take();
        let meant = which.as_ref().map(|which| self.regex(which)).transpose()?;
        let stated = match (keys.junit.take(), keys.pytest.take()) {
            (Some(junit), None) => {
                let path = on.folder.join(junit.get_ref());
                files.push((path.clone(), junit.span()));
                StatedTests { junit: Some(path), pytest: Vec::new(), meant }
            }
            (None, Some(pytest)) if pytest.get_ref().iter().all(String::is_empty) => {
                let help = Some("such as pytest = [\"python\", \"-m\", \"pytest\", \"tests/test_gemm.py\"]".to_owned());
                return Err(self.wrong("expected a command".into(), pytest.span(), "it is empty", help));
            }
            (None, Some(pytest)) => StatedTests { junit: None, pytest: pytest.into_inner(), meant },
            (Some(_), Some(pytest)) => {
                let help =
                    Some("`pytest` is run by `audit collect`, `junit` is a file that something else wrote".to_owned());
                return Err(self.wrong("expected `junit` or `pytest`, not both".into(), pytest.span(), "", help));
            }
            (None, None) => {
                let Some(which) = which else { return Ok(None) };
                let help = Some("add `junit` with a file, or `pytest` with a command".to_owned());
                return Err(self.wrong(
                    "`tests` chooses among tests".into(),
                    which.span(),
                    "of which none are named",
                    help,
                ));
            }
        };
        Ok(Some(stated))
    }

    fn check_plan(
        &self,
        on: Subjected<'_>,
        mut keys: ReferenceKeys,
        files: &mut Files,
    ) -> Result<CheckPlan, ConfigError> {
        if let Some(note) = &keys.note {
            return Err(self.elsewhere("note", note.span(), "reference"));
        }
        if let Some(buffers) = &keys.buffers {
            return Err(self.elsewhere("buffers", buffers.span(), "reference"));
        }
        let number = |value: Option<Spanned<f64>>, default: f64| match value {
            None => Ok(default),
            Some(value) if *value.get_ref() >= 0.0 && value.get_ref().is_finite() => Ok(value.into_inner()),
            Some(value) => Err(self.wrong("expected a number from 0".into(), value.span(), "", None)),
        };
        let tolerance = number(keys.tolerance.take(), DEFAULT_TOLERANCE)?;
        let worst = number(keys.worst.take(), WORST_PER_TOLERANCE * tolerance)?;
        let seeds = match keys.seeds.take() {
            Some(seeds) if seeds.get_ref().is_empty() => {
                return Err(self.wrong("expected at least one seed".into(), seeds.span(), "", None));
            }
            Some(seeds) => seeds.into_inner(),
            None => DEFAULT_SEEDS.to_vec(),
        };
        Ok(CheckPlan { reference: self.reference(on, keys, files)?, tolerance, worst, seeds })
    }

    pub(in crate::config) fn reference_plan(
        &self,
        on: Subjected<'_>,
        mut keys: ReferenceKeys,
        files: &mut Files,
    ) -> Result<ReferencePlan, ConfigError> {
        let spans = [
            ("tolerance", keys.tolerance.as_ref().map(Spanned::span)),
            ("worst", keys.worst.as_ref().map(Spanned::span)),
            ("seeds", keys.seeds.as_ref().map(Spanned::span)),
            ("junit", keys.junit.as_ref().map(Spanned::span)),
            ("pytest", keys.pytest.as_ref().map(Spanned::span)),
            ("tests", keys.tests.as_ref().map(Spanned::span)),
        ];
        if let Some((key, span)) = spans.into_iter().find_map(|(key, span)| Some((key, span?))) {
            return Err(self.elsewhere(key, span, "correctness"));
        }
        let note = keys.note.take().map(Spanned::into_inner).unwrap_or_default();
        Ok(ReferencePlan { reference: self.reference(on, keys, files)?, note })
    }

    /// The error of a key that only the other of the two tables has.
    fn elsewhere(&self, key: &str, span: Range<usize>, table: &str) -> ConfigError {
        let help = Some(format!("write it under [subject.{table}]"));
        self.wrong(format!("`{key}` is a key of [subject.{table}]"), span, "not of this table", help)
    }

    /// What either table names: a kernel of its own on the subject's arguments, or a product.
    fn reference(&self, on: Subjected<'_>, keys: ReferenceKeys, files: &mut Files) -> Result<Reference, ConfigError> {
        let Some(plan) = on.plan else {
            let help = Some("add `grid`, `block` and `args` under [subject.launch]".to_owned());
            return Err(self.wrong("a reference needs the subject's arguments".into(), on.table, "", help));
        };
        let own = self.own_buffers(keys.buffers.as_ref(), plan)?;
        let position = |name: &Spanned<String>| self.position(name, plan.arguments.iter().chain(&own));
        match (keys.source, keys.cublaslt) {
            (Some(source), None) => {
                if let Some(then) = &keys.then {
                    let help = Some("a reference kernel does all of the work".to_owned());
                    return Err(self.wrong("`then` goes on with `cublaslt`".into(), then.span(), "", help));
                }
                let ReferenceKeys { kernel, grid, block, dynamic_shared, args, maps, .. } = keys;
                let keys = KernelKeys { source, kernel, grid, block, dynamic_shared, args, maps };
                Ok(Reference::Kernel(self.kernel(on.folder, plan, own, keys, files)?))
            }
            (None, Some(gemm)) => {
                let then = keys.then.map(|then| self.kernel(on.folder, plan, Vec::new(), then.into_inner(), files));
                let then = then.transpose()?;
                Ok(Reference::Gemm(Gemm { then, ..self.gemm(&gemm, plan, &own, position)? }))
            }
            (Some(source), Some(_)) => {
                Err(self.wrong("a reference is a `source` or `cublaslt`, not both".into(), source.span(), "", None))
            }
            (None, None) => {
                let help = Some("add `source` with a kernel, or `cublaslt` with a product".to_owned());
                Err(self.wrong("this names no reference".into(), on.table, "", help))
            }
        }
    }

    /// A kernel on the subject's arguments and on buffers of its own.
    fn kernel(
        &self,
        folder: &Path,
        plan: &LaunchPlan,
        own: Vec<Argument>,
        keys: KernelKeys,
        files: &mut Files,
    ) -> Result<KernelReference, ConfigError> {
        files.push((folder.join(keys.source.get_ref()), keys.source.span()));
        let arguments = match keys.args {
            Some(names) => {
                let position = |name| self.position(name, plan.arguments.iter().chain(&own));
                names.iter().map(position).collect::<Result<_, _>>()?
            }
            None => (0..plan.arguments.len()).collect(),
        };
        Ok(KernelReference {
            own,
            source: keys.source.into_inner(),
            kernel: keys.kernel,
            grid: keys.grid.map_or(Ok(plan.grid), |grid| self.sides(&grid))?,
            block: keys.block.map_or(Ok(plan.block), |block| self.sides(&block))?,
            dynamic_shared: self.shared(keys.dynamic_shared.as_ref())?,
            arguments,
            maps: keys.maps,
        })
    }

    fn position<'a>(
        &self,
        name: &Spanned<String>,
        mut among: impl Iterator<Item = &'a Argument> + Clone,
    ) -> Result<usize, ConfigError> {
        let names = among.clone().map(Argument::name);
        among.position(|known| known.name() == name.get_ref()).ok_or_else(|| {
            let help = nearest(name.get_ref(), names).map(|near| format!("did you mean {near:?}?"));
            self.wrong(format!("no argument is called {:?}", name.get_ref()), name.span(), "unknown", help)
        })
    }

    fn own_buffers(
        &self,
        keys: Option<&Spanned<Vec<ArgumentKeys>>>,
        plan: &LaunchPlan,
    ) -> Result<Vec<Argument>, ConfigError> {
        let mut own: Vec<Argument> = Vec::new();
        for (at, keys) in keys.iter().flat_map(|keys| keys.get_ref()).enumerate() {
            let argument = self.argument(keys, plan.arguments.len() + at)?;
            if plan.arguments.iter().chain(&own).any(|other| other.name() == argument.name()) {
                let message = format!("two buffers are called {:?}", argument.name());
                return Err(self.wrong(message, keys.name.span(), "used before", None));
            }
            if matches!(argument, Argument::Scalar(_)) {
                return Err(self.wrong("expected a buffer with a shape".into(), keys.name.span(), "", None));
            }
            own.push(argument);
        }
        Ok(own)
    }
}
