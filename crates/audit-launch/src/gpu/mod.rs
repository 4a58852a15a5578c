//! The driver side, through cudarc: devices, loading and launching, checking outputs, timing, and cuBLASLt.
//!
//! Owns every call of the CUDA driver. Receives a program and a plan, gives [`launch_facts`]. NVIDIA's libraries
//! are opened on first use, so that a program with this room in it starts everywhere; [`Gpu::open`] says what is missing
//! before anything else is called. One thread uses a [`Gpu`].

#![allow(clippy::disallowed_methods, reason = "launches are timed")]

mod arguments;
mod check;
mod device;
mod error;
mod flush;
mod gemm;
mod kernel;
mod memory;
mod products;
mod refuse;
mod run;
mod runner;
mod tensor_map;
mod time;

pub use check::check;
pub use device::{Gpu, devices, guarded};
pub use run::{Job, Ran, run, run_reference};
pub use time::{Sampling, StatedWork, time};
