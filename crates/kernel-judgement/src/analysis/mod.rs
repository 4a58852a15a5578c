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
pub use derive::occupancy::Cliff;
pub use derive::occupancy::Occupancy;
pub use derive::roofline::{Ceiling, Flag, Roofline};
pub use derive::roofline::{CeilingKind, Point};
pub use derive::stalls::{StallBasis, StallRow, StallTable};
pub use diagnose::finding::Finding;
pub use diagnose::finding::Severity;
pub use diagnose::lever::{Along, LeverCode};
pub use diagnose::lever::{Bound, Lever, LeverOrigin, Where};
pub use diagnose::{Because, Bottleneck, Confidence, Level, Unit};
pub use diagnose::{Step, TimeSplit};
pub use evidence::{Evidence, Reference, Side};
pub use evidence::{MeasuredVariant, TimedLaunches};
pub use examined::Examined;
pub use judgement::of_line;
pub use judgement::{Judgement, Role};
pub use kernel::build::Build;
pub use kernel::build::BuildRow;
pub use kernel::commands::{HIDDEN_ARGUMENTS, make_step_public, public_command, public_parts};
pub use kernel::configurations::{
    CONFIGURATION_READINGS, Configuration, configuration_rows, configurations, leave_configurations, shown,
};
pub use kernel::overview::OtherKernel;
pub use kernel::pick::Pick;
pub use kernel::pick::Rows;
pub use kernel::private::{public_path, public_text, public_words, without_home};
pub use kernel::row::{Change, Direction};
pub use kernel::row::{Performance, Row};
pub use kernel::select::{Asked, Selection, groups, short_name};
pub use kernel::select::{KernelKey, SelectionError, asked_by};
pub use kernel::stated::{Expectation, Tiles, Unreadable, Work};
pub use kernel::stated::{Foresight, Hypothesis};
pub use kernel::summary::KernelSummary;
pub use kernel::tuned::tuned;
pub use launches::{chosen_rows, leave_stated, old_launch, page_launches};
pub use launches::{page_rows, subject_launch, subject_launches};
pub use limits::Limits;
pub use lines::{
    AccessLine, LineCost, LineWaits, Listing, Place, ReasonLines, SourceLines, Spot, Waits, without_homes,
};
pub use lines::{Accesses, Counted, Pattern, Space, source_want};
pub use milestone::{Concluded, Nth, Offered};
pub use milestone::{Milestone, decided};
pub use others::OtherVerdict;
pub use others::Reported;
pub use profile::{Kernels, Profile, Reduction};
pub use results::changed::TimeOfChange;
pub use results::changed::{Doubt, Flush, TimedChange};
pub use results::columns::joined;
pub use results::columns::{Against, Joined, Matched, matched};
pub use results::floor::Impossible;
pub use results::reference::Beside;
pub use results::reference::ReferenceProfile;
pub use results::timed::Timed;
pub use results::timing::Caution;
pub use results::timing::Timing;
pub use results::trials::OtherKernelTried;
pub use results::trials::Trials;
pub use results::variants::VariantTimes;
pub use series::{Against as SeriesAgainst, Open, Problem, Series, Standing as SeriesStanding, Step as SeriesStep};
pub use timeline::busy::DeviceTime;
pub use timeline::busy::Part;
pub use timeline::judge::judge_timeline;
pub use timeline::judge::{Decision, KernelShare, TimelineAudit, ToProfile};
pub use timeline::memory::{ApiClass, ApiRow, Transfer};
pub use versus::checklist::CheckedLine;
pub use versus::common::LimiterChange;
pub use versus::estimates::Estimates;
pub use versus::estimates::{Met as PredictionMet, Pulled};
pub use versus::expectation;
pub use versus::hypothesis::{Condition, Tested, When};
pub use versus::rewrite::OpcodeMove;
pub use versus::setting::{Setting, Weight, caches_are_flushed, clocks_are_free};
pub use versus::story::{Cause as StoryCause, Story};
pub use versus::verdict::{Basis, Course, ReadingVerdict, Verdict, Whole, Why, both_agree, judge};
pub use versus::verdict::{Cause, Comparison, Join, Judged, Sample};
pub use wanted::{brief, want, want_for};
