//! The report as a whole: opened once, read as often as wanted.

use super::bytes::{ReportBytes, ReportHash};
use super::container::{self, Entry, EntryKind, Index, MAGIC};
use super::fault::{Fault, Faults, Stop};
use super::launch::{self, Scope};
use super::metrics::MetricReader;
use super::names::Names;
use super::source_data::{SourceCollector, SourceData};
use super::{dropped, session};
use crate::{Damage, Launch, NameSet, Process, Report, Rules, Want, packed};
use cuda_binary::text::Texts;
use cuda_binary::{Origin, ReadError};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Kernels that are read whole while it is not known which of them are meant.
const READ_WHOLE: usize = 8;

/// An open report. The block headers have been read, no result has.
pub struct NcuReport {
    path: PathBuf,
    file: ReportBytes,
    index: Index,
    allow_damage: bool,
}

/// Reads a report: every result, of it what `want` asks for.
///
/// # Errors
/// A [`ReadError`] when the file cannot be opened, is no report, holds no results, or is damaged and
/// [`Want::allow_damage`] is not set.
pub fn read(path: &Path, want: &Want) -> Result<Report, ReadError> {
    NcuReport::open(path, want.allow_damage)?.read(want)
}

/// Whether the first bytes are a report's.
pub fn looks_like(head: &[u8]) -> bool {
    head.starts_with(MAGIC) || packed::is_packed(head)
}

impl NcuReport {
    /// Opens a report; with `allow_damage` also one that is cut or partly undecodable. What cannot be read of it then
    /// goes into [`Report::damage`], whatever [`Want::allow_damage`] says.
    ///
    /// # Errors
    /// As [`read`], except that nothing is said of results; a file header that cannot be read is an error in either case.
    pub fn open(path: &Path, allow_damage: bool) -> Result<NcuReport, ReadError> {
        let (file, broken) = ReportBytes::open(path)?;
        if let Some(fault) = broken.as_ref().filter(|_| !allow_damage || file.len() == 0) {
            return Err(fault.refuse(path));
        }
        let head = file.slice(0..file.len().min(MAGIC.len()));
        if !head.map_err(|source| io(path, source))?.starts_with(MAGIC) {
            return Err(ReadError::wrong(
                path,
                "it holds no Nsight Compute report",
                "give a .ncu-rep or .ncu-repz file",
            ));
        }
        let mut index = container::index(&file).map_err(|stop| match stop {
            Stop::Damaged(fault) => fault.refuse(path),
            Stop::Unreadable(error) => io(path, error),
        })?;
        index.fault = broken.or(index.fault);
        match &index.fault {
            Some(fault) if !allow_damage => Err(fault.refuse(path)),
            _ => Ok(NcuReport { path: path.to_owned(), file, index, allow_damage }),
        }
    }

    /// How many results the report holds.
    pub fn results(&self) -> usize {
        self.index.entries.iter().filter(|entry| entry.kind != EntryKind::Source).count()
    }

    /// Reads every result, of it what `want` asks for.
    ///
    /// # Errors
    /// [`ReadError::Empty`] for a report without results, [`ReadError::Malformed`] for one that is damaged, unless
    /// damage was allowed when it was opened.
    pub fn read(&self, want: &Want) -> Result<Report, ReadError> {
        self.read_as(want, &NameSet::All, &mut |_, _| true)
    }

    /// Reads every result; `is_whole` says of its head, and of whether it is the first of its kernel, whether it is read as `want`
    /// asks for or as `brief`.
    fn read_as(
        &self,
        want: &Want,
        brief: &NameSet,
        is_whole: &mut dyn FnMut(&Launch, bool) -> bool,
    ) -> Result<Report, ReadError> {
        let hash = want.hash.then(|| self.file.hash_beside());
        let mut pass = Pass::new(self, want, brief);
        self.index.fault.iter().for_each(|fault| pass.faults.push(fault.clone()));
        let details = session::merge(&self.index.session).unwrap_or_else(|error| {
            let at = self.index.session.first().map_or(0, |(at, _)| *at);
            pass.faults.push(Fault::new(at, "a session", error.to_string(), "the session"));
            Default::default()
        });
        let mut report = Report { session: session::session(&details, &mut pass.texts), ..Report::default() };
        if !self.allow_damage && self.results() == 0 {
            return Err(self.empty());
        }
        report.launches = self.launches(want.rules, &|_| true, is_whole, &mut pass)?;
        self.finish(report, pass, hash)
    }

