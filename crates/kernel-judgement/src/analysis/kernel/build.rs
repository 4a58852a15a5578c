//! The build's own numbers for the kernel under audit, beside what the launch says.

use crate::analysis::{KernelKey, KernelSummary};
use crate::catalog::Counter;
use crate::evidence::{BuildLog, BuildRecord, Device, Origin, Reading};

/// What build logs say of a kernel.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Build {
    pub logs: Vec<Origin>,
    /// Warnings of the assembler: (log, line from 1, text).
    pub warnings: Vec<(String, u64, String)>,
    pub records: Vec<BuildRecord>,
}

impl Build {
    /// What some logs say of a kernel that ran on a device.
    pub fn of(kernel: &KernelKey, device: &Device, logs: &[BuildLog]) -> Build {
        let warnings = |log: &BuildLog| {
            let warning = |(line, text): &(u64, String)| (log.origin.path.clone(), *line, text.clone());
            log.warnings.iter().map(warning).collect::<Vec<_>>()
        };
        Build {
            logs: logs.iter().map(|log| log.origin.clone()).collect(),
            warnings: logs.iter().flat_map(warnings).collect(),
            records: records(kernel, device, logs),
        }
    }

    /// The records beside what the launch says.
    pub(in crate::analysis) fn rows(&self, kernel: &KernelSummary<'_>) -> Vec<BuildRow> {
        let row = |record: &BuildRecord| BuildRow {
            record: record.clone(),
            launch_registers: kernel.reading(Counter::LaunchRegistersPerThread),
        };
        self.records.iter().map(row).collect()
    }
}

/// A kernel as the assembler built it.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct BuildRow {
    pub record: BuildRecord,
    /// Registers per thread that the launch was given.
    pub launch_registers: Reading,
}

/// The records of a kernel: same mangled name, else same function name; of the architecture nearest the device.
fn records(key: &KernelKey, device: &Device, logs: &[BuildLog]) -> Vec<BuildRecord> {
    let records = || logs.iter().flat_map(|log| &log.records);
    let mut found: Vec<&BuildRecord> =
        records().filter(|r| !key.mangled.is_empty() && *key.mangled == *r.mangled).collect();
    if found.is_empty() {
        found = records()
            .filter(|r| key.mangled.is_empty() && super::select::short_name(&r.demangled) == key.short_name())
            .collect();
    }
    if let Some((major, minor)) = device.compute_capability {
        let arch = format!("sm_{major}{minor}");
        if found.iter().any(|r| r.arch.starts_with(&arch)) {
            found.retain(|r| r.arch.starts_with(&arch));
        }
    }
    found.into_iter().cloned().collect()
}
