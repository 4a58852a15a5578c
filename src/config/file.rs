//! The file `audit.toml`: its keys, and the checks that need more than one of them.

use super::amount::Amount;
use super::code::{CheckKeys, CodeKeys, LaunchKeys, Tools};
use super::collect::CollectKeys;
use super::error::{ConfigError, ConfigErrorKind, Place};
use super::launch::{CorrectnessKeys, ReferenceKeys, Subjected};
use super::subject::{Expect, Subject, SubjectName, Tiles, Work};
use super::trials::TrialFiles;
use crate::catalog;
use crate::nearest::nearest;
use crate::render::{Override, TEMPLATES};
use regex::Regex;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::Spanned;

/// A configuration file that was read and checked.
#[derive(Debug)]
pub struct Config {
    /// The folder of the file: what its paths are relative to. Empty for the working folder.
    pub folder: PathBuf,
    /// Where audits are written.
    pub out: PathBuf,
    /// Name of the page template.
    pub template: String,
    /// Folder of the user's templates.
    pub templates: Option<PathBuf>,
    /// The user's templates in place of built-in ones.
    pub overrides: Vec<Override>,
    /// Whether pages have charts.
    pub has_charts: bool,
    /// Numbers that judgements compare with, by the catalog's ids, where they differ from the catalog's.
    pub thresholds: BTreeMap<String, f64>,
    /// Subjects in file order; at least one.
    pub subjects: Vec<Subject>,
    /// Where tools are.
    pub tools: Tools,
    /// Positions of the subjects that are meant when none is named.
    default: Vec<usize>,
    text: Text,
    /// For each subject, the files it names and where it does.
    files: Vec<Vec<(PathBuf, Range<usize>)>>,
}

/// The output folder when none is given.
pub(crate) const DEFAULT_OUT: &str = "audits";
/// The page template when none is given.
pub(crate) const DEFAULT_TEMPLATE: &str = "audit";

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    audit: AuditKeys,
    #[serde(default)]
    thresholds: BTreeMap<Spanned<String>, Spanned<f64>>,
    #[serde(default)]
    templates: BTreeMap<Spanned<String>, Spanned<PathBuf>>,
    #[serde(default)]
    tools: Tools,
    #[serde(default)]
    subject: Vec<SubjectKeys>,
}

