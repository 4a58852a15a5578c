//! The keys of a `[[subject]]` and of its hypotheses, and the checks that need more than one of them.

use super::code::{CheckKeys, Code, SharedKeys, VariantKeys};
use super::launch::{LaunchKeys, ReferenceKeys, Subjected};
use super::subject::{Subject, SubjectName, Tiles, TrialFiles, Work};
use super::text::{ConfigError, Text, regex_reason};
use crate::analysis::code::SassCheck;
use crate::analysis::{Expectation, Hypothesis, Pick};
use crate::catalog::{self, CHECK, Operator, ReadingForm};
use crate::collect::Collecting;
use crate::nearest::nearest;
use crate::source::TimeUnit;
use regex::Regex;
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::Spanned;

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table `[[subject]]`")]
pub(super) struct SubjectKeys {
    pub(super) name: Spanned<String>,
    title: Option<String>,
    kernel: Option<Spanned<String>>,
    launches: Option<Spanned<String>>,
    grid: Option<Spanned<String>>,
    nvtx: Option<String>,
    baseline_kernel: Option<Spanned<String>>,
    report: Option<Spanned<PathBuf>>,
    baseline: Option<Spanned<PathBuf>>,
    ptxas: Option<Spanned<toml::Value>>,
    source: Option<Spanned<PathBuf>>,
    cubin: Option<Spanned<PathBuf>>,
    arch: Option<Spanned<toml::Value>>,
    #[serde(default)]
    flags: Vec<Spanned<String>>,
    baseline_source: Option<Spanned<PathBuf>>,
    baseline_cubin: Option<Spanned<PathBuf>>,
    #[serde(default)]
    launch: LaunchKeys,
    correctness: Option<Spanned<ReferenceKeys>>,
    reference: Option<Spanned<ReferenceKeys>>,
    #[serde(default)]
    variant: Vec<VariantKeys>,
    #[serde(default)]
    check: Vec<CheckKeys>,
    #[serde(default)]
    shared: Vec<SharedKeys>,
    commit: Option<String>,
    change: Option<String>,
    html: Option<bool>,
    #[serde(default)]
    work: WorkKeys,
    tiles: Option<TilesKeys>,
    #[serde(default, alias = "checks")]
    checklists: Vec<Spanned<String>>,
    #[serde(default)]
    expect: Vec<ExpectKeys>,
    #[serde(default)]
    hypothesis: Vec<HypothesisKeys>,
    run: Option<Spanned<Vec<String>>>,
    #[serde(default)]
    prefix: Vec<String>,
    evidence: Option<PathBuf>,
    #[serde(default)]
    collect: Collecting,
    correctness_file: Option<Spanned<PathBuf>>,
    benchmark_file: Option<Spanned<PathBuf>>,
    benchmark_row: Option<Spanned<String>>,
    benchmark_unit: Option<TimeUnit>,
    baseline_benchmark: Option<Spanned<PathBuf>>,
    reference_report: Option<Spanned<PathBuf>>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table `[subject.tiles]`")]
struct TilesKeys {
    count: Spanned<toml::Value>,
    stores_per_warp: Spanned<toml::Value>,
    warps: Spanned<toml::Value>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table such as `{ metric = \"stall.barrier\", op = \"<=\", value = 10 }`")]
struct ExpectKeys {
    metric: Spanned<String>,
    op: Spanned<String>,
    value: Spanned<f64>,
    label: Option<String>,
}

#[derive(Default, serde::Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table `[subject.work]`")]
struct WorkKeys {
    shape: Option<String>,
    types: Option<String>,
    flop: Option<Spanned<toml::Value>>,
    bytes: Option<Spanned<toml::Value>>,
    /// M, N and K of a matrix product: its shape, and two operations for each of them.
    gemm: Option<Spanned<[u64; 3]>>,
}

impl Text {
    /// The subject of these keys; `files` takes the files that it names, each with where it does.
    pub(super) fn subject(
        &self,
        mut keys: SubjectKeys,
        folder: &Path,
        files: &mut Vec<(PathBuf, Range<usize>)>,
    ) -> Result<Subject, ConfigError> {
        let name: SubjectName = keys.name.get_ref().parse().map_err(|error: String| {
            self.wrong(format!("a subject's name becomes part of a file name: {error}"), keys.name.span(), "", None)
        })?;
        let has_code = keys.source.is_some() || keys.cubin.is_some();
        if keys.report.is_none() && !has_code && keys.run.is_none() && keys.evidence.is_none() {
            let help =
                Some("name a report, a CUDA source or a cubin, or the program to collect with: `run`".to_owned());
            let message = "a subject needs evidence: `report`, `source`, `cubin`, `run` or `evidence`".to_owned();
            return Err(self.wrong(message, keys.name.span(), "has none of them", help));
        }
        let (mut code, baseline_code) = self.code(&mut keys, folder, files)?;
        let variants = self.variants(keys.variant, &mut code)?;
        let plan = self.plan(&keys.launch)?;
        let on = |table| Subjected { table, folder, plan: plan.as_ref() };
        let (mut outputs, mut tests) = (None, None);
        if let Some(keys) = keys.correctness {
            (outputs, tests) = self.correctness(on(keys.span()), keys.into_inner(), files)?;
        }
        let mut reference = None;
        if let Some(keys) = keys.reference {
            reference = Some(self.reference_plan(on(keys.span()), keys.into_inner(), files)?);
        }
        let mut file = |path: Spanned<PathBuf>| {
            let span = path.span();
            let path = folder.join(path.into_inner());
            files.push((path.clone(), span));
            path
        };
        let trials = TrialFiles {
            correctness: keys.correctness_file.map(&mut file),
            benchmark: keys.benchmark_file.map(&mut file),
            row: keys.benchmark_row.as_ref().map(|row| self.regex(row)).transpose()?,
            unit: keys.benchmark_unit,
            baseline_benchmark: keys.baseline_benchmark.map(&mut file),
            reference: keys.reference_report.map(&mut file),
        };
        let checks = keys.check.into_iter().map(|check| self.check(check, &variants)).collect::<Result<Vec<_>, _>>()?;
        let shared = keys.shared.into_iter().map(|keys| self.shared_part(keys, &variants)).collect::<Result<_, _>>()?;
        Ok(Subject {
            hypotheses: self.hypotheses(keys.hypothesis, &checks)?,
            title: keys.title,
            html: keys.html,
            kernel: keys.kernel.map(|text| self.regex(&text)).transpose()?,
            pick: Pick {
                rows: keys.launches.map(|text| self.parsed(&text)).transpose()?,
                grid: keys.grid.map(|text| self.parsed(&text)).transpose()?,
                nvtx: keys.nvtx,
            },
            baseline_kernel: keys.baseline_kernel.map(|text| self.regex(&text)).transpose()?,
            report: keys.report.map(&mut file),
            baseline: keys.baseline.map(&mut file),
            ptxas: keys.ptxas.map_or(Ok(Vec::new()), |paths| self.paths(paths))?.into_iter().map(file).collect(),
            code,
            variants,
            baseline_code,
            launch: self.launch(&keys.launch)?,
            plan,
            outputs,
            tests,
            reference,
            code_checks: checks,
            shared,
            commit: keys.commit,
            change: keys.change,
            work: self.work(keys.work)?,
            tiles: keys.tiles.map(|tiles| self.tiles(&tiles)).transpose()?,
            checklists: keys.checklists.iter().map(|id| self.checklist(id)).collect::<Result<_, _>>()?,
            expect: keys.expect.into_iter().map(|keys| self.expectation(keys)).collect::<Result<_, _>>()?,
            collect: Collecting {
                run: self.run(keys.run)?,
                prefix: keys.prefix,
                evidence: keys.evidence.map(|path| folder.join(path)),
                ..keys.collect
            },
            trials,
            name,
        })
    }

