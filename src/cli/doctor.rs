//! `audit doctor`: which tools are here, and what is missing for what.

use super::args::Doctor;
use super::code::places;
use super::failure::Failure;
use super::plan::DEFAULT_CONFIG;
use crate::collect::{Counters, Machine, Tool};
use crate::config::{Config, Tools};
use std::io::Write;
use std::path::Path;

pub(super) fn run(arguments: &Doctor, out: &mut dyn Write) -> Result<(), Failure> {
    let named = arguments.config.as_deref();
    let path = named.unwrap_or(Path::new(DEFAULT_CONFIG));
    let (tools, folder) = match Config::read(path) {
        Ok(config) => (config.tools, config.folder),
        Err(_) if named.is_none() && !path.exists() => (Tools::default(), Path::new("").to_owned()),
        Err(error) => return Err(error.into()),
    };
    let places = places(&tools, &folder);
    writeln!(out, "Tools")?;
    let mut missing = Vec::new();
    for tool in Tool::ALL {
        let found = places.find(tool).and_then(|found| Ok((found.version()?, found)));
        match found {
            Ok((version, found)) => {
                writeln!(out, "  {:<18} {version:<14} {} (by {})", tool.name(), found.path.display(), found.by)?;
            }
            Err(error) => {
                writeln!(out, "  {:<18} not usable     needed for {}", tool.name(), tool.purpose())?;
                missing.push((tool, error.to_string()));
            }
        }
    }
    let machine = Machine::look();
    writeln!(out, "\nDevice")?;
    let none = "none: /proc/driver/nvidia/version is not there";
    writeln!(out, "  driver             {}", machine.driver.as_deref().unwrap_or(none))?;
    let gpus = if machine.gpus.is_empty() { "none: no /dev/nvidia0".to_owned() } else { machine.gpus.join(", ") };
    writeln!(out, "  GPU                {gpus}")?;
    writeln!(out, "  counters           {}", counters(&machine))?;
    for clocks in Machine::clocks(&places) {
        writeln!(out, "  clocks             {clocks}; left as they are unless a subject says clock = \"base\"")?;
    }
    let is_usable = machine.setback().is_none();
    writeln!(out, "\nWhat can be done here")?;
    let has = |tools: &[Tool]| tools.iter().all(|tool| missing.iter().all(|(lacking, _)| lacking != tool));
    let word = |can: bool| if can { "yes" } else { "no" };
    writeln!(out, "  read reports       yes (needs nothing)")?;
    writeln!(out, "  audit a cubin      {}", word(has(&[Tool::Nvdisasm])))?;
    writeln!(out, "  audit a source     {}", word(has(&[Tool::Nvcc, Tool::Ptxas, Tool::Nvdisasm])))?;
    writeln!(
        out,
        "  profile a kernel   {}",
        word(has(&[Tool::Ncu]) && is_usable && machine.counters != Counters::Refused)
    )?;
    writeln!(out, "  check correctness  {}", word(has(&[Tool::ComputeSanitizer]) && is_usable))?;
    if !missing.is_empty() {
        writeln!(out, "\nMissing")?;
        for (_, error) in &missing {
            writeln!(out, "  {}", error.replace('\n', "\n  "))?;
        }
    }
    Ok(())
}

/// Who may read performance counters, and the cure where this user may not.
fn counters(machine: &Machine) -> &'static str {
    match (machine.driver.is_some(), machine.counters) {
        (false, _) => "none without a driver",
        (true, Counters::Unknown) => "the driver does not say who may read them; ncu will",
        (true, Counters::Everybody) => "everybody may read them",
        (true, Counters::Administrator) => "administrators may read them, and this process is one",
        (true, Counters::Refused) => {
            "only administrators may read them, and this process is none: run as root, or load the driver with NVreg_RestrictProfilingToAdminUsers=0"
        }
    }
}
