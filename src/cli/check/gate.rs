//! What the gate says of one subject: how its series stands, and whatever else it is held to.

use super::base::Base;
use super::outcome::{Outcome, Said, Seen, compared};
use super::past::Past;
use super::{baseline, stated};
use crate::analysis::{Limits, audit};
use crate::catalog::Threshold;
use crate::cli::args::Check;
use crate::cli::stale::{Since, Sources};
use crate::cli::{Failure, Made, Status};
use crate::config::{Code, Config, Subject};
use crate::snapshot::{Entry, Found, Pins, Record, Snapshot};
use std::collections::BTreeMap;
use std::path::Path;

pub(super) struct Gate<'a> {
    pub(super) arguments: &'a Check,
    pub(super) config: Option<&'a Config>,
    pub(super) folder: &'a Path,
    /// Where the paths that audits name are relative to.
    pub(super) project: &'a Path,
    pub(super) sources: Sources<'a>,
    pub(super) committed: baseline::Committed<'a>,
    pub(super) limits: &'a Limits,
    /// The pins that hold: those of the base where there is one.
    pub(super) pins: &'a Pins,
    pub(super) own_pins: &'a Pins,
    pub(super) base: Option<&'a Base>,
    pub(super) past: Past<'a>,
    pub(super) found: &'a BTreeMap<String, Vec<Found>>,
}