    fn run(&self, run: Option<Spanned<Vec<String>>>) -> Result<Vec<String>, ConfigError> {
        if let Some(run) = run.as_ref().filter(|run| run.get_ref().iter().all(String::is_empty)) {
            let help = Some("name the program and its arguments: run = [\"./bench\", \"--size\", \"4096\"]".to_owned());
            return Err(self.wrong("expected a program to run".into(), run.span(), "it is empty", help));
        }
        Ok(run.map(Spanned::into_inner).unwrap_or_default())
    }

    /// The code of the version under audit and of the version before.
    pub(super) fn code(
        &self,
        keys: &mut SubjectKeys,
        folder: &Path,
        files: &mut Vec<(PathBuf, Range<usize>)>,
    ) -> Result<(Option<Code>, Option<Code>), ConfigError> {
        let sides = [("subject", &keys.source, &keys.cubin), ("baseline", &keys.baseline_source, &keys.baseline_cubin)];
        for (side, source, cubin) in sides {
            if let (Some(_), Some(cubin)) = (source, cubin) {
                let help = Some("keep the one that was launched".to_owned());
                return Err(self.wrong(format!("a {side} has a source or a cubin, not both"), cubin.span(), "", help));
            }
        }
        let flags = self.flags(std::mem::take(&mut keys.flags))?;
        let archs = keys.arch.take().map_or(Ok(Vec::new()), |arch| self.archs(arch))?;
        let mut named = |path: Spanned<PathBuf>| {
            files.push((folder.join(path.get_ref()), path.span()));
            path.into_inner()
        };
        let mut code = |source: Option<Spanned<PathBuf>>, cubin: Option<Spanned<PathBuf>>| {
            if let Some(source) = source {
                if archs.is_empty() {
                    let help = Some("add `arch`, such as arch = \"sm_90a\"".to_owned());
                    return Err(self.wrong("a source needs an architecture".into(), source.span(), "", help));
                }
                return Ok(Some(Code::Source { path: named(source), archs: archs.clone(), flags: flags.clone() }));
            }
            Ok(cubin.map(|cubin| Code::Cubin { path: named(cubin) }))
        };
        let new = code(keys.source.take(), keys.cubin.take())?;
        Ok((new, code(keys.baseline_source.take(), keys.baseline_cubin.take())?))
    }

