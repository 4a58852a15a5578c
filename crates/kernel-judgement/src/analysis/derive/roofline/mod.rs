//! The roofline: what each level of memory and each math pipe can do at the clocks that held, and what the kernel did.
//!
//! Owns ceilings, points and their flags. Receives one kernel, its instruction mix and the stated work; every peak and
//! every clock is the report's own, nothing is taken from a data sheet.

mod ceilings;
mod flags;
mod points;
mod products;
mod tensor;

pub(in crate::analysis) use tensor::{PREFIX as TENSOR_PREFIX, executed_operations, tells_tensor_work};

pub use ceilings::{Ceiling, CeilingKind, Point};
pub use flags::Flag;
pub use points::Roofline;
