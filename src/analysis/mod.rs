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

pub(crate) use artefact::Artefact;
pub use audit::{Audit, audit};
pub use changed::Changed;
pub(crate) use compared::{Compared, Mark, Measured, near};
pub(crate) use correctness::{Fault, Standing, Void};
pub(crate) use derive::mix::OpcodeRow;
pub(crate) use derive::occupancy::Cliff;
pub use derive::occupancy::Occupancy;
pub use derive::roofline::{Ceiling, Flag, Roofline};
pub(crate) use derive::roofline::{CeilingKind, Point};
pub(crate) use derive::stalls::{StallBasis, StallRow, StallTable};
pub(crate) use diagnose::finding::Finding;
pub use diagnose::finding::Severity;
pub(crate) use diagnose::lever::{Along, LeverCode};
pub use diagnose::lever::{Bound, Lever, LeverOrigin, Where};
pub use diagnose::{Because, Bottleneck, Confidence, Level, Unit};
pub(crate) use diagnose::{Step, TimeSplit};
pub use evidence::{Evidence, Reference, Side};
pub(crate) use evidence::{MeasuredVariant, TimedLaunches};
pub use examined::Examined;
pub(crate) use judgement::of_line;
pub use judgement::{Judgement, Role};
pub use kernel::build::Build;
pub(crate) use kernel::build::BuildRow;
pub(crate) use kernel::commands::{HIDDEN_ARGUMENTS, make_step_public, public_command, public_parts};
pub(crate) use kernel::configurations::{
    CONFIGURATION_READINGS, Configuration, configuration_rows, configurations, leave_configurations, shown,
};
pub use kernel::overview::OtherKernel;
pub(crate) use kernel::pick::Pick;
pub use kernel::pick::Rows;
pub(crate) use kernel::private::{public_path, public_text, public_words, without_home};
pub(crate) use kernel::row::{Change, Direction};
pub use kernel::row::{Performance, Row};
pub use kernel::select::{Asked, Selection, groups, short_name};
pub(crate) use kernel::select::{KernelKey, SelectionError, asked_by};
pub use kernel::stated::{Expectation, Tiles, Unreadable, Work};
pub(crate) use kernel::stated::{Foresight, Hypothesis};
pub use kernel::summary::KernelSummary;
pub(crate) use kernel::tuned::tuned;
pub(crate) use launches::{chosen_rows, leave_stated, old_launch, page_launches};
pub use launches::{page_rows, subject_launch, subject_launches};
pub use limits::Limits;
pub(crate) use lines::{
    AccessLine, LineCost, LineWaits, Listing, Place, ReasonLines, SourceLines, Spot, Waits, without_homes,
};
pub use lines::{Accesses, Counted, Pattern, Space, source_want};
pub(crate) use milestone::{Concluded, Nth, Offered};
pub use milestone::{Milestone, decided};
pub(crate) use others::OtherVerdict;
pub use others::Reported;
pub use profile::{Kernels, Profile, Reduction};
pub use results::changed::TimeOfChange;
pub(crate) use results::changed::{Doubt, Flush, TimedChange};
pub use results::columns::joined;
pub(crate) use results::columns::{Against, Joined, Matched, matched};
pub(crate) use results::floor::Impossible;
pub use results::reference::Beside;
pub(crate) use results::reference::ReferenceProfile;
pub(crate) use results::timed::Timed;
pub use results::timing::Caution;
pub(crate) use results::timing::Timing;
pub(crate) use results::trials::OtherKernelTried;
pub use results::trials::Trials;
pub(crate) use results::variants::VariantTimes;
pub(crate) use series::{
    Against as SeriesAgainst, Open, Problem, Series, Standing as SeriesStanding, Step as SeriesStep,
};
pub(crate) use timeline::busy::DeviceTime;
pub use timeline::busy::Part;
pub use timeline::judge::judge_timeline;
pub(crate) use timeline::judge::{Decision, KernelShare, TimelineAudit, ToProfile};
pub(crate) use timeline::memory::{ApiClass, ApiRow, Transfer};
pub(crate) use versus::checklist::CheckedLine;
pub use versus::common::LimiterChange;
pub(crate) use versus::estimates::Estimates;
pub use versus::estimates::{Met as PredictionMet, Pulled};
pub(crate) use versus::expectation;
pub(crate) use versus::hypothesis::{Condition, Tested, When};
pub use versus::rewrite::OpcodeMove;
pub(crate) use versus::setting::{Setting, Weight, caches_are_flushed, clocks_are_free};
pub(crate) use versus::story::{Cause as StoryCause, Story};
pub use versus::verdict::{Basis, Course, ReadingVerdict, Verdict, Whole, Why, both_agree, judge};
pub(crate) use versus::verdict::{Cause, Comparison, Join, Judged, Sample};
pub use wanted::{brief, want, want_for};
