//! `audit check`: the gate. Reads the newest snapshot of each subject, or analyses anew without writing, and ends with a
//! status that says whether the kernel became slower, and whether its checks hold.

mod base;
mod baseline;
mod gate;
mod outcome;
mod past;
mod run;
mod stated;

pub(super) use run::run;