    /// Reads in one pass every result: `brief` of all, and what `want` asks for of those that `choose` takes, which is given
    /// the results and answers with ids. The first kernels that the file has are read whole on the way, because in most reports
    /// they are the ones that are meant; a result of another that is chosen is looked up again.
    ///
    /// # Errors
    /// As [`NcuReport::read`].
    pub fn read_chosen(
        &self,
        want: &Want,
        brief: &NameSet,
        choose: impl FnOnce(&Report) -> HashSet<u32>,
    ) -> Result<Report, ReadError> {
        let (mut kernels, mut whole, mut firsts) = (HashSet::new(), HashSet::new(), HashSet::new());
        let mut is_whole = |head: &Launch, is_first: bool| {
            let kernel = (head.name.clone(), head.grid, head.block);
            let is_whole = kernels.contains(&kernel) || kernels.len() < READ_WHOLE && kernels.insert(kernel);
            whole.extend(is_whole.then_some(head.id));
            firsts.extend(is_first.then_some(head.id));
            is_whole
        };
        let mut report = self.read_as(want, brief, &mut is_whole)?;
        let chosen = choose(&report);
        // What is read of the first result of a kernel alone is of the first that is chosen.
        let mut met = HashSet::new();
        let is_known = |launch: &Launch| {
            let is_first = met.insert((launch.name.clone(), launch.grid, launch.block));
            whole.contains(&launch.id) && (!is_first || firsts.contains(&launch.id))
        };
        let taken = |launch: &&Launch| chosen.contains(&launch.id);
        let is_all_known = report.launches.iter().filter(taken).all(is_known);
        for launch in report.launches.iter_mut().filter(|launch| !is_all_known || !chosen.contains(&launch.id)) {
            launch.metrics.retain(|metric| brief.contains(&metric.name));
            launch.metrics.shrink_to_fit();
            launch.rules.clear();
        }
        if !is_all_known {
            let (launches, damage) = self.read_rows(want, &chosen)?;
            report.put(launches);
            report.damage.extend(damage);
        }
        Ok(report)
    }

    /// Reads the results of some rows, by [`Launch::id`]; the others are not looked at. Those that the report does not
    /// have are left out. With them, when damage was allowed, what of them could not be read.
    ///
    /// # Errors
    /// [`ReadError::Malformed`] for a damaged result, unless damage was allowed when the report was opened.
    pub fn read_rows(&self, want: &Want, rows: &HashSet<u32>) -> Result<(Vec<Launch>, Vec<Damage>), ReadError> {
        let mut pass = Pass::new(self, want, &NameSet::All);
        let launches = self.launches(want.rules, &|id| rows.contains(&id), &mut |_, _| true, &mut pass)?;
        match pass.faults.first().filter(|_| !self.allow_damage) {
            Some(fault) => Err(fault.refuse(&self.path)),
            None => Ok((launches, pass.faults.damage())),
        }
    }

    /// The results of the rows for which `is_row` holds, in ncu's order.
    fn launches(
        &self,
        rules: Rules,
        is_row: &dyn Fn(u32) -> bool,
        is_whole: &mut dyn FnMut(&Launch, bool) -> bool,
        pass: &mut Pass,
    ) -> Result<Vec<Launch>, ReadError> {
        let Pass { names, texts, faults } = pass;
        let processes: Vec<Process> = self.index.processes.iter().map(|info| launch::process(info, texts)).collect();
        let mut numbered = self.numbered(&processes);
        numbered.retain(|(id, _)| is_row(*id));
        // In the order of the file, so that the system reads ahead.
        numbered.sort_by_key(|(_, position)| *position);
        let mut buffer = Vec::new();
        let mut met = HashSet::new();
        let mut launches = Vec::with_capacity(numbered.len());
        for (id, position) in numbered {
            let entry = &self.index.entries[position];
            let message = self.file.part(entry.range.clone(), &mut buffer).map_err(|source| io(&self.path, source))?;
            let mut reader = MetricReader { message, at: entry.range.start as u64, names, texts, faults };
            match reader.result(entry.kind) {
                Ok((result, stored)) => {
                    let process = &processes[entry.process];
                    if let Some(head) = launch::head(id, process, &result, reader.texts) {
                        let is_first = met.insert((head.name.clone(), head.grid, head.block));
                        let is_whole = is_whole(&head, is_first);
                        let rules = is_whole && (rules == Rules::All || rules == Rules::FirstOfKernel && is_first);
                        launches.push(launch::launch(
                            head,
                            &result,
                            &stored,
                            Scope { is_first, is_whole, rules },
                            &mut reader,
                        ));
                    }
                }
                Err(error) => faults.push(undecodable(entry, "a result", error)),
            }
        }
        launches.sort_by_key(|launch| launch.id);
        Ok(launches)
    }

