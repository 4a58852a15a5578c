//! The file that something was read from.

use serde::{Deserialize, Serialize};

/// The artefact that evidence was read from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Origin {
    /// The path as the user gave it.
    pub path: String,
    /// `ncu-report`, `ncu-raw-csv`, `ncu-details-csv`, `ptxas-log`.
    pub format: String,
    /// Size in bytes.
    pub bytes: u64,
    /// BLAKE3 of the bytes, lower-case hexadecimal (`b3sum FILE`); empty when it was not asked for.
    pub blake3: String,
}
