//! The file `audit.toml`: its keys, and the checks that need more than one of them.

use super::code::Tools;
use super::keys::SubjectKeys;
use super::subject::Subject;
use super::text::{ConfigError, ConfigErrorKind, Text};
use crate::bounds;
use crate::catalog::Threshold;
use crate::collect::Together;
use crate::nearest::nearest;
use crate::render::{Override, TEMPLATES};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toml::Spanned;

#[derive(Debug)]
pub struct Config {
    /// The folder of the file: what its paths are relative to. Empty for the working folder.
    pub folder: PathBuf,
    pub out: PathBuf,
    pub template: String,
    pub templates: Option<PathBuf>,
    /// The user's templates in place of built-in ones.
    pub overrides: Vec<Override>,
    pub has_charts: bool,
    /// Whether an HTML page is written beside the page in Markdown.
    pub has_html: bool,
    /// Numbers that judgements compare with, by the catalog's ids, where they differ from the catalog's.
    pub thresholds: BTreeMap<Threshold, f64>,
    /// Subjects in file order; at least one.
    pub subjects: Vec<Subject>,
    pub tools: Tools,
    pub slurm: Slurm,
    /// Their positions, by their names.
    places: BTreeMap<String, usize>,
    /// Positions of the subjects that are meant when none is named.
    default: Vec<usize>,
    text: Text,
    /// For each subject, the files it names and where it does.
    files: Vec<Vec<(PathBuf, Range<usize>)>>,
}

/// `[slurm]`: what `audit collect --slurm` asks of Slurm.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table `[slurm]`")]
pub struct Slurm {
    /// Options of sbatch for every task; a GPU and a node for itself where the file says nothing.
    pub options: Vec<String>,
}

impl Default for Slurm {
    fn default() -> Slurm {
        Slurm { options: ["--gpus=1", "--exclusive"].map(str::to_owned).to_vec() }
    }
}

pub(crate) const DEFAULT_OUT: &str = "audits";
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
    slurm: Slurm,
    #[serde(default)]
    subject: Vec<SubjectKeys>,
}

#[derive(Default, serde::Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table `[audit]`")]
struct AuditKeys {
    out: Option<PathBuf>,
    template: Option<String>,
    templates: Option<Spanned<PathBuf>>,
    charts: Option<bool>,
    html: Option<bool>,
    default: Option<Vec<Spanned<String>>>,
}

/// The keys of a table of a subject, by what the reader says of one that no table has; none for what is no table.
fn keys_of(table: &str) -> Vec<String> {
    let probe = format!("[[subject]]\nname = \"x\"\n[subject.{table}]\n\"?\" = 0\n");
    let error = toml::from_str::<File>(&probe).err();
    let message = error.as_ref().map_or("", toml::de::Error::message);
    let is_of_keys = message.starts_with("unknown field `?`");
    message.split('`').skip(3).step_by(2).filter(|_| is_of_keys).map(str::to_owned).collect()
}

impl Config {
    /// Reads and checks a file. Files that subjects name are looked for by [`Config::select`]. Errors: a file that
    /// cannot be read, is no TOML, has an unknown key or a wrong value, or names no subject.
    pub fn read(path: &Path) -> Result<Config, ConfigError> {
        let text = crate::read::text(path).map_err(|error| ConfigError {
            kind: ConfigErrorKind::Unreadable,
            path: path.to_owned(),
            message: format!("cannot read {}: {error}", path.display()),
            place: None,
            help: Some(match error.kind() {
                std::io::ErrorKind::NotFound => "`audit init` writes one from what lies here; --config names another, and with --report none is needed".to_owned(),
                _ => "make it a file of readable text, or name another with --config".to_owned(),
            }),
        })?;
        Config::parse(path, text)
    }

