//! Which kernel of a build, what the report says of its launch, and whether it ran this code.

use crate::analysis::{KernelSummary, Selection, SelectionError, kernel::select, short_name};
use crate::catalog::Counter;
use crate::evidence::{Cubin, CubinKernel, Dim3, Reading, Report, ReportCubin};
use arcstr::ArcStr;
use regex::Regex;

/// What a report says of the launch, for setting it beside the build.
#[derive(Clone, Debug)]
pub struct Launched {
    /// Mangled name; empty where the report does not hold it.
    pub mangled: ArcStr,
    /// Display name without parameters.
    pub short_name: String,
    /// Compute capability of the device.
    pub compute_capability: Option<(u32, u32)>,
    pub registers: Reading,
    /// Static shared memory of a block.
    pub static_shared: Reading,
    /// Dynamic shared memory of a block.
    pub dynamic_shared: Reading,
    pub block: Option<Dim3>,
    /// Blocks of a cluster; `None` where the report does not say.
    pub cluster: Option<u32>,
    /// SHA-256 of the kernel's code in the cubin that the report holds; `None` where it holds none of it.
    pub code_sha256: Option<String>,
}

impl Launched {
    /// The launch that the audit of `report` is about; `cubins` are the report's. Errors: when the selection matches no kernel.
    pub fn of(report: &Report, cubins: &[ReportCubin], wanted: &Selection) -> Result<Launched, SelectionError> {
        let chosen = select::choose(report, wanted.kernel.as_ref())?;
        let first = chosen[0].launches[0];
        let kernel = KernelSummary::new(chosen[0].clone());
        let held =
            || cubins.iter().filter(|held| first.sources.contains(&held.key)).flat_map(|held| &held.cubin.kernels);
        let own = held()
            .find(|held| held.mangled == kernel.key().mangled)
            .or_else(|| held().find(|held| short_name(&held.demangled) == kernel.key().short_name()));
        Ok(Launched {
            mangled: own.map_or_else(|| kernel.key().mangled.clone(), |own| own.mangled.clone()),
            short_name: kernel.key().short_name().to_owned(),
            compute_capability: first.device.compute_capability,
            registers: kernel.reading(Counter::LaunchRegistersPerThread),
            static_shared: kernel.reading(Counter::LaunchSharedMemPerBlockStatic),
            dynamic_shared: kernel.reading(Counter::LaunchSharedMemPerBlockDynamic),
            block: kernel.key().block,
            cluster: kernel.value(Counter::LaunchClusterSize).map(|blocks| blocks as u32),
            code_sha256: own.map(|own| own.code_sha256.clone()),
        })
    }
}

/// Why a build has no kernel to audit.
#[derive(Debug, thiserror::Error)]
pub enum CodeError {
    /// The filter takes none.
    #[error("no kernel in the build of {input} for {arch} matches {filter}\n  it holds: {}\n  help: correct `kernel`", .available.join(", "))]
    None { input: String, arch: String, filter: String, available: Vec<String> },
    /// The filter takes several.
    #[error("{filter} matches {} kernels in the build of {input} for {arch}: {}\n  help: make `kernel` match one, such as \"^{}$\"", .found.len(), .found.join(", "), regex::escape(.found.first().map_or("", String::as_str)))]
    Several { input: String, arch: String, filter: String, found: Vec<String> },
}

/// The kernel of a cubin that was launched, else the one that the filter takes, or the only one; `input` is where the cubin is
/// from. Errors: none or several.
pub fn kernel_of<'b>(
    cubin: &'b Cubin,
    input: &str,
    filter: Option<&Regex>,
    launched: Option<&Launched>,
) -> Result<&'b CubinKernel, CodeError> {
    let kernels = &cubin.kernels;
    let is_launched =
        |kernel: &&CubinKernel| launched.is_some_and(|l| !l.mangled.is_empty() && l.mangled == kernel.mangled);
    if let Some(kernel) = kernels.iter().find(is_launched) {
        return Ok(kernel);
    }
    let name = |kernel: &CubinKernel| short_name(&kernel.demangled).to_owned();
    let is_taken = |kernel: &&CubinKernel| match (filter, launched) {
        (Some(filter), _) => {
            let name = short_name(&kernel.demangled);
            let function = name.split('<').next().unwrap_or(name);
            filter.is_match(function) || filter.is_match(name) || filter.is_match(&kernel.mangled)
        }
        (None, Some(launched)) => short_name(&kernel.demangled) == launched.short_name,
        (None, None) => true,
    };
    let found: Vec<&CubinKernel> = kernels.iter().filter(is_taken).collect();
    let (input, arch) = (input.to_owned(), cubin.arch.to_string());
    let filter = match (filter, launched) {
        (Some(filter), _) => format!("/{filter}/"),
        (None, Some(launched)) => format!("`{}` of the report", launched.short_name),
        (None, None) => "no filter".to_owned(),
    };
    match &found[..] {
        [one] => Ok(one),
        [] => Err(CodeError::None { input, arch, filter, available: kernels.iter().map(name).collect() }),
        several => Err(CodeError::Several { input, arch, filter, found: several.iter().map(|k| name(k)).collect() }),
    }
}

/// The build's code beside the code in the report.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Identity {
    /// The same bytes: this machine code is what was timed.
    Same {
        /// SHA-256 of the code section.
        sha256: String,
    },
    /// Other bytes: what is said of the code does not hold for what was timed.
    Differs {
        /// SHA-256 of the build's code section.
        built: String,
        /// SHA-256 of the report's.
        timed: String,
    },
    /// The chip of the build is not the one that was timed.
    OtherChip {
        /// Architecture of the build.
        built: String,
        /// Architecture of the device.
        timed: String,
    },
    /// The report does not hold the kernel's cubin.
    NotHeld,
    /// There is no report.
    NotTimed,
}

pub(super) fn identity(arch: &str, sha256: &str, launched: Option<&Launched>) -> Identity {
    let Some(launched) = launched else { return Identity::NotTimed };
    if let Some((major, minor)) = launched.compute_capability {
        let timed = format!("sm_{major}{minor}");
        if arch.trim_end_matches(|c: char| c.is_ascii_lowercase()) != timed {
            return Identity::OtherChip { built: arch.to_owned(), timed };
        }
    }
    match &launched.code_sha256 {
        None => Identity::NotHeld,
        Some(timed) if timed == sha256 => Identity::Same { sha256: sha256.to_owned() },
        Some(timed) => Identity::Differs { built: sha256.to_owned(), timed: timed.clone() },
    }
}
