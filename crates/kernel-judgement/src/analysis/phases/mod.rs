//! Where the time of a kernel goes, phase by phase: prologue, main loop and its parts, epilogue, exit.
//!
//! Receives one launch by instruction ([`SourceView`](crate::evidence::SourceView)) and the kernel's counters, gives a
//! [`Phases`]. Everything follows from the bits of the code, from the executions and samples of each instruction and from
//! counters of the whole kernel: no rule names a kernel, and what a report lacks makes the clause that needs it false.
//!
//! Notation in comments: at an instruction `E` is `inst_executed`, `T` is `thread_inst_executed_true`, `s` are its samples; `S` is
//! their sum, `B` blocks, `W` warps of a block, `w` warps of a role, `N` SMs, `K` elapsed cycles, `A` the share of them in which an
//! SM holds a block, `u` the share in which a unit works.

mod accesses;
mod addresses;
mod alike;
mod beside;
mod bounds;
mod branches;
#[cfg(test)]
pub(in crate::analysis) mod by_hand;
mod code;
mod compares;
mod crosswise;
mod cursors;
mod cut;
mod dependent;
mod detail;
mod dispatches;
mod factors;
mod flows;
mod frame;
mod guards;
mod halves;
mod in_flight;
mod lane_value;
mod lanes;
mod main_loop;
mod mbarriers;
mod measure;
mod model;
mod of_no_thread;
mod pace;
mod parts;
mod places;
mod point;
mod products;
mod role_lines;
mod runs;
mod study;
mod tensor;
mod tile_loop;
mod turns;
mod unavoidable;
mod values;
mod waits;
mod warps;
mod windows;

pub(in crate::analysis) use alike::{Alike, OR};
pub(in crate::analysis) use beside::Beside;
pub(in crate::analysis) use code::{Code, Loop, reached};
pub(in crate::analysis) use detail::{Chain, Indirection, PIPES};
pub use detail::{
    GuardedOpcode, LaneStep, Line, OpcodeRun, Point, Reach, SectorAccess, StallPlace, TensorSite, Wait, WaitGroup,
    touched_sectors,
};
pub use dispatches::{Dispatch, RoleCode, dispatches};
pub(in crate::analysis) use flows::address;
pub(in crate::analysis) use lanes::{past_of_stores, reach_of_stores};
pub use model::{CycleUnit, Pace, Phase, PhaseKind, Phases, Role, Span};
pub(in crate::analysis) use of_no_thread::OfNoThread;
pub(in crate::analysis) use point::point;
pub use products::at_their_products;
pub(in crate::analysis) use products::is_product;
pub use runs::Stand;
pub(in crate::analysis) use runs::{DIVISION, OF_A_FLOAT, Run};
pub use study::Study;
pub(in crate::analysis) use turns::Carried;
pub use unavoidable::{Amount, Unavoidable};
pub(in crate::analysis) use values::{Origin, Place};
pub(in crate::analysis) use windows::Window;
