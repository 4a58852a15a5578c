//! The arguments of every verb; the list of verbs and of exit statuses is `verb.rs`, how the text of a flag becomes a value
//! `value.rs`.

mod act;
mod generate;
mod judge;
mod look;
mod subject;
mod value;
mod verb;

pub(super) use act::{Collect, Completions, Doctor, Init, Launch, Lint, Man};
pub(super) use generate::{Generate, PageFormat, Render};
pub(super) use judge::{
    Baseline, BaselineVerb, Check, Compare, Folder, History, HistoryFormat, Note, PinBaseline, Resolve,
};
pub(super) use look::{Dump, DumpAnalysis, Explain, Show, Stage, Timeline};
pub(super) use subject::{SubjectFlags, chosen};
pub(super) use verb::{Arguments, Verb};
