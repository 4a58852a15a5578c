//! A profile: opened once, read as often as wanted.
//!
//! A new reader of profiles is its module's line in `mod.rs` and its line in [`READERS`].

use super::kind::{self, Sought};
use super::ncu_csv::{self, Page};
use super::ncu_report::{self, NcuReport};
use super::open::{in_part, origin, read_all, read_head, report};
use super::{NameSet, ReadError, Rules, Want, attribution::source_views, cubin, text::decode};
use crate::evidence::{Origin, Report, ReportCubin, SassListing, SourceView};
use std::collections::HashSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// An open profile of any kind: a report, or a page that ncu printed.
pub struct Profile {
    path: PathBuf,
    kind: Kind,
}

enum Kind {
    Report(Box<NcuReport>),
    /// Its bytes, and where their tables lie, once somebody reads them.
    Page(Vec<u8>, Option<Box<Page>>),
}

struct Reader {
    /// Whether the file is this reader's, by its first bytes.
    probe: fn(&[u8]) -> bool,
    /// Opens the file; damage is allowed or not.
    open: fn(&Path, bool) -> Result<Kind, ReadError>,
}

/// How much of a file tells a report.
const MAGIC: u64 = 64;
/// How much of a file the probes see next, as a program may print before ncu's table; then the whole file is searched, where it is not too large.
const HEAD: u64 = 1 << 20;

/// Every reader of profiles; the first whose probe says yes reads the file.
const READERS: &[Reader] = &[
    Reader {
        probe: ncu_report::looks_like,
        open: |path, allow_damage| Ok(Kind::Report(Box::new(report(path, allow_damage)?))),
    },
    Reader { probe: |head| ncu_csv::looks_like(head).is_some(), open: |path, _| Ok(Kind::Page(read_all(path)?, None)) },
];

/// Reads a profile of any kind. Errors: those of [`Profile::open`] and [`Profile::read`].
pub fn read_profile(path: &Path, want: &Want) -> Result<Report, ReadError> {
    Profile::open(path, want.allow_damage)?.read(want)
}

impl Profile {
    /// Opens a profile. Errors: [`ReadError::Io`] where the system refuses, [`ReadError::WrongKind`] where no reader takes the file
    /// (with what it is and what to do), else the reader's own.
    pub fn open(path: &Path, allow_damage: bool) -> Result<Profile, ReadError> {
        let chosen = |bytes: &[u8]| READERS.iter().find(|reader| (reader.probe)(bytes));
        let opened = |reader: &Reader| Ok(Profile { path: path.to_owned(), kind: (reader.open)(path, allow_damage)? });
        let mut head = Vec::new();
        for size in [MAGIC, HEAD] {
            head = read_head(path, size)?;
            if let Some(reader) = chosen(&head) {
                return opened(reader);
            }
            if (head.len() as u64) < size {
                return Err(kind::wrong(path, &head, Sought::Profile));
            }
        }
        match read_all(path) {
            Ok(whole) => chosen(&whole).map_or_else(|| Err(kind::wrong(path, &whole, Sought::Profile)), opened),
            // No reader takes a page or a packed report that is so large.
            Err(ReadError::Io { source, .. }) if source.kind() == ErrorKind::FileTooLarge => {
                Err(kind::wrong(path, &head, Sought::Profile))
            }
            Err(error) => Err(error),
        }
    }

    /// Reads every result, of it what `want` asks for. Errors: the reader's own.
    pub fn read(&mut self, want: &Want) -> Result<Report, ReadError> {
        let report = match &mut self.kind {
            Kind::Report(report) => report.read(want).map_err(in_part)?,
            Kind::Page(bytes, page) => {
                let text = decode(bytes);
                let page = page.get_or_insert_with(|| Box::new(Page::of(&text)));
                page.read(&text, origin(&self.path, bytes, want.hash), want, None)?
            }
        };
        match report.damage.first() {
            Some(damage) if report.launches.is_empty() => Err(ReadError::empty(
                self.path.clone(),
                format!("result that is whole; at byte {}: {}", damage.at, damage.what),
                "copy the report again from where it was made, or profile again",
            )),
            _ => Ok(report),
        }
    }

