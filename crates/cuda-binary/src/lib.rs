//! What the compiler of a CUDA kernel made, and what every reader of evidence shares: where something was read from
//! ([`Origin`]), why it could not be ([`ReadError`]), and text.

mod error;
mod origin;
pub mod op;
pub mod text;

pub use error::ReadError;
pub use op::{Class, Op};
pub use origin::Origin;
