//! `audit check`: the gate. Reads the newest snapshot of each subject, or analyses anew without writing, and ends with a
//! status that says whether the kernel became slower, and whether its checks hold.

mod baseline;
mod failed;
mod outcome;
mod run;
mod stated;

pub(super) use failed::run;
