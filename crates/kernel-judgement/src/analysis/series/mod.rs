//! The series of a subject: where each audit stands among those before it, and which one the next is compared with.

mod problem;
#[cfg(test)]
mod sequences;
mod standing;

pub use problem::{Open, Problem};
pub use standing::{Against, Series, Standing, Step};