#[derive(Default, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct AuditKeys {
    out: Option<PathBuf>,
    template: Option<String>,
    templates: Option<Spanned<PathBuf>>,
    charts: Option<bool>,
    default: Option<Vec<Spanned<String>>>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct SubjectKeys {
    name: Spanned<String>,
    title: Option<String>,
    kernel: Option<Spanned<String>>,
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
    correctness: Option<Spanned<CorrectnessKeys>>,
    reference: Option<Spanned<ReferenceKeys>>,
    #[serde(default)]
    check: Vec<CheckKeys>,
    commit: Option<String>,
    change: Option<String>,
    #[serde(default)]
    work: WorkKeys,
    tiles: Option<TilesKeys>,
    #[serde(default)]
    checks: Vec<Spanned<String>>,
    #[serde(default)]
    expect: Vec<ExpectKeys>,
    run: Option<Spanned<Vec<String>>>,
    #[serde(default)]
    prefix: Vec<String>,
    evidence: Option<PathBuf>,
    #[serde(default)]
    collect: CollectKeys,
    correctness_file: Option<Spanned<PathBuf>>,
    benchmark_file: Option<Spanned<PathBuf>>,
    baseline_benchmark: Option<Spanned<PathBuf>>,
    reference_report: Option<Spanned<PathBuf>>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct TilesKeys {
    count: Spanned<toml::Value>,
    stores_per_warp: Spanned<toml::Value>,
    warps: Spanned<toml::Value>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct ExpectKeys {
    metric: String,
    op: Spanned<String>,
    value: Spanned<f64>,
    label: Option<String>,
}

#[derive(Default, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct WorkKeys {
    shape: Option<String>,
    types: Option<String>,
    flop: Option<Spanned<toml::Value>>,
    bytes: Option<Spanned<toml::Value>>,
}

impl Config {
    /// Reads and checks a file. Files that subjects name are looked for by [`Config::select`].
    ///
    /// # Errors
    /// A file that cannot be read, is no TOML, has an unknown key or a wrong value, or names no subject.
    pub fn read(path: &Path) -> Result<Config, ConfigError> {
        let text = std::fs::read_to_string(path).map_err(|error| ConfigError {
            kind: ConfigErrorKind::Unreadable,
            path: path.to_owned(),
            message: format!("cannot read {}: {error}", path.display()),
            place: None,
            help: Some("name another file with --config, or give --report and need no file".to_owned()),
        })?;
        Config::parse(path, text)
    }

    /// Checks the text of a file that lies at `path`.
    ///
    /// # Errors
    /// As [`Config::read`].
    pub fn parse(path: &Path, text: String) -> Result<Config, ConfigError> {
        let text = Text { path: path.to_owned(), text };
        let file: File = toml::from_str(&text.text).map_err(|error| text.syntax(&error))?;
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        if file.subject.is_empty() {
            return Err(
                text.absent("names no [[subject]]", "add one with at least `name` and `report`, `source` or `cubin`")
            );
        }
        let mut subjects: Vec<Subject> = Vec::new();
        let mut files = Vec::new();
        for keys in file.subject {
            let mut named = Vec::new();
            let span = keys.name.span();
            let subject = text.subject(keys, &folder, &mut named)?;
            if subjects.iter().any(|other| other.name == subject.name) {
                let message = format!("two subjects are called {:?}", subject.name.as_str());
                return Err(text.wrong(message, span, "used before", Some("give each subject its own name".into())));
            }
            subjects.push(subject);
            files.push(named);
        }
        let default = text.default(file.audit.default, &subjects)?;
        let thresholds =
            file.thresholds.iter().map(|(id, value)| text.threshold(id, value)).collect::<Result<_, _>>()?;
        let overrides =
            file.templates.iter().map(|(name, path)| text.template(name, path, &folder)).collect::<Result<_, _>>()?;
        if let Some(templates) = &file.audit.templates {
            let found = folder.join(templates.get_ref());
            if !found.is_dir() {
                return Err(text.missing(&found, "folder", templates.span()));
            }
        }
        Ok(Config {
            out: folder.join(file.audit.out.unwrap_or_else(|| DEFAULT_OUT.into())),
            template: file.audit.template.unwrap_or_else(|| DEFAULT_TEMPLATE.into()),
            templates: file.audit.templates.map(|path| folder.join(path.into_inner())),
            overrides,
            has_charts: file.audit.charts.unwrap_or(true),
            tools: file.tools.below(&folder),
            folder,
            thresholds,
            subjects,
            default,
            text,
            files,
        })
    }

    /// The subjects that are meant when none is named. Their files need not be there.
    pub fn defaults(&self) -> impl Iterator<Item = &Subject> {
        self.default.iter().filter_map(|at| self.subjects.get(*at))
    }

    /// The subjects of these names as [`Config::select`] chooses them. Their files need not be there.
    ///
    /// # Errors
    /// A name that no subject has.
    pub fn named(&self, names: &[String]) -> Result<Vec<&Subject>, ConfigError> {
        Ok(self.positions(names)?.into_iter().map(|at| &self.subjects[at]).collect())
    }

    /// The subjects of these names in the order asked for; for an empty list those of `default`, or all where the file
    /// has no such key. Every file that they name exists.
    ///
    /// # Errors
    /// A name that no subject has, or a file that is not there.
    pub fn select(&self, names: &[String]) -> Result<Vec<&Subject>, ConfigError> {
        let chosen = self.positions(names)?;
        for at in &chosen {
            for (path, span) in &self.files[*at] {
                if !path.is_file() {
                    return Err(self.text.missing(path, "file", span.clone()));
                }
            }
        }
        Ok(chosen.into_iter().map(|at| &self.subjects[at]).collect())
    }

    fn positions(&self, names: &[String]) -> Result<Vec<usize>, ConfigError> {
        let mut chosen: Vec<usize> = Vec::new();
        for name in names {
            let Some(at) = self.subjects.iter().position(|subject| subject.name.as_str() == name) else {
                let known: Vec<&str> = self.subjects.iter().map(|subject| subject.name.as_str()).collect();
                let help = match nearest(name, known.iter().copied()) {
                    Some(near) => format!("did you mean {near:?}? Subjects: {}", known.join(", ")),
                    None => format!("subjects: {}", known.join(", ")),
                };
                return Err(self.text.absent(&format!("names no subject {name:?}"), &help));
            };
            if !chosen.contains(&at) {
                chosen.push(at);
            }
        }
        Ok(if names.is_empty() { self.default.clone() } else { chosen })
    }
}

/// The text of a file, for building values and errors from it.
#[derive(Debug)]
pub(super) struct Text {
    pub(super) path: PathBuf,
    pub(super) text: String,
}

impl Text {
    fn subject(
        &self,
        keys: SubjectKeys,
        folder: &Path,
        files: &mut Vec<(PathBuf, Range<usize>)>,
    ) -> Result<Subject, ConfigError> {
        let name: SubjectName = keys.name.get_ref().parse().map_err(|error: String| {
            self.wrong(format!("a subject's name becomes part of a file name: {error}"), keys.name.span(), "", None)
        })?;
        let code_keys = CodeKeys {
            source: keys.source,
            cubin: keys.cubin,
            baseline_source: keys.baseline_source,
            baseline_cubin: keys.baseline_cubin,
            arch: keys.arch,
            flags: keys.flags,
        };
        if keys.report.is_none() && !code_keys.is_given() && keys.run.is_none() && keys.evidence.is_none() {
            let help =
                Some("name a report, a CUDA source or a cubin, or the program to collect with: `run`".to_owned());
            let message = "a subject needs evidence: `report`, `source`, `cubin`, `run` or `evidence`".to_owned();
            return Err(self.wrong(message, keys.name.span(), "has none of them", help));
        }
        let (code, baseline_code) = self.code(code_keys, folder, files)?;
        let plan = self.plan(&keys.launch)?;
        let on = |table| Subjected { table, folder, plan: plan.as_ref() };
        let mut check = None;
        if let Some(keys) = keys.correctness {
            check = Some(self.check_plan(on(keys.span()), keys.into_inner(), files)?);
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
            baseline_benchmark: keys.baseline_benchmark.map(&mut file),
            reference: keys.reference_report.map(&mut file),
        };
        Ok(Subject {
            title: keys.title,
            kernel: keys.kernel.map(|text| self.regex(&text)).transpose()?,
            baseline_kernel: keys.baseline_kernel.map(|text| self.regex(&text)).transpose()?,
            report: keys.report.map(&mut file),
            baseline: keys.baseline.map(&mut file),
            ptxas: keys.ptxas.map_or(Ok(Vec::new()), |paths| self.paths(paths))?.into_iter().map(file).collect(),
            code,
            baseline_code,
            launch: self.launch(&keys.launch)?,
            plan,
            check,
            reference,
            checks: keys.check.into_iter().map(|check| self.check(check)).collect::<Result<_, _>>()?,
            commit: keys.commit,
            change: keys.change,
            work: Work {
                shape: keys.work.shape,
                types: keys.work.types,
                flop: keys.work.flop.map(|amount| self.amount(&amount)).transpose()?,
                bytes: keys.work.bytes.map(|amount| self.amount(&amount)).transpose()?,
            },
            tiles: keys.tiles.map(|tiles| self.tiles(&tiles)).transpose()?,
            checklists: keys.checks.iter().map(|id| self.profile(id)).collect::<Result<_, _>>()?,
            expect: keys.expect.into_iter().map(|keys| self.expectation(keys)).collect::<Result<_, _>>()?,
            collect: self.collecting(keys.collect, keys.run, keys.prefix, keys.evidence.as_deref(), folder)?,
            trials,
            name,
        })
    }

    fn tiles(&self, keys: &TilesKeys) -> Result<Tiles, ConfigError> {
        Ok(Tiles {
            count: self.amount(&keys.count)?,
            stores_per_warp: self.amount(&keys.stores_per_warp)?,
            warps: self.amount(&keys.warps)?,
        })
    }

    /// The id of a checklist of the catalog.
    fn profile(&self, id: &Spanned<String>) -> Result<String, ConfigError> {
        let name = id.get_ref();
        if catalog::profile(name).is_some() {
            return Ok(name.clone());
        }
        let known: Vec<&str> = catalog::profiles().iter().map(|profile| profile.id.as_str()).collect();
        let help = match nearest(name, known.iter().copied()) {
            Some(near) => format!("did you mean {near:?}? Checklists: {}", known.join(", ")),
            None => format!("checklists: {}", known.join(", ")),
        };
        Err(self.wrong(format!("no checklist is called {name:?}"), id.span(), "unknown", Some(help)))
    }

    fn expectation(&self, keys: ExpectKeys) -> Result<Expect, ConfigError> {
        let op = keys.op.get_ref().parse();
        let op = op.map_err(|error: String| self.wrong(error, keys.op.span(), "", None))?;
        let value = *keys.value.get_ref();
        if !value.is_finite() {
            return Err(self.wrong(format!("expected a number, found {value}"), keys.value.span(), "", None));
        }
        Ok(Expect { metric: keys.metric, op, value, label: keys.label })
    }

    fn regex(&self, text: &Spanned<String>) -> Result<Regex, ConfigError> {
        Regex::new(text.get_ref()).map_err(|error| {
            let reason = regex_reason(&error);
            self.wrong("this is no regular expression".into(), text.span(), &reason, None)
        })
    }

    /// The positions of the subjects that `default` names; all of them without that key.
    fn default(&self, names: Option<Vec<Spanned<String>>>, subjects: &[Subject]) -> Result<Vec<usize>, ConfigError> {
        let Some(names) = names else { return Ok((0..subjects.len()).collect()) };
        let position = |name: &Spanned<String>| {
            subjects.iter().position(|subject| subject.name.as_str() == name.get_ref()).ok_or_else(|| {
                let near = nearest(name.get_ref(), subjects.iter().map(|subject| subject.name.as_str()));
                let help = near.map(|near| format!("did you mean {near:?}?"));
                self.wrong(format!("no subject is called {:?}", name.get_ref()), name.span(), "unknown", help)
            })
        };
        names.iter().map(position).collect()
    }

    /// A file in place of the built-in template of a name.
    fn template(
        &self,
        name: &Spanned<String>,
        path: &Spanned<PathBuf>,
        folder: &Path,
    ) -> Result<Override, ConfigError> {
        if !TEMPLATES.contains(&name.get_ref().as_str()) {
            let help = match nearest(name.get_ref(), TEMPLATES.iter().copied()) {
                Some(near) => format!("did you mean `{near}`? Names: {}", TEMPLATES.join(", ")),
                None => format!("names: {}", TEMPLATES.join(", ")),
            };
            let message = format!("no template is called {:?}", name.get_ref());
            return Err(self.wrong(message, name.span(), "unknown", Some(help)));
        }
        let file = folder.join(path.get_ref());
        if !file.is_file() {
            return Err(self.missing(&file, "file", path.span()));
        }
        Ok(Override { name: name.get_ref().clone(), file })
    }

    /// A number for a threshold of the catalog.
    fn threshold(&self, id: &Spanned<String>, value: &Spanned<f64>) -> Result<(String, f64), ConfigError> {
        let name = id.get_ref();
        if catalog::threshold_row(name).is_none() {
            let near = nearest(name, catalog::thresholds().iter().map(|row| row.id));
            let help = near.map(|near| format!("did you mean `{near}`? `audit explain {near}` says what it decides"));
            return Err(self.wrong(format!("no threshold is called {name:?}"), id.span(), "unknown", help));
        }
        if !value.get_ref().is_finite() {
            let message = format!("a threshold is a number, found {}", value.get_ref());
            return Err(self.wrong(message, value.span(), "", None));
        }
        Ok((name.clone(), *value.get_ref()))
    }

    /// One path or a list of them.
    pub(super) fn paths(&self, value: Spanned<toml::Value>) -> Result<Vec<Spanned<PathBuf>>, ConfigError> {
        let span = value.span();
        let values = match value.into_inner() {
            toml::Value::Array(values) => values,
            one => vec![one],
        };
        let path = |value: toml::Value| match value {
            toml::Value::String(path) => Ok(Spanned::new(span.clone(), PathBuf::from(path))),
            other => {
                let found = format!("found {}", other.type_str());
                Err(self.wrong("expected a path or a list of paths".into(), span.clone(), &found, None))
            }
        };
        values.into_iter().map(path).collect()
    }

    pub(super) fn amount(&self, value: &Spanned<toml::Value>) -> Result<Amount, ConfigError> {
        let span = value.span();
        let help = || Some("whole numbers with +, *, / and parentheses, such as \"2*2048*1024*1024\"".to_owned());
        match value.get_ref() {
            toml::Value::Integer(number) => match u64::try_from(*number) {
                Ok(number) => Ok(Amount::from(number)),
                Err(_) => Err(self.wrong("an amount of work cannot be negative".into(), span, "", help())),
            },
            toml::Value::String(text) => text.parse().map_err(|error: super::AmountError| {
                // In a string without escapes the place is known to the character.
                let quoted = self.text.get(span.start + 1..span.end.saturating_sub(1)) == Some(text.as_str());
                let at = span.start + 1 + error.at;
                let place = if quoted { at..at + usize::from(at + 1 < span.end) } else { span };
                let reason = format!("expected {}, found {}", error.expected, error.found);
                self.wrong("this is no amount of work".into(), place, &reason, help())
            }),
            other => {
                let found = format!("found {}", other.type_str());
                Err(self.wrong("expected a whole number or an expression".into(), span, &found, help()))
            }
        }
    }

    pub(super) fn wrong(&self, message: String, span: Range<usize>, label: &str, help: Option<String>) -> ConfigError {
        let place = Some(Box::new(Place { text: self.text.clone(), span, label: label.to_owned() }));
        ConfigError { kind: ConfigErrorKind::Wrong, path: self.path.clone(), message, place, help }
    }

    fn missing(&self, path: &Path, what: &str, span: Range<usize>) -> ConfigError {
        let found = if path.exists() { "is something else" } else { "does not exist" };
        let place = Some(Box::new(Place { text: self.text.clone(), span, label: format!("no such {what}") }));
        ConfigError {
            kind: ConfigErrorKind::MissingFile,
            path: self.path.clone(),
            message: format!("expected a {what}: {} {found}", path.display()),
            place,
            help: Some("paths are relative to the folder of this file".to_owned()),
        }
    }

    fn absent(&self, what: &str, help: &str) -> ConfigError {
        ConfigError {
            kind: ConfigErrorKind::Absent,
            path: self.path.clone(),
            message: format!("{} {what}", self.path.display()),
            place: None,
            help: Some(help.to_owned()),
        }
    }

    /// A mistake that the TOML reader found: of syntax, of type, an unknown key or a missing one.
    fn syntax(&self, error: &toml::de::Error) -> ConfigError {
        let span = error.span().unwrap_or(0..0);
        let message = error.message().trim().replace('\n', ", ");
        let mut quoted = message.split('`').skip(1).step_by(2);
        let help = if message.starts_with("unknown field") {
            let unknown = quoted.next().unwrap_or_default();
            let known: Vec<&str> = quoted.collect();
            nearest(unknown, known.iter().copied()).map(|near| format!("did you mean `{near}`?"))
        } else {
            None
        };
        self.wrong(message, span, "", help)
    }
}

/// The last line of a regular expression's error, which says what is wrong.
pub(crate) fn regex_reason(error: &regex::Error) -> String {
    let text = error.to_string();
    let last = text.lines().last().unwrap_or_default();
    last.strip_prefix("error: ").unwrap_or(last).to_owned()
}
