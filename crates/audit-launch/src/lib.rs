//! The launcher of `audit`: what a kernel is launched with, the values of its buffers, the comparison of its outputs, and,
//! behind the feature `gpu`, every call of the CUDA driver and of cuBLASLt.
//!
//! What needs no GPU stands apart from [`gpu`], so that it is tested without one. Receives a [`LaunchPlan`] and a
//! [`Program`], gives [`launch_facts`].

#![deny(missing_docs)]

mod block_scales;
mod difference;
mod dtype;
mod error;
mod fit;
#[cfg(feature = "gpu")]
pub mod gpu;
mod plan;
mod values;

pub use block_scales::{BlockScale, BlockScales};
pub use difference::{Limits, difference};
pub use dtype::DType;
pub use error::LaunchError;
pub use fit::{Given, fit};
pub use plan::{
    Argument, Buffer, CheckPlan, Gemm, KernelReference, LaunchPlan, Program, Promotion, Reference, ReferencePlan, Role,
    Scalar, Swizzle, TensorMap, Values,
};
pub use values::{FILLS, generate, mixed};
