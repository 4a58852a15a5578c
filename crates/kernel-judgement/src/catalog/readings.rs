//! The readings that checklists, expectations and hypotheses can name: one table, which says itself (`audit explain readings`).

use super::{NameCheck, StallRow, check_metric_name, row::catalog, stalls, vocabulary::UnknownName};
use crate::nearest::nearest;
use crate::quantity::Unit;
use cuda_binary::{Class, Op};
use serde::Deserialize;
use strum::VariantArray;

/// A form of names, and what readings of it are.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadingRow {
    id: &'static str,
    /// How it is written; a word in capitals stands for a name of a list.
    written: &'static str,
    unit: Unit,
    what: &'static str,
}

catalog! {
    ReadingRow, "readings.toml", "reading", |row| vec![row.id],
    fn readings
}

include!(concat!(env!("OUT_DIR"), "/readings.rs"));

/// What names of readings of the machine code begin with: `check.NAME` is 1 where the check of that name passes, 0 where it fails.
pub const CHECK: &str = "check.";

/// Tools of compute-sanitizer whose errors can be asked for, and all of them together.
const SANITIZER: [&str; 5] = ["errors", "memcheck", "racecheck", "initcheck", "synccheck"];
/// What a comparison tells.
const CHANGE: [&str; 2] = ["time", "cycles"];

impl ReadingForm {
    /// How it is written, its unit, and what it is.
    pub(crate) fn row(self) -> (&'static str, Unit, &'static str) {
        let ReadingRow { written, unit, what, .. } = readings()[self as usize];
        (written, unit, what)
    }

    /// What the word in capitals can be; empty for a name that has none, and for lists that are not ours.
    pub(crate) fn words(self) -> Vec<&'static str> {
        match self {
            ReadingForm::Stall => stalls().iter().map(|row| row.id).collect(),
            ReadingForm::StallRank => stalls().iter().filter(|row| row.is_stall()).map(|row| row.id).collect(),
            ReadingForm::Opcode => Op::ALL.iter().map(|op| op.name()).collect(),
            ReadingForm::Class => Class::ALL.iter().map(|class| class.id()).collect(),
            ReadingForm::Sanitizer => SANITIZER.to_vec(),
            ReadingForm::Change => CHANGE.to_vec(),
            _ => Vec::new(),
        }
    }

    /// Whether only a comparison tells it, so that only a hypothesis can name it.
    pub fn is_of_change(self) -> bool {
        use ReadingForm::{Change, Check, Faults, Points, Sanitizer, Time};
        matches!(self, Check | Sanitizer | Faults | Change | Points | Time)
    }

    /// What stands before the word in capitals; the whole name where there is none.
    fn start(self) -> &'static str {
        let (form, ..) = self.row();
        form.trim_end_matches(|c: char| c.is_ascii_uppercase())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadingName<'n> {
    pub form: ReadingForm,
    /// What stands for the word in capitals; empty for a name that has none. The whole name of a metric.
    pub word: &'n str,
}

impl<'n> ReadingName<'n> {
    /// The parts of a name; whether there is such a reading is another question.
    pub fn of(name: &'n str) -> ReadingName<'n> {
        let own = ReadingForm::VARIANTS.iter().filter(|form| **form != ReadingForm::Metric).find_map(|form| {
            let word = name.strip_prefix(form.start())?;
            (form.row().0.len() > form.start().len() || word.is_empty()).then_some(ReadingName { form: *form, word })
        });
        own.unwrap_or(ReadingName { form: ReadingForm::Metric, word: name })
    }

    /// The reading whose change this one is; `None` for one of a single side, and for what the comparison itself tells.
    pub(crate) fn changed(self) -> Option<&'n str> {
        let is_of_both = match self.form {
            ReadingForm::Change => !CHANGE.contains(&self.word),
            ReadingForm::Points => true,
            _ => false,
        };
        is_of_both.then_some(self.word)
    }
}

/// Whether there is a reading of this name. Errors: there is none, with the nearest.
pub fn check_reading(name: &str) -> Result<ReadingName<'_>, UnknownName> {
    let parsed = ReadingName::of(name);
    let start = parsed.form.start();
    if name.trim() != name {
        return Err(UnknownName { what: "reading", name: name.to_owned(), near: Some(name.trim().to_owned()) });
    }
    match parsed.form {
        ReadingForm::Metric => check_metric(name).map(|()| parsed),
        ReadingForm::Check => Ok(parsed),
        // A word that is no name of a metric may be meant for one of the list.
        ReadingForm::Change | ReadingForm::Points if parsed.changed().is_some_and(|own| own.contains(['_', '.'])) => {
            match check_reading(parsed.word) {
                Ok(own) if !own.form.is_of_change() => Ok(parsed),
                Ok(_) => Err(UnknownName { what: "reading", name: name.to_owned(), near: None }),
                Err(met) => Err(UnknownName {
                    near: met.near.map(|near| format!("{start}{near}")),
                    name: name.to_owned(),
                    ..met
                }),
            }
        }
        form if form.row().0 == start => Ok(parsed),
        form => {
            let words = form.words();
            if words.contains(&parsed.word) {
                return Ok(parsed);
            }
            // A modifier or another spelling has its own name at hand; else the nearest of the list.
            let known = match form {
                ReadingForm::Opcode => Some(Op::of(parsed.word).name()),
                _ => super::stall(parsed.word).map(|row: &StallRow| row.id),
            };
            let near = known.filter(|word| words.contains(word));
            // Of a family that is meant, such as that of `tensor-`, the first.
            let of_family = || {
                let family = nearest(parsed.word, words.iter().filter_map(|word| word.split(['-', '_']).next()))?;
                words.iter().copied().find(|word| word.starts_with(family))
            };
            let near = near.or_else(|| nearest(parsed.word, words.iter().copied())).or_else(of_family);
            let near = near.map(|word| format!("{start}{word}"));
            Err(UnknownName { what: "reading", name: name.to_owned(), near })
        }
    }
}

