//! What limits the kernel: a short walk from the whole chip down to one unit or one reason to wait.
//!
//! `walk` asks the questions in turn, `unit` concludes on a unit near its peak, `waits` on what the warps wait for.

mod unit;
mod waits;
mod walk;

pub(in crate::analysis) use walk::bottleneck;
pub use walk::{Bottleneck, Step};
