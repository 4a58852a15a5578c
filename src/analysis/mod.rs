//! Judgement: from evidence to panels, findings, levers and a verdict.
//!
//! Owns the selection of the kernel under audit, the comparison of old and new, and every derived number. Receives
//! evidence and catalog rows, gives an [`Audit`]: readings with their origin and short sentences, no layout.

mod artefact;
mod audit;
pub mod code;
mod correctness;
mod derive;
mod diagnose;
mod evidence;
mod judgement;
mod kernel;
mod launches;
mod limits;
mod lines;
/// The tables of a kernel in one line.
pub mod line {
    pub use super::derive::named::{Columns, INSTRUCTIONS, LIGHT, OCCUPANCY, SHARED};
}
mod milestone;
mod others;
pub mod over_time;
pub mod phases;
mod profile;
mod readings;
mod readings_json;
mod results;
pub mod sass;
mod timeline;
mod version;
mod versus;
mod wanted;

pub use artefact::Artefact;
pub use audit::{Audit, audit};
pub use correctness::{Fault, Standing, Void};
pub use derive::coalescing::Coalescing;
pub use derive::mix::{InstructionMix, OpcodeRow};
pub use derive::occupancy::{BlockLimit, Cliff, Occupancy};
pub use derive::panels::Panel;
pub use derive::roofline::{Ceiling, CeilingKind, Flag, Point, Roofline};
pub use derive::stalls::{StallBasis, StallRow, StallTable, Stalls};
pub use derive::stores::StoreCount;
pub use derive::units::BusyUnit;
pub use diagnose::finding::{Finding, Severity};
pub use diagnose::lever::{Along, Bound, Lever, LeverCode, LeverOrigin};
pub use diagnose::{Because, Bottleneck, Confidence, Level, Step, Unit};
pub use evidence::{Evidence, MeasuredVariant, Reference, Side, TimedLaunches};
pub(crate) use judgement::of_line;
pub use judgement::{Judgement, Role};
pub use kernel::build::{Build, BuildRow};
pub use kernel::overview::OtherKernel;
pub use kernel::pick::{Pick, Rows};
pub use kernel::private::{make_step_public, public_command, public_path, public_text, public_words, without_home};
pub use kernel::readings::{Found, KeptMetric, Readings};
pub use kernel::row::Performance;
pub use kernel::row::{Change, Direction, Row};
pub use kernel::select::{Asked, KernelGroup, KernelKey, Selection, SelectionError, asked_by, groups, short_name};
pub use kernel::stated::{Expectation, Hypothesis, Tiles, Unreadable, Work};
pub use kernel::summary::KernelSummary;
pub use launches::{chosen_rows, old_launch, page_launches, page_rows, subject_launch, subject_launches};
pub use limits::Limits;
pub use lines::{
    AccessLine, Accesses, Counted, LaneLine, LimitingLines, LineCost, LineCount, LineWaits, ListedFile,
    ListedInstruction, ListedLine, Listing, Parked, PartLines, Pattern, Place, ReasonLines, SourceLines, Space, Spot,
    Waits, source_want,
};
pub use milestone::{Concluded, Milestone, Nth, decided};
pub use others::OtherVerdict;
pub use profile::{OtherProfile, Profile, Reduction};
pub use results::changed::{Doubt, Flush, TimedChange};
pub use results::columns::{Against, Column, Columns, Joined, columns};
pub use results::reference::{Beside, Gap as ReferenceGap, ReferenceProfile};
pub use results::states::Step as ClockStep;
pub use results::timed::Timed;
pub use results::timing::{Caution, OtherState, Timing};
pub use results::trials::OtherKernelTried;
pub use results::variants::VariantTimes;
pub use timeline::busy::Part;
pub use timeline::busy::{DeviceTime, Gap, Gaps};
pub use timeline::judge::{
    Because as TimelineBecause, Decision, KernelShare, TimelineAudit, ToProfile, judge_timeline,
};
pub use timeline::memory::{ApiClass, ApiRow, Transfer};
pub use versus::checklist::{CheckedLine, Earlier};
pub use versus::common::LimiterChange;
pub use versus::estimates::{Estimates, Met as PredictionMet, Pulled};
pub use versus::hypothesis::{Condition, Tested, When};
pub use versus::setting::{Setting, Weight, caches_are_flushed, clocks_are_free};
pub use versus::story::{Cause as StoryCause, Story, UnitChange, WorkFloor};
pub use versus::verdict::{
    Basis, Cause, Comparison, Course, Join, Judged, ReadingVerdict, Sample, Shift, Verdict, Whole, Why, both_agree,
    judge,
};
pub use wanted::{brief, want, want_for};