/// A metric that ncu can have, or one whose family no list holds.
fn check_metric(name: &str) -> Result<(), UnknownName> {
    let own = || {
        let forms = ReadingForm::VARIANTS.iter().filter(|form| **form != ReadingForm::Metric);
        let words = |form: &ReadingForm| match form.words() {
            words if words.is_empty() => vec![form.row().0.to_owned()],
            words => words.into_iter().map(|word| format!("{}{word}", form.start())).collect(),
        };
        let names: Vec<String> = forms.flat_map(words).collect();
        nearest(name, names.iter().map(String::as_str)).map(str::to_owned)
    };
    let near = match check_metric_name(name, None) {
        NameCheck::Known | NameCheck::NotListed | NameCheck::OtherChips { .. } => return Ok(()),
        NameCheck::Suffix { near, .. } => {
            let base = name.split('.').next().unwrap_or(name);
            near.first().map(|suffix| format!("{base}.{}", suffix.trim_start_matches('.')))
        }
        NameCheck::Unknown { near } => near.into_iter().next(),
    };
    Err(UnknownName { what: "reading", name: name.to_owned(), near: near.or_else(own) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::checklists;

    fn near(name: &str) -> Option<String> {
        check_reading(name).expect_err(name).near
    }

    #[test]
    fn a_name_that_no_list_has_is_an_error_with_the_nearest() {
        assert_eq!(near("opcode.BARR").as_deref(), Some("opcode.BAR"));
        assert_eq!(near("opcode.LDG.E.128").as_deref(), Some("opcode.LDG"));
        assert_eq!(near("stall.bariier").as_deref(), Some("stall.barrier"));
        assert_eq!(near("stall-rank.selected"), None);
        assert_eq!(near("class.tensor-wgma").as_deref(), Some("class.tensor-wgmma"));
        assert_eq!(near("class.tensr").as_deref(), Some("class.tensor-mma"));
        assert_eq!(near("tensor.bussy").as_deref(), Some("tensor.busy"));
        assert_eq!(near("change.cycle").as_deref(), Some("change.cycles"));
        assert_eq!(
            near("change.lts__t_sector.summ").as_deref().map(|near| near.starts_with("change.lts__")),
            Some(true)
        );
        assert_eq!(near("sanitizer.memchek").as_deref(), Some("sanitizer.memcheck"));
        let metric = near("sm__throughputt.avg.pct_of_peak_sustained_elapsed");
        assert_eq!(metric.as_deref(), Some("sm__throughput.avg.pct_of_peak_sustained_elapsed"));
        assert_eq!(near("launch__registers_per_thred").as_deref(), Some("launch__registers_per_thread"));
        assert_eq!(near("dram__bytes_read.sum ").as_deref(), Some("dram__bytes_read.sum"));
        assert_eq!(near("qqqqqqqqqqqqqqqqqqqqqqqqqq"), None);
    }

    #[test]
    fn every_form_has_a_name_that_is_known() {
        for form in ReadingForm::VARIANTS
            .iter()
            .filter(|form| !matches!(form, ReadingForm::Metric | ReadingForm::Check | ReadingForm::Points))
        {
            let words = form.words();
            let name = format!("{}{}", form.start(), words.first().unwrap_or(&""));
            assert_eq!(check_reading(&name).map(|name| name.form), Ok(*form), "{name}");
        }
        assert!(check_reading("check.no BAR in the loop").is_ok());
        assert!(check_reading("launch__registers_per_thread").is_ok());
        assert!(check_reading("points.tensor.busy").is_ok() && check_reading("change.lts__t_sectors.sum").is_ok());
        assert!(check_reading("points.time").is_err() && check_reading("change.change.time").is_err());
    }

    #[test]
    fn checklists_name_readings_of_a_profile() {
        for check in checklists().iter().flat_map(|profile| &profile.check) {
            let name = check_reading(&check.reading).unwrap_or_else(|met| unreachable!("{met}"));
            assert!(!name.form.is_of_change(), "{}", check.reading);
        }
    }
}
