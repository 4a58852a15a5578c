//! Judgement of a build before it runs: resources, occupancy limits, machine code, roles of warps, and checks.
//!
//! Receives a [`CodeBuild`](crate::evidence::CodeBuild) and, where there is one, what the launch says; gives a
//! [`CodeAudit`]. A static count says how often an instruction stands in the code, never how often it ran.

mod accesses;
mod audit;
mod block_limits;
mod build;
mod checks;
mod columns;
mod count;
mod flow;
mod latency;
mod patterns;
mod products;
mod resource_checks;
mod resources;
mod scope;
mod select;
mod shared_layout;
mod shared_map;
mod tensor_memory;

pub use accesses::StoreReach;
pub use accesses::{LocalAccess, WidthRow};
pub(super) use audit::concluded;
pub use audit::{CodeInputs, audit_code};
pub use block_limits::{BlockLimitRow, LaunchShape, StaticOccupancy};
pub use build::CodeAudit;
pub use checks::{CheckResult, DECIDING_KEPT, Deciding, SassCheck};
pub use columns::{CodeColumns, CodeColumnsRow, code_columns, code_rows};
pub use count::Count;
pub use flow::{BarrierUse, DispatchRow, FlowSummary, LoopRow, RoleRow};
pub use latency::LoadUse;
pub use products::ProductShape;
pub use resource_checks::Resource;
pub use resources::{Agreement, ResourceRow};
pub use scope::Scope;
pub use select::Identity;
pub use select::{CodeError, Launched, kernel_of};
pub use shared_layout::SharedPart;
