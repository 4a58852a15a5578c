//! `audit dump`: a stage as JSON.

use super::args::{Dump, Stage};
use super::failure::Failure;
use super::lines;
use crate::analysis::{self, Inputs, Limits, Selection, Work};
use crate::evidence::{self, NameSet, SourceView, Want};
use crate::source::{self, ncu_report::LaunchHead};
use regex::Regex;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;

pub(super) fn run(arguments: &Dump, out: &mut dyn Write) -> Result<(), Failure> {
    match &arguments.stage {
        Stage::Evidence { file, instances, allow_damage } => {
            let mut want = Want { allow_damage: *allow_damage, ..Want::everything() };
            if !instances {
                want.instances = NameSet::none();
            }
            let report = source::read_profile(file, &want)?;
            evidence::write_json(&report, *instances, out)?;
        }
        Stage::Source { file, kernel, allow_damage } => {
            evidence::write_source_json(&views(file, kernel.as_ref(), *allow_damage)?, out)?;
        }
        Stage::Analysis { file, kernel, thresholds } => {
            let report = source::read_profile(file, &analysis::want())?;
            let selection = Selection { kernel: kernel.clone(), baseline_kernel: None };
            let source = lines::source_view(file, &report, &selection, false, &[])?;
            let audits = analysis::analyse_all(&Inputs {
                new: &report,
                old: None,
                builds: &[],
                source: source.as_ref(),
                selection,
                work: Work::default(),
                limits: Limits { overrides: thresholds.iter().cloned().collect() },
            })?;
            analysis::write_json(&audits, out)?;
        }
    }
    Ok(())
}

/// The chosen launches of a report, instruction by instruction.
fn views(file: &Path, kernel: Option<&Regex>, allow_damage: bool) -> Result<Vec<SourceView>, Failure> {
    let held = RefCell::new(BTreeSet::new());
    let chosen = |head: &LaunchHead| {
        let is_chosen = kernel.is_none_or(|re| re.is_match(&head.function) || re.is_match(&head.name));
        held.borrow_mut().insert(head.function.to_string());
        is_chosen
    };
    let views = source::read_source_views(file, &Want { allow_damage, ..Want::default() }, chosen, &[])?;
    match kernel {
        Some(filter) if views.is_empty() => {
            let held: Vec<String> = held.into_inner().into_iter().collect();
            let (file, held) = (file.display(), held.join(", "));
            Err(Failure::usage(format!("no kernel in {file} matches /{filter}/\n  it holds: {held}")))
        }
        _ => Ok(views),
    }
}
