//! `audit check`: the gate. Reads the newest snapshot of each subject, or analyses anew without writing, and ends with a
//! status that says whether the kernel became slower.

mod outcome;
mod run;

pub(super) use run::run;
