//! `audit dump`: a stage as JSON.

use super::args::{Dump, Stage};
use super::failure::Failure;
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
    }
    Ok(())
}
