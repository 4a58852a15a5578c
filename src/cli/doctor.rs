//! `audit doctor`: which tools are here, and what is missing for what.

use super::Failure;
use super::args::Doctor;
use super::code::places;
use super::plan::DEFAULT_CONFIG;
use crate::collect::{Counters, Machine, Tool};
use crate::config::{Config, Tools};
use std::io::Write;
use std::path::Path;
use strum::VariantArray;

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
    for tool in Tool::VARIANTS.iter().copied() {
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
    let machine = Machine::look(|name| std::env::var_os(name));
    writeln!(out, "\nDevice")?;
    let none = "none: /proc/driver/nvidia/version is not there";
    writeln!(out, "  driver             {}", machine.driver.as_deref().unwrap_or(none))?;
    let gpus = if machine.gpus.is_empty() { "none: no /dev/nvidia0".to_owned() } else { machine.gpus.join(", ") };
    writeln!(out, "  GPU                {gpus}")?;
    writeln!(out, "  counters           {}", counters(&machine))?;
    for line in seen_by_driver() {
        writeln!(out, "  {line}")?;
    }
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
    writeln!(out, "  launch a kernel    {}", word(can_launch()))?;
    writeln!(
        out,
        "  profile a kernel   {}",
        word(has(&[Tool::Ncu]) && is_usable && machine.counters != Counters::Refused)
    )?;
    writeln!(out, "  record a program   {}", word(has(&[Tool::Nsys]) && is_usable))?;
    writeln!(out, "  check correctness  {}", word(has(&[Tool::ComputeSanitizer]) && is_usable))?;
    if !missing.is_empty() {
        writeln!(out, "\nMissing")?;
        let mut last = "";
        for (_, error) in &missing {
            let (what, cure) = error.split_once('\n').unwrap_or((error, ""));
            // Tools that come together are told together.
            if cure != last && !last.is_empty() {
                writeln!(out, "  {}", last.replace('\n', "\n  "))?;
            }
            writeln!(out, "  {what}")?;
            last = cure;
        }
        writeln!(out, "  {}", last.replace('\n', "\n  "))?;
    }
    Ok(())
}

/// What the driver's library says: a few lines for each device, or why there is none.
#[cfg(feature = "gpu")]
fn seen_by_driver() -> Vec<String> {
    let devices = match audit_launch::gpu::devices() {
        Ok(devices) => devices,
        Err(error) => {
            let said = error.to_string();
            return vec![format!("libcuda            {}", said.lines().next().unwrap_or_default())];
        }
    };
    let mib = |bytes: u64| bytes >> 20;
    let mut lines = vec![format!("libcuda            CUDA {}", devices[0].driver_cuda)];
    for (ordinal, device) in devices.iter().enumerate() {
        let (name, capability) = (&device.name, &device.compute_capability);
        lines.push(format!("device {ordinal:<11} {name}, compute capability {capability}"));
        lines.push(format!(
            "{:18} {} SMs, {} MiB memory{}, {} MiB L2",
            "",
            device.multiprocessors,
            mib(device.memory_bytes),
            if device.ecc { " with ECC" } else { "" },
            mib(device.l2_bytes)
        ));
        lines.push(format!(
            "{:18} per SM {} threads, {} registers, {} KiB shared memory ({} KiB a block)",
            "",
            device.threads_per_multiprocessor,
            device.registers_per_multiprocessor,
            device.shared_bytes_per_multiprocessor >> 10,
            device.shared_bytes_per_block >> 10
        ));
    }
    lines
}

#[cfg(not(feature = "gpu"))]
fn seen_by_driver() -> Vec<String> {
    vec!["libcuda            not asked: this build cannot launch kernels".to_owned()]
}

#[cfg(feature = "gpu")]
fn can_launch() -> bool {
    audit_launch::gpu::devices().is_ok()
}

#[cfg(not(feature = "gpu"))]
fn can_launch() -> bool {
    false
}

/// Who may read performance counters, and the cure where this user may not.
fn counters(machine: &Machine) -> &'static str {
    match (machine.driver.is_some(), machine.counters) {
        (false, _) => "none without a driver",
        (true, Counters::Unknown) => "the driver does not say who may read them; ncu will",
        (true, Counters::Everybody) => "all users may read them",
        (true, Counters::Administrator) => "only administrators may read them, and this process is one",
        (true, Counters::Refused) => {
            "only administrators may read them, and this process is not one: run as root, or load the driver with NVreg_RestrictProfilingToAdminUsers=0"
        }
    }
}
