//! `audit dump`: a stage as JSON.

use super::args::{Dump, Stage};
use super::failure::Failure;
use crate::analysis::{self, Inputs, Limits, Selection, Work};
use crate::evidence::{self, NameSet, Want};
use crate::source;
use std::io::Write;

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
        Stage::Analysis { file, kernel, thresholds } => {
            let report = source::read_profile(file, &analysis::want())?;
            let audits = analysis::analyse_all(&Inputs {
                new: &report,
                old: None,
                builds: &[],
                selection: Selection { kernel: kernel.clone(), baseline_kernel: None },
                work: Work::default(),
                limits: Limits { overrides: thresholds.iter().cloned().collect() },
            })?;
            analysis::write_json(&audits, out)?;
        }
    }
    Ok(())
}