    fn work(&self, keys: WorkKeys) -> Result<Work, ConfigError> {
        let mut work = Work {
            shape: keys.shape,
            types: keys.types,
            flop: keys.flop.map(|amount| self.amount(&amount)).transpose()?,
            bytes: keys.bytes.map(|amount| self.amount(&amount)).transpose()?,
        };
        if let Some(gemm) = keys.gemm {
            let wrong = |what: &str| self.wrong(what.to_owned(), gemm.span(), "", None);
            let [m, n, k] = *gemm.get_ref();
            if work.flop.is_some() || [m, n, k].contains(&0) {
                return Err(wrong("expected M, N and K of a product, above 0, and no `flop` beside them"));
            }
            work.flop = Some(format!("2*{m}*{n}*{k}").parse().map_err(|_| wrong("too many operations"))?);
            work.shape.get_or_insert(format!("M={m} N={n} K={k}"));
        }
        Ok(work)
    }

    fn tiles(&self, keys: &TilesKeys) -> Result<Tiles, ConfigError> {
        Ok(Tiles {
            count: self.amount(&keys.count)?,
            stores_per_warp: self.amount(&keys.stores_per_warp)?,
            warps: self.amount(&keys.warps)?,
        })
    }

    fn checklist(&self, id: &Spanned<String>) -> Result<String, ConfigError> {
        let known: Vec<&str> = catalog::checklists().iter().map(|list| list.id.as_str()).collect();
        let found = catalog::checklist(id.get_ref()).map(|_| id.get_ref().clone());
        found.ok_or_else(|| self.no_such("checklist", id, &known))
    }

    fn expectation(&self, keys: ExpectKeys) -> Result<Expectation, ConfigError> {
        let op = keys.op.get_ref().parse();
        let op = op.map_err(|error: String| self.wrong(error, keys.op.span(), "", None))?;
        let value = *keys.value.get_ref();
        if !value.is_finite() {
            return Err(self.wrong(format!("expected a number, found {value}"), keys.value.span(), "", None));
        }
        let form = self.reading(keys.metric.get_ref(), keys.metric.span())?;
        if form.is_of_change() {
            let help = Some("name it in a [[subject.hypothesis]]".to_owned());
            let message = format!("only a comparison tells {:?}", keys.metric.get_ref());
            return Err(self.wrong(message, keys.metric.span(), "", help));
        }
        Ok(Expectation::own(keys.metric.get_ref(), op, value, keys.label.as_deref()))
    }

