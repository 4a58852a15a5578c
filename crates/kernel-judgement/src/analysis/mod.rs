//! Judgement: from evidence to panels, findings, levers and a verdict.
//!
//! Owns the selection of the kernel under audit, the comparison of old and new, and every derived number. Receives
//! evidence and catalog rows, gives an [`Audit`]: readings with their origin and short sentences, no layout.

mod artefact;
mod audit;
mod changed;
pub mod code;
mod compared;
mod correctness;
mod derive;
mod diagnose;
mod evidence;
mod examined;
mod judgement;
mod keep;
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
mod series;
mod studied;
mod timeline;
mod version;
mod versus;
mod wanted;

pub use artefact::Artefact;
pub use audit::{Audit, audit};
pub use changed::Changed;
pub use compared::{Compared, Mark, Measured, near};
pub use correctness::{Fault, Standing, Void};
pub use derive::mix::OpcodeRow;
pub use derive::occupancy::{Cliff, Occupancy};
pub use derive::roofline::{Ceiling, CeilingKind, Flag, Point, Roofline};
pub use derive::stalls::{StallBasis, StallRow, StallTable};
pub use diagnose::finding::{Finding, Severity};
pub use diagnose::lever::{Along, Bound, Lever, LeverCode, LeverOrigin, Where};
pub use diagnose::{Because, Bottleneck, Confidence, Level, Step, TimeSplit, Unit};
pub use evidence::{Evidence, MeasuredVariant, Reference, Side, TimedLaunches};
pub use examined::Examined;
pub use judgement::{Judgement, Role, of_line};
pub use kernel::build::{Build, BuildRow};
pub use kernel::commands::{HIDDEN_ARGUMENTS, make_step_public, public_command, public_parts};
pub use kernel::configurations::{
    CONFIGURATION_READINGS, Configuration, configuration_rows, configurations, leave_configurations, shown,
};
pub use kernel::overview::OtherKernel;
pub use kernel::pick::{Pick, Rows};
pub use kernel::private::{public_path, public_text, public_words, without_home};
pub use kernel::row::{Change, Direction, Performance, Row};
pub use kernel::select::{Asked, KernelKey, Selection, SelectionError, asked_by, groups, short_name};
pub use kernel::stated::{Expectation, Foresight, Hypothesis, Tiles, Unreadable, Work};
pub use kernel::summary::KernelSummary;
pub use kernel::tuned::tuned;
pub use launches::{chosen_rows, leave_stated, old_launch, page_launches, page_rows, subject_launch, subject_launches};
pub use limits::Limits;
pub use lines::{
    AccessLine, Accesses, Counted, LineCost, LineWaits, Listing, Pattern, Place, ReasonLines, SourceLines, Space, Spot,
    Waits, source_want, without_homes,
};
pub use milestone::{Concluded, Milestone, Nth, Offered, decided};
pub use others::{OtherVerdict, Reported};
pub use profile::{Kernels, Profile, Reduction};
pub use results::changed::{Doubt, Flush, TimeOfChange, TimedChange};
pub use results::columns::{Against, Joined, Matched, joined, matched};
pub use results::floor::Impossible;
pub use results::reference::{Beside, Gap, ReferenceProfile};
pub use results::timed::Timed;
pub use results::timing::{Caution, Timing};
pub use results::trials::{OtherKernelTried, Trials};
pub use results::variants::VariantTimes;
pub use series::{Against as SeriesAgainst, Open, Problem, Series, Standing as SeriesStanding, Step as SeriesStep};
pub use timeline::busy::{DeviceTime, Part};
pub use timeline::judge::{Decision, KernelShare, TimelineAudit, ToProfile, judge_timeline};
pub use timeline::memory::{ApiClass, ApiRow, Transfer};
pub use versus::checklist::CheckedLine;
pub use versus::common::LimiterChange;
pub use versus::estimates::{Estimates, Met as PredictionMet, Pulled};
pub use versus::expectation;
pub use versus::hypothesis::{Condition, Tested, When};
pub use versus::rewrite::OpcodeMove;
pub use versus::root::{Cause as StoryCause, Root, RootKind};
pub use versus::setting::{Setting, Weight, caches_are_flushed, clocks_are_free};
pub use versus::story::Story;
pub use versus::verdict::{
    Basis, Cause, Comparison, Course, Join, Judged, ReadingVerdict, Sample, Verdict, Whole, Why, both_agree, judge,
};
pub use wanted::{brief, want, want_for};
