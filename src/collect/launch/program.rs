//! Code that can be launched.

use std::path::PathBuf;

/// A kernel in a loadable image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// What it came from.
    pub input: PathBuf,
    /// A cubin, or PTX as text.
    pub image: Vec<u8>,
    /// Mangled name of the kernel.
    pub kernel: String,
    /// Bytes of each parameter; `None` where only the driver can tell, after loading.
    pub parameters: Option<Vec<u32>>,
    /// SHA-256 of the kernel's code section; empty for PTX.
    pub code_sha256: String,
}