    pub fn parse(path: &Path, text: String) -> Result<Config, ConfigError> {
        let text = Text { path: path.to_owned(), text };
        if text.text.len() > bounds::SETTINGS {
            let what = format!("has more than {} bytes", bounds::SETTINGS);
            return Err(text.absent(&what, "give each folder of kernels an audit.toml of its own"));
        }
        let file: File = toml::from_str(&text.text).map_err(|error| text.syntax(&error, keys_of))?;
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        if file.subject.is_empty() {
            return Err(
                text.absent("names no [[subject]]", "add one with at least `name` and `report`, `source` or `cubin`")
            );
        }
        let mut subjects: Vec<Subject> = Vec::new();
        let mut places = BTreeMap::new();
        let mut files = Vec::new();
        for keys in file.subject {
            let mut named = Vec::new();
            let span = keys.name.span();
            let subject = text.subject(keys, &folder, &mut named)?;
            if places.insert(subject.name.to_string(), subjects.len()).is_some() {
                let message = format!("two subjects are called {:?}", subject.name.as_str());
                return Err(text.wrong(message, span, "used before", Some("give each subject its own name".into())));
            }
            subjects.push(subject);
            files.push(named);
        }
        collect_together(&mut subjects);
        let default = text.default(file.audit.default, &places)?;
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
            has_html: file.audit.html.unwrap_or(false),
            tools: file.tools.below(&folder),
            slurm: file.slurm,
            folder,
            thresholds,
            subjects,
            places,
            default,
            text,
            files,
        })
    }

    /// The subjects of these names as [`Config::select`] chooses them. Their files need not be there. Errors: a name
    /// that no subject has.
    pub fn named(&self, names: &[String]) -> Result<Vec<&Subject>, ConfigError> {
        Ok(self.positions(names)?.into_iter().map(|at| &self.subjects[at]).collect())
    }

    /// The subjects of these names in the order asked for; for an empty list those of `default`, or all where the file
    /// has no such key. Every file that they name exists. Errors: a name that no subject has, or a file that is not
    /// there.
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
        let (mut chosen, mut seen) = (Vec::new(), BTreeSet::new());
        for name in names {
            let Some(&at) = self.places.get(name) else {
                let known: Vec<&str> = self.subjects.iter().map(|subject| subject.name.as_str()).collect();
                let help = match nearest(name, known.iter().copied()) {
                    Some(near) => format!("did you mean {near:?}? Subjects: {}", known.join(", ")),
                    None => format!("subjects: {}", known.join(", ")),
                };
                return Err(self.text.absent(&format!("names no subject {name:?}"), &help));
            };
            if seen.insert(at) {
                chosen.push(at);
            }
        }
        Ok(if names.is_empty() { self.default.clone() } else { chosen })
    }
}

/// Tells subjects of one program, collected alike, that one run of it serves them all.
fn collect_together(subjects: &mut [Subject]) {
    let pytest = |one: &Subject| one.tests.as_ref().map(|tests| tests.pytest.clone()).unwrap_or_default();
    let mut of_program: BTreeMap<Vec<String>, Vec<Vec<usize>>> = BTreeMap::new();
    for (at, one) in subjects.iter().enumerate() {
        if one.collect.run.is_empty() || one.report.is_some() || one.code.is_some() {
            continue;
        }
        let groups = of_program.entry(one.collect.run.clone()).or_default();
        let is_like = |other: &Subject| one.collect == other.collect && pytest(one) == pytest(other);
        match groups.iter_mut().find(|group| group.first().is_some_and(|first| is_like(&subjects[*first]))) {
            Some(group) => group.push(at),
            None => groups.push(vec![at]),
        }
    }
    for group in of_program.into_values().flatten().filter(|group| group.len() > 1) {
        let all = || group.iter().map(|at| &subjects[*at]);
        let kernels: Option<Vec<&str>> = all().map(|one| one.kernel.as_ref().map(regex::Regex::as_str)).collect();
        let names = all().map(|one| one.name.to_string()).collect();
        let together = Arc::new(Together { names, kernel: kernels.map(|kernels| kernels.join("|")) });
        for at in group {
            subjects[at].collect.together = Some(Arc::clone(&together));
        }
    }
}

impl Text {
    /// The positions of the subjects that `default` names; all of them without that key.
    fn default(
        &self,
        names: Option<Vec<Spanned<String>>>,
        places: &BTreeMap<String, usize>,
    ) -> Result<Vec<usize>, ConfigError> {
        let Some(names) = names else { return Ok((0..places.len()).collect()) };
        let position = |name: &Spanned<String>| {
            places.get(name.get_ref()).copied().ok_or_else(|| {
                let near = nearest(name.get_ref(), places.keys().map(String::as_str));
                let help = near.map(|near| format!("did you mean {near:?}?"));
                self.wrong(format!("no subject is called {:?}", name.get_ref()), name.span(), "unknown", help)
            })
        };
        names.iter().map(position).collect()
    }

    fn template(
        &self,
        name: &Spanned<String>,
        path: &Spanned<PathBuf>,
        folder: &Path,
    ) -> Result<Override, ConfigError> {
        if !TEMPLATES.contains(&name.get_ref().as_str()) {
            return Err(self.no_such("template", name, TEMPLATES));
        }
        let file = folder.join(path.get_ref());
        if !file.is_file() {
            return Err(self.missing(&file, "file", path.span()));
        }
        Ok(Override { name: name.get_ref().clone(), file })
    }

    fn threshold(&self, id: &Spanned<String>, value: &Spanned<f64>) -> Result<(Threshold, f64), ConfigError> {
        let threshold = Threshold::named(id.get_ref()).map_err(|met| {
            let near = met.near.as_ref();
            let help = near.map(|near| format!("did you mean `{near}`? `audit explain {near}` says what it decides"));
            self.wrong(format!("no threshold is called {:?}", id.get_ref()), id.span(), "unknown", help)
        })?;
        threshold.accepts(*value.get_ref()).map_err(|message| self.wrong(message, value.span(), "", None))?;
        Ok((threshold, *value.get_ref()))
    }
}