    /// The modules that the report holds, pieces with one key merged, in the order in which they first came.
    ///
    /// # Errors
    /// [`ReadError::Malformed`] when a piece cannot be decoded; a damaged piece is left out when damage was allowed.
    pub fn sources(&self) -> Result<Vec<SourceData>, ReadError> {
        self.sources_of(|_| true)
    }

    /// Those of the modules for whose key (process id, reference) `wanted` holds.
    ///
    /// # Errors
    /// As [`NcuReport::sources`].
    pub fn sources_of(&self, wanted: impl Fn((u32, u64)) -> bool) -> Result<Vec<SourceData>, ReadError> {
        let mut collector = SourceCollector::default();
        for entry in self.index.entries.iter().filter(|entry| entry.kind == EntryKind::Source) {
            let process = self.index.processes[entry.process].id.unwrap_or(0);
            let piece = self.file.slice(entry.range.clone()).map_err(|source| io(&self.path, source))?;
            if let Err(error) = collector.take(process, piece, &wanted)
                && !self.allow_damage
            {
                return Err(undecodable(entry, "source data", error).refuse(&self.path));
            }
        }
        Ok(collector.finish())
    }

    /// Row number and position among the entries of each result: rows go by process id, then by the order of the file.
    fn numbered(&self, processes: &[Process]) -> Vec<(u32, usize)> {
        let entries = self.index.entries.iter().enumerate();
        let mut rows: Vec<(u32, usize)> = entries
            .filter(|(_, entry)| entry.kind != EntryKind::Source)
            .map(|(position, entry)| (processes[entry.process].id, position))
            .collect();
        rows.sort_by_key(|(process, _)| *process);
        (0..).zip(rows).map(|(id, (_, position))| (id, position)).collect()
    }

    /// The report with its origin, what was dropped, and what is damaged.
    fn finish(&self, mut report: Report, pass: Pass, hash: Option<ReportHash>) -> Result<Report, ReadError> {
        let Pass { names, faults, .. } = pass;
        if let Some(fault) = faults.first().filter(|_| !self.allow_damage) {
            return Err(fault.refuse(&self.path));
        }
        // In a report that is not whole a name may be unused because its result is lost.
        if faults.first().is_none() {
            let (unused, used) = names.by_use(&self.index.names);
            report.dropped = dropped::asked_for(&unused, &used, &report.session.command_line);
        }
        report.damage = faults.damage();
        report.origin = Origin {
            path: self.path.to_string_lossy().into_owned(),
            format: "ncu-report".into(),
            bytes: self.file.len() as u64,
            blake3: hash.map_or(Ok(String::new()), ReportHash::finish).map_err(|source| io(&self.path, source))?,
        };
        Ok(report)
    }

    fn empty(&self) -> ReadError {
        ReadError::empty(
            self.path.clone(),
            "results",
            "the profile ended before a kernel was measured; check the filters and the program, profile again",
        )
    }
}

/// What one pass over results shares.
struct Pass {
    names: Names,
    texts: Texts,
    faults: Faults,
}

impl Pass {
    fn new(report: &NcuReport, want: &Want, brief: &NameSet) -> Pass {
        Pass { names: Names::new(&report.index.names, want, brief), texts: Texts::default(), faults: Faults::default() }
    }
}

fn io(path: &Path, source: std::io::Error) -> ReadError {
    ReadError::Io { path: path.to_owned(), source }
}

fn undecodable(entry: &Entry, what: &str, error: impl ToString) -> Fault {
    Fault::new(entry.range.start as u64, what, error.to_string(), "this entry")
}
