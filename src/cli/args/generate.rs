//! `audit generate` and `audit render`.

use super::value::{address, date, template_file, threshold};
use super::{Collect, SubjectFlags};
use crate::cli::Failure;
use crate::render::Override;
use chrono::NaiveDate;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(in crate::cli) struct Generate {
    /// Subjects of the configuration file [default: those of its `default`, else all].
    #[arg(value_name = "SUBJECT")]
    pub(in crate::cli) subjects: Vec<String>,
    /// Every subject of the configuration file.
    #[arg(long, conflicts_with_all = ["subjects", "report"])]
    pub(in crate::cli) all: bool,
    /// Configuration file [default: audit.toml, unless --report is given without a subject].
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) config: Option<PathBuf>,
    /// Output folder; a comment names the pages there [default: audits].
    #[arg(long, value_name = "DIR")]
    pub(in crate::cli) out: Option<PathBuf>,
    /// What is written, and how it looks.
    #[command(flatten)]
    pub(in crate::cli) pages: Pages,
    /// Date of the audit, YYYY-MM-DD [default: SOURCE_DATE_EPOCH, else today].
    #[arg(long, value_name = "DATE", value_parser = date)]
    pub(in crate::cli) date: Option<NaiveDate>,
    /// Write the HTML page beside the page in Markdown, which then links to it.
    #[arg(long)]
    pub(in crate::cli) html: bool,
    /// Write the page without charts.
    #[arg(long)]
    pub(in crate::cli) no_charts: bool,
    /// Number that judgements compare with, in place of the catalog's or the configuration's; may be repeated.
    #[arg(long = "threshold", value_name = "ID=NUMBER", value_parser = threshold)]
    pub(in crate::cli) thresholds: Vec<(crate::catalog::Threshold, f64)>,
    /// Collect the evidence first, as `audit collect` does; needs a GPU.
    #[arg(long)]
    pub(in crate::cli) collect: bool,
    /// Print what --collect would run, and write nothing.
    #[arg(long)]
    pub(in crate::cli) dry_run: bool,
    /// With --collect, make every file again, even what is up to date.
    #[arg(long, requires = "collect")]
    pub(in crate::cli) again: bool,
    /// With --collect, say nothing while it runs.
    #[arg(long, requires = "collect")]
    pub(in crate::cli) quiet: bool,
    /// With --collect, subjects collected at a time; those on the GPU of this machine still take turns.
    #[arg(long, value_name = "N", default_value_t = 1, requires = "collect")]
    pub(in crate::cli) jobs: usize,
    /// Print how long NVIDIA's tools and the rest took.
    #[arg(long)]
    pub(in crate::cli) timings: bool,
    /// Read what is whole of a damaged report; the page says what is missing.
    #[arg(long)]
    pub(in crate::cli) allow_damage: bool,
    /// What the subject is; each overrides the configuration of one subject.
    #[command(flatten)]
    pub(in crate::cli) subject: SubjectFlags,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct Render {
    /// The snapshots.
    #[arg(value_name = "SNAPSHOT", required = true)]
    pub(in crate::cli) snapshots: Vec<PathBuf>,
    /// Output folder; a comment names the pages there [default: beside each snapshot].
    #[arg(long, value_name = "DIR")]
    pub(in crate::cli) out: Option<PathBuf>,
    /// What is written, and how it looks.
    #[command(flatten)]
    pub(in crate::cli) pages: Pages,
}

