//! What a kernel is launched with: the shape of the launch, its arguments, the values of its buffers, and the comparison
//! of its outputs.
//!
//! Owns everything about a launch that needs no GPU, so that it is tested without one. Receives a plan from `config` and
//! the kernel's parameters from `source`; gives bytes for `gpu` to copy, and facts for `evidence`.

mod difference;
mod dtype;
mod error;
mod fit;
mod plan;
mod values;

pub use difference::{Limits, difference};
pub use dtype::DType;
pub use error::LaunchError;
pub use fit::fit;
pub use plan::{
    Argument, Buffer, CheckPlan, Gemm, Given, KernelReference, LaunchPlan, Program, Promotion, Reference,
    ReferencePlan, Role, Scalar, Swizzle, TensorMap, Values,
};
pub use values::{POISON, generate, mixed};
