//! Whether the code of the build is the code that was timed.

use super::select::Launched;

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