/// What is written, and how it looks.
#[derive(Debug, Args)]
pub(in crate::cli) struct Pages {
    /// Name of the page template [default: audit; of a snapshot, that of its page].
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) template: Option<String>,
    /// Folder of templates that replace or extend the built-in ones.
    #[arg(long, value_name = "DIR")]
    pub(in crate::cli) templates: Option<PathBuf>,
    /// A file in place of one built-in template: audit, deliverable, full, html, pr, or a partial; may be repeated.
    #[arg(long = "template-file", value_name = "NAME=FILE", value_parser = template_file)]
    pub(in crate::cli) template_files: Vec<Override>,
    /// What to write.
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = PageFormat::Md)]
    pub(in crate::cli) format: PageFormat,
    /// Where the repository is in a browser, for the links of --format pr: https://HOST/OWNER/NAME/blob/COMMIT.
    #[arg(long, value_name = "URL", value_parser = address)]
    pub(in crate::cli) link_base: Option<String>,
    /// Overwrite generated blocks that were edited by hand, and pages without any.
    #[arg(long)]
    pub(in crate::cli) force: bool,
}

/// What `audit generate` and `audit render` write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum PageFormat {
    /// The page in Markdown, its snapshot, and what it links to.
    Md,
    /// One HTML file that needs nothing else, with the source view.
    Html,
    /// The first screen as `audit show` prints it, in a file.
    Text,
    /// A comment on a pull request about all the subjects, printed; nothing is written.
    Pr,
}

/// A flag that not every format honours: whether it is given, the formats that do, and why the others do not.
type Honoured = (&'static str, bool, &'static [PageFormat], &'static str);

impl Pages {
    /// Fails on a flag that is given and that the format does not honour; `beside` are those of the verb.
    pub(in crate::cli) fn are_honoured(&self, beside: &[Honoured]) -> Result<(), Failure> {
        use PageFormat::{Html, Md, Pr, Text};
        let untemplated = "the first screen is printed without templates";
        #[rustfmt::skip]
        let own: [Honoured; 5] = [
            ("--template", self.template.is_some(), &[Md, Html], "the first screen has no template, and that of the comment is replaced with --template-file pr=FILE"),
            ("--templates", self.templates.is_some(), &[Md, Html, Pr], untemplated),
            ("--template-file", !self.template_files.is_empty(), &[Md, Html, Pr], untemplated),
            ("--link-base", self.link_base.is_some(), &[Pr], "only the comment links to the repository in a browser"),
            ("--force", self.force, &[Md, Html, Text], "the comment is printed, and no file is overwritten"),
        ];
        let is_lost = |(_, is_given, formats, _): &&Honoured| *is_given && !formats.contains(&self.format);
        let Some((flag, _, formats, why)) = own.iter().chain(beside).find(is_lost) else { return Ok(()) };
        let name =
            |format: &PageFormat| format.to_possible_value().map(|value| format!("--format {}", value.get_name()));
        let formats: Vec<String> = formats.iter().filter_map(name).collect();
        Err(Failure::usage(format!(
            "{} does not honour {flag}: {why}\n  help: leave {flag} out, or take {}",
            name(&self.format).unwrap_or_default(),
            formats.join(" or ")
        )))
    }
}

impl Generate {
    /// Fails on a flag that is given and that the format does not honour.
    pub(in crate::cli) fn are_honoured(&self) -> Result<(), Failure> {
        use PageFormat::{Html, Md};
        self.pages.are_honoured(&[
            ("--html", self.html, &[Md], "it asks for the HTML page beside the page in Markdown"),
            ("--no-charts", self.no_charts, &[Md, Html], "neither the first screen nor the comment has charts"),
        ])
    }

    /// What `--collect` asks of the collection.
    pub(in crate::cli) fn collecting(&self) -> Collect {
        Collect {
            all: self.all,
            again: self.again,
            quiet: self.quiet,
            dry_run: self.dry_run,
            jobs: Some(self.jobs),
            ..Collect::default()
        }
    }

    /// Every path, as the user wrote it.
    pub(in crate::cli) fn paths(&mut self) -> Vec<&mut PathBuf> {
        let templates = self.pages.template_files.iter_mut().map(|one| &mut one.file);
        let own = [&mut self.out, &mut self.pages.templates].into_iter().flatten();
        own.chain(templates).chain(self.subject.paths()).collect()
    }
}
