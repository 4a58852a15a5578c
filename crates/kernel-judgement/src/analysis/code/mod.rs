//! Judgement of a build before it runs: resources, occupancy limits, machine code, roles of warps, and checks.
//!
//! Receives a [`CodeBuild`](crate::evidence::CodeBuild) and, where there is one, what the launch says; gives its [`CodeFacts`],
//! which are evidence, and from these the [`CodeAudit`]. A static count says how often an instruction stands in the code, never how
//! often it ran.

mod accesses;
mod audit;
mod block_limits;
mod checked;
mod checks;
mod columns;
mod count;
mod facts;
mod flow;
mod latency;
mod layout;
mod patterns;
mod products;
mod reduce;
mod resource_checks;
mod resources;
mod scope;
mod select;
mod shared_layout;
mod shared_map;
mod tensor_memory;
mod walk;

pub use accesses::{LocalAccess, StoreReach, WidthRow};
pub use audit::CodeAudit;
pub(super) use audit::concluded;
pub use block_limits::{LaunchShape, StaticOccupancy};
pub use checked::{CheckResult, Checked, Deciding};
pub use checks::{SassCheck, known_step, unchecked};
pub use columns::{CodeColumns, CodeColumnsRow, INSTRUCTIONS, code_columns, code_rows};
pub use count::Count;
pub use facts::CodeFacts;
pub use flow::{BarrierUse, LoopRow, RoleRow};
pub use reduce::{CodeInputs, code_facts};
pub use resource_checks::Resource;
pub use resources::{Agreement, FRAME, ResourceRow, SPILL_LOADS, SPILL_STORES};
pub use select::{CodeError, Identity, Launched, kernel_of};
pub use shared_layout::SharedPart;
