//! The judgement of `kernel_audit`: readers of evidence ([`source`]), the facts that they give ([`evidence`]), the tables of what is
//! known ([`catalog`]), and what follows from them ([`analysis`]). Nothing here makes a page or runs a tool.

pub mod analysis;
pub mod bounds;
pub mod catalog;
pub mod evidence;
pub mod merge;
pub mod nearest;
pub mod quantity;
pub mod read;
pub mod shell;
pub mod source;
pub mod words;