    /// The hash by which audits know the file, without what it measured. Errors: those of [`Profile::read`].
    pub fn hash(&mut self) -> Result<String, ReadError> {
        let want = Want { hash: true, metrics: NameSet::none(), rules: Rules::None, ..Want::default() };
        match &self.kind {
            Kind::Report(_) => Ok(self.read(&want)?.origin.blake3),
            Kind::Page(bytes, _) => Ok(origin(&self.path, bytes, true).blake3),
        }
    }

    /// Reads of every result the aggregates of `brief`, and what `want` asks for of those that `choose` takes: it is given the brief
    /// reading and answers with the ids of launches. A report of one result is read whole, and so is a details page of text. Errors:
    /// the reader's own.
    pub fn read_chosen(
        &mut self,
        want: &Want,
        brief: NameSet,
        choose: impl FnOnce(&Report) -> HashSet<u32>,
    ) -> Result<Report, ReadError> {
        let instances = NameSet::none();
        let brief = Want { metrics: brief, first_instances: None, instances, rules: Rules::None, ..want.clone() };
        let file = match &mut self.kind {
            Kind::Report(file) if file.results() > 1 => file,
            Kind::Report(_) => return self.read(want),
            Kind::Page(bytes, page) => {
                let (text, origin) = (decode(bytes), origin(&self.path, bytes, want.hash));
                let page = page.get_or_insert_with(|| Box::new(Page::of(&text)));
                return page.read_chosen(&text, origin, (want, &brief), choose);
            }
        };
        file.read_chosen(want, &brief.metrics, choose).map_err(in_part)
    }

    /// The launches of those ids as a report of their own, of one that [`Profile::read_chosen`] read with none of them chosen, each
    /// with all that `want` asks for. Those that were read whole are taken out of it. Errors: the reader's own.
    pub fn part(&mut self, report: &mut Report, want: &Want, ids: &HashSet<u32>) -> Result<Report, ReadError> {
        let (launches, damage) = match &mut self.kind {
            Kind::Report(file) if file.results() > 1 => file.read_rows(want, ids).map_err(in_part)?,
            Kind::Page(bytes, Some(page)) if page.is_by_launch() => {
                let part = page.read(&decode(bytes), Origin::default(), want, Some(ids))?;
                (part.launches, part.damage)
            }
            _ => {
                let own = report.launches.iter().filter(|launch| ids.contains(&launch.id));
                (own.cloned().collect(), Vec::new())
            }
        };
        report.damage.extend(damage);
        let left = std::mem::take(&mut report.launches);
        let part = Report { launches, ..report.clone() };
        report.launches = left;
        Ok(part)
    }

    /// Reads the launches of those ids instruction by instruction; none for a page of text. `want` says which metrics; those of them
    /// whose instances lie in the launch's code are kept. `listings` give the instructions' text, where they are of the same code.
    /// Errors: the reader's own.
    pub fn source_views(
        &mut self,
        want: &Want,
        ids: &HashSet<u32>,
        listings: &[&SassListing],
    ) -> Result<Vec<SourceView>, ReadError> {
        match &mut self.kind {
            Kind::Report(report) => source_views(report, want, ids, listings).map_err(in_part),
            Kind::Page(..) => Ok(Vec::new()),
        }
    }

    /// The cubins that a report holds, each with the key that launches name; empty for a report without, and for text that ncu
    /// printed. A cubin that cannot be read is left out. Errors: those of the report's reader.
    pub fn cubins(&self) -> Result<Vec<ReportCubin>, ReadError> {
        let Kind::Report(report) = &self.kind else { return Ok(Vec::new()) };
        let read = |source: ncu_report::SourceData| {
            let bytes = source.cubin?;
            let origin = Origin { path: self.path.display().to_string(), ..Origin::default() };
            Some(ReportCubin { key: source.key, cubin: cubin::read(&bytes, origin).ok()? })
        };
        Ok(report.sources().map_err(in_part)?.into_iter().filter_map(read).collect())
    }
}