impl Gate<'_> {
    /// The newest audit of a subject in its series; `fresh` stands in its place where there is one.
    pub(super) fn seen(&self, subject: &str, fresh: Option<Made>) -> Result<Seen, Failure> {
        let found = self.found.get(subject).cloned().unwrap_or_default();
        let record = Record::of(found, self.folder, subject, self.pins, self.limits[Threshold::Regression], true)?;
        if let Some(made) = fresh {
            let path = self.folder.join(format!("{}.json", made.heading().stem()));
            let at = Found::of(&path).map(|(found, _)| found.at).unwrap_or_default();
            let entry = Entry { found: Found { at, path }, milestone: made.snapshot.milestone.clone() };
            return Ok(Seen { record: record.with(entry), made: Some(made), written: None, file: None });
        }
        let newest = record.newest().cloned();
        let newest_at = newest.as_ref().map(|entry| entry.found.at);
        let ends = record.lost.iter().find(|(found, error)| Some(found.at) > newest_at || error.is_changed());
        if let Some((_, error)) = ends {
            return Err(Failure::of(Status::Unreadable, error));
        }
        let Some(newest) = newest else { return Ok(Seen { record, made: None, written: None, file: None }) };
        let written = Made::of(Snapshot::read(&newest.found.path)?);
        let (record, newest) = as_judged(record, newest, &written);
        let (record, other) = self.on_its_baseline(subject, record, &written.snapshot, &newest)?;
        let (made, written) = match other {
            Some(other) => (other, Some(written)),
            None => (written, None),
        };
        Ok(Seen { record, made: Some(made), written, file: Some(newest.found.path) })
    }

    /// An audit that its page compared with another than the one that its series stands on, compared with that one; `None`
    /// where it is the one.
    fn on_its_baseline(
        &self,
        subject: &str,
        record: Record,
        snapshot: &Snapshot,
        newest: &Entry,
    ) -> Result<(Record, Option<Made>), Failure> {
        let own = &newest.milestone;
        let with = own.compared.as_ref().and_then(|compared| compared.with.as_ref());
        let after = own.after.clone().unwrap_or_else(|| record.followed(Some(newest.found.at)));
        let expected = record.series.behind(&after).baseline;
        let is_stated = own.compared.is_some() && with.is_none();
        let is_swapped = is_stated && self.base.is_some_and(|base| !base.has_baseline_of(self.stated(subject)));
        let is_other = match (with, &expected) {
            (Some(with), Some(expected)) => with != expected && record.pin_of(newest).is_none(),
            (None, Some(_)) => is_swapped,
            (_, None) => false,
        };
        let entry = expected.as_ref().filter(|_| is_other).and_then(|mark| record.entry(mark));
        let has_limits = self.base.is_none() || snapshot.limits == *self.limits;
        if entry.is_none() && has_limits {
            return Ok((record, None));
        }
        let mut snapshot = snapshot.clone();
        if let Some(entry) = entry {
            snapshot.evidence.old = Some(Snapshot::read(&entry.found.path)?.evidence.new.as_old());
            snapshot.heading.against = entry.found.name();
        }
        if self.base.is_some() {
            snapshot.limits = self.limits.clone();
        }
        let with = if entry.is_some() { expected.clone() } else { with.cloned() };
        let again = Snapshot::new(
            snapshot.heading.clone(),
            snapshot.evidence.clone(),
            &audit(&snapshot.evidence, &snapshot.limits),
        );
        let mut milestone = again.milestone;
        milestone.after.clone_from(&own.after);
        if let Some(compared) = &mut milestone.compared {
            (compared.with, compared.is_chosen) = (with, false);
        }
        snapshot.milestone = milestone.clone();
        let record = record.with(Entry { found: newest.found.clone(), milestone });
        Ok((record, Some(Made::of(snapshot))))
    }

    /// What became of the kernel's source since it was measured; `None` without an audit.
    fn since(&self, subject: &str, seen: &Seen) -> Option<Since> {
        let made = seen.made.as_ref()?;
        let (commit, file) = match seen.back() {
            Some(entry) => (&entry.milestone.commit, Some(entry.found.path.as_path())),
            None => (&made.heading().commit, seen.file.as_deref()),
        };
        Some(self.sources.since(made, self.stated(subject), commit, file))
    }

    /// That another subject of the same kernel and source has an audit of what HEAD has.
    fn twin(&self, subject: &str) -> Option<String> {
        let own = self.stated(subject)?;
        let source = |one: &Subject| match one.code.clone()? {
            Code::Source { path, .. } | Code::Cubin { path } => Some(path),
        };
        let kernel = |one: &Subject| one.kernel.as_ref().map(|kernel| kernel.to_string());
        let what = |one: &Subject| Some((source(one)?, kernel(one)?));
        let is_twin = |other: &&Subject| other.name != own.name && what(own).is_some() && what(other) == what(own);
        let told = |other: &Subject| {
            let seen = self.seen(other.name.as_str(), None).ok()?;
            let last = seen.record.milestones().pop()?;
            let is_of_head = self.since(other.name.as_str(), &seen) == Some(Since::Same);
            let gpu = last.gpu.trim_start_matches("NVIDIA ");
            is_of_head.then(|| format!("What HEAD has was audited as {} on {}, on {gpu}.", other.name, last.day()))
        };
        self.config?.subjects.iter().filter(is_twin).find_map(told)
    }

    fn stated(&self, subject: &str) -> Option<&Subject> {
        self.config.iter().flat_map(|config| &config.subjects).find(|stated| stated.name.as_str() == subject)
    }

    /// What the gate says of a subject, and what is STALE of it where it is not held to that.
    pub(super) fn judge(&self, subject: &str, seen: &Seen) -> Result<(Said, Option<String>), Failure> {
        let told = self.told_by_base(subject, seen);
        let held = Said::together(std::iter::once(self.held(subject, seen)?).chain(told));
        let since = self.since(subject, seen);
        if self.arguments.current {
            let current = since.and_then(stated::current);
            return Ok((Said::together(std::iter::once(held).chain(current)), None));
        }
        let back = seen.back().map(|entry| entry.milestone.day());
        if let (Some(day), Some(Since::Changed(how))) = (back, &since) {
            let text = format!("Its launches are those of {day}, of another version: {how}. Profile what HEAD has.");
            return Ok((Said::together([held, Said { outcome: Outcome::Inconclusive, text }]), None));
        }
        let stale = match since {
            Some(Since::Changed(how)) => {
                Some(format!("{how}. {}", self.twin(subject).unwrap_or_else(|| "Profile what HEAD has.".into())))
            }
            Some(Since::Same | Since::Unknown(_)) | None => None,
        };
        Ok((held, stale))
    }

    /// What a change did to the gate itself, by the base.
    pub(super) fn told_by_base(&self, subject: &str, seen: &Seen) -> Option<Said> {
        self.base?.told(subject, self.stated(subject), seen, self.own_pins)
    }

    fn held(&self, subject: &str, seen: &Seen) -> Result<Said, Failure> {
        let Some(made) = &seen.made else {
            let text = format!("{} holds no audit of it. Run `audit generate {subject}`.", self.folder.display());
            let new = Said { outcome: Outcome::New, text };
            let past = self.past.told(subject, seen, true, self.base.is_some());
            return Ok(Said::together(std::iter::once(new).chain(past)));
        };
        let audit = &made.audit;
        let checks = if self.arguments.no_checks { None } else { stated::checks(audit) };
        let written = seen.written.as_ref().unwrap_or(made);
        let page = seen.file.as_ref().and_then(|file| stated::page(&file.with_extension("md"), written, self.config));
        let findings = self.arguments.findings.map(|level| stated::findings(audit, level));
        let series = self.series(seen);
        if audit.is_of_code_alone() {
            let alone = "Its last audit is of the code alone: time is NOT MEASURED.";
            let checks = match checks {
                Some(checks) => Said { outcome: checks.outcome, text: format!("{} {alone}", checks.text) },
                None => {
                    let text = format!("NOT MEASURED: it states no checks. {alone}");
                    Said { outcome: Outcome::Inconclusive, text }
                }
            };
            return Ok(Said::together([Some(checks), page, findings].into_iter().flatten().chain(series)));
        }
        let compared = self.compared(seen, made)?;
        let past = self.past.told(subject, seen, compared.outcome == Outcome::New, self.base.is_some());
        let correctness = if self.arguments.no_checks { None } else { stated::correctness(audit) };
        let report = if self.arguments.fresh { None } else { self.stated(subject) };
        let report = report.and_then(|stated| stated::report(stated, self.project, seen));
        let chosen = self.config.zip(self.stated(subject)).and_then(|(all, own)| stated::chosen(own, all, made));
        let work = stated::work(audit, &seen.record.milestones());
        let all = [Some(compared), past, work, page, report, chosen, checks, correctness, findings];
        Ok(Said::together(all.into_iter().flatten().chain(series)))
    }

    /// What is odd about the files of the series.
    fn series(&self, seen: &Seen) -> Vec<Said> {
        let unsure = |text: String| Said { outcome: Outcome::Inconclusive, text };
        let mut all: Vec<Said> = seen.record.misnamed().into_iter().map(unsure).collect();
        let own = seen.made.as_ref().map(|made| made.heading().subject.as_str());
        let name = seen.file.as_ref().and_then(|file| file.file_name()).map(|name| name.to_string_lossy().into_owned());
        if let (Some(own), Some(name)) = (own, name)
            && !name.ends_with(&format!("-{own}.json"))
        {
            all.push(unsure(format!("{name} is an audit of {own}: restore the one that was there.")));
        }
        let lost = seen.record.lost.iter().map(|(found, _)| found.name());
        let lost: Vec<String> = lost.collect();
        if !lost.is_empty() {
            all.push(unsure(format!("Of its audits {} cannot be read.", lost.join(", "))));
        }
        all
    }

    /// The comparison alone, which is what can be accepted.
    pub(super) fn compared(&self, seen: &Seen, made: &Made) -> Result<Said, Failure> {
        let standing = seen.record.series.now();
        let accepted = standing.accepted.and_then(|one| seen.record.accepted.accepted.get(one));
        let own = made.snapshot.milestone.mark();
        let said = compared(&made.audit, &standing, &own, accepted, self.limits);
        let told = baseline::told(made, self.folder, self.project, &self.committed, self.pins)?;
        Ok(Said { text: said.text + &told, ..said })
    }
}

/// The newest audit as its evidence is judged, where its line in the history says something else.
fn as_judged(record: Record, newest: Entry, made: &Made) -> (Record, Entry) {
    let own = &newest.milestone;
    let mut judged = made.heading().milestone(&made.audit);
    (judged.measured, judged.after) = (own.measured.clone(), own.after.clone());
    if let Some(compared) = &mut judged.compared {
        let own = own.compared.as_ref();
        compared.with = own.and_then(|compared| compared.with.clone());
        compared.is_chosen = own.is_some_and(|compared| compared.is_chosen);
    }
    if judged.step() == own.step() {
        return (record, newest);
    }
    let entry = Entry { found: newest.found, milestone: judged };
    (record.with(entry.clone()), entry)
}