    /// What kind of reading has this name.
    pub(super) fn reading(&self, name: &str, span: Range<usize>) -> Result<ReadingForm, ConfigError> {
        catalog::check_reading(name).map(|name| name.form).map_err(|met| {
            let near = met.near.as_ref().map(|near| format!("did you mean `{near}`?"));
            let help = near.unwrap_or_else(|| "`audit explain readings` lists the names".to_owned());
            self.wrong(format!("no reading is called {:?}", met.name), span, "unknown", Some(help))
        })
    }

    pub(super) fn regex(&self, text: &Spanned<String>) -> Result<Regex, ConfigError> {
        Regex::new(text.get_ref()).map_err(|error| {
            let reason = regex_reason(&error);
            self.wrong("this is not a regular expression".into(), text.span(), &reason, None)
        })
    }
}

#[derive(serde::Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "a table `[[subject.hypothesis]]` with `name` and `after`, a list of statements such as `\"opcode.LDG < 1000\"`"
)]
pub(super) struct HypothesisKeys {
    name: Spanned<String>,
    #[serde(default)]
    change: String,
    #[serde(default)]
    before: Vec<Spanned<String>>,
    after: Vec<Spanned<String>>,
}

impl Text {
    pub(super) fn hypotheses(
        &self,
        keys: Vec<HypothesisKeys>,
        checks: &[SassCheck],
    ) -> Result<Vec<Hypothesis>, ConfigError> {
        let mut all: Vec<Hypothesis> = Vec::new();
        for keys in keys {
            let name = keys.name.get_ref().trim().to_owned();
            if name.is_empty() || all.iter().any(|other| other.name == name) {
                let message = format!("a hypothesis needs a name of its own, found {name:?}");
                return Err(self.wrong(message, keys.name.span(), "", None));
            }
            if keys.after.is_empty() {
                let help = Some("say what is expected, such as after = [\"stall.barrier < 1\"]".to_owned());
                return Err(self.wrong(
                    "a hypothesis predicts something".into(),
                    keys.name.span(),
                    "`after` is empty",
                    help,
                ));
            }
            let conditions = |texts: &[Spanned<String>]| {
                texts.iter().map(|text| self.condition(text, checks)).collect::<Result<Vec<Expectation>, ConfigError>>()
            };
            let (before, after) = (conditions(&keys.before)?, conditions(&keys.after)?);
            all.push(Hypothesis { name, change: keys.change, before, after, ..Hypothesis::default() });
        }
        Ok(all)
    }

    fn condition(&self, text: &Spanned<String>, checks: &[SassCheck]) -> Result<Expectation, ConfigError> {
        let plain = text.get_ref().trim();
        let is_known = |name: &str| checks.iter().any(|check| check.name == name);
        let condition = match plain.strip_prefix(CHECK) {
            Some(name) if !name.contains(['<', '>', '=', '!']) || is_known(name.trim()) => {
                Expectation::own(&format!("{CHECK}{}", name.trim()), Operator::Equal, 1.0, None)
            }
            _ => plain.parse().map_err(|reason: String| self.wrong(reason, text.span(), "", None))?,
        };
        let Some(name) = condition.reading.strip_prefix(CHECK) else {
            self.reading(&condition.reading, text.span())?;
            return Ok(condition);
        };
        if is_known(name) {
            return Ok(condition);
        }
        let near = nearest(name, checks.iter().map(|check| check.name.as_str()));
        let help = match near {
            Some(near) => format!("did you mean {CHECK}{near}?"),
            None => "name one of its [[subject.check]]".to_owned(),
        };
        Err(self.wrong(format!("the subject has no check called {name:?}"), text.span(), "unknown", Some(help)))
    }
}
