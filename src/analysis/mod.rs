//! Judgement: from evidence to panels, findings and levers.

pub mod sass;
