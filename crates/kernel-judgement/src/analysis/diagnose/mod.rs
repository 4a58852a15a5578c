//! What limits the kernel, what was found, and what removing it could give.
//!
//! Receives one kernel with everything derived from it ([`Kernel`]) and, where the report counts by instruction, the
//! launch by instruction; gives a [`verdict::Diagnosis`]. `measures` has the numbers of the kernel, `machine` what it needs, `account` what
//! the launch would save without each of it, `patterns` what that is (`held`), where it comes from and what could be done about it
//! (`draft`), `next` ranks that and says what is left and ruled out, `confidence` how sure it is.

mod account;
mod confidence;
mod draft;
pub(in crate::analysis) mod finding;
mod held;
mod kernel;
mod level;
pub(in crate::analysis) mod lever;
mod machine;
mod measures;
mod next;
mod patterns;
mod stretches;
mod verdict;

pub use confidence::{Because, Confidence};
pub(in crate::analysis) use kernel::{Kernel, Measurement};
pub use level::{Level, Unit};
pub use stretches::TimeSplit;
pub use verdict::{Bottleneck, Step};
pub(in crate::analysis) use verdict::{Diagnosis, alone, diagnose};
