//! Judgement: from evidence to panels, findings, levers and a verdict.
//!
//! Owns the selection of the kernel under audit, the comparison of old and new, and every derived number. Receives
//! evidence and catalog rows, gives an [`Audit`]: readings with their origin and short sentences, no layout.

mod audit;
mod before;
mod bottleneck;
mod build;
mod ceiling;
mod checklist;
mod checks;
mod coalescing;
pub mod code;
mod columns;
mod compare;
mod correct;
mod data_stage;
mod dump;
mod finding;
mod floor;
mod ground;
mod hypothesis;
mod kept;
mod kept_json;
mod launches;
mod limits;
mod line;
mod milestone;
mod mix;
mod named;
mod named_json;
mod occupancy;
mod outcome;
mod panels;
mod performance;
mod private;
mod reference;
mod restore;
mod roofline;
mod row_json;
pub mod sass;
mod select;
mod setting;
mod side;
mod source_lines;
mod stalls;
mod summary;
mod tiles;
mod timeline;
mod timeline_busy;
mod timeline_memory;
mod timing;
mod traffic;
mod trials;
mod units;
mod verdict;
mod wanted;

pub use audit::{Audit, Inputs, Old, analyse, analyse_all};
pub use bottleneck::{Bottleneck, Limiter, Step};
pub use build::BuildRow;
pub use ceiling::{Lever, LeverOrigin};
pub use checklist::{CheckedLine, Earlier, Expectation, Outcome};
pub use coalescing::Coalescing;
pub use columns::{Against, Columns, Joined, columns};
pub use compare::{Change, Direction, Row};
pub use correct::{Standing, position};
pub use dump::{SCHEMA, write_json};
pub use finding::{Finding, Place, Severity};
pub use hypothesis::{Condition, Hypothesis, Judgement, Met, Tested, When};
pub use kept::{Found, Kept, KeptMetric, Readings};
pub use launches::{chosen_rows, old_launch_at_barriers, subject_launch, subject_launches, subject_rows};
pub use limits::Limits;
pub use milestone::{Concluded, Milestone};
pub use mix::{InstructionMix, OpcodeRow};
pub use occupancy::{BlockLimit, Cliff, Occupancy};
pub use outcome::{Estimates, Pulled};
pub use panels::Panel;
pub use performance::{Performance, Work};
pub use private::{without_home, without_names};
pub use reference::{Beside, ReferenceProfile};
pub use roofline::{Ceiling, CeilingKind, Point, Roofline};
pub use select::{KernelGroup, KernelKey, Selection, SelectionError, groups};
pub use setting::{Setting, Weight};
pub use side::{OtherKernel, Side};
pub use source_lines::{
    AccessLine, Accesses, LaneLine, LimitingLines, LineCost, LineCount, LineWaits, ListedFile, ListedInstruction,
    ListedLine, Listing, Parked, Pattern, ReasonLines, SourceLines, Space, Spot, Waits, source_want,
};
pub use stalls::{StallBasis, StallRow, StallTable, Stalls};
pub use summary::KernelSummary;
pub use tiles::{StoreCount, Tiles};
pub use timeline::{Answer, Decision, KernelShare, Part, TimelineAudit, ToProfile, judge_timeline};
pub use timeline_busy::{DeviceTime, Gap, Gaps};
pub use timeline_memory::{ApiClass, ApiRow, Transfer};
pub use timing::{Timed, TimedChange, Timing};
pub use trials::{OtherKernelTried, Trials};
pub use units::BusyUnit;
pub use verdict::{
    Basis, Comparison, Course, Judged, ReadingVerdict, Sample, Shift, Verdict, Whole, both_agree, judge,
};
pub use wanted::{brief, want, want_for};
