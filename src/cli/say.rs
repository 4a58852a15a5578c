//! The one way of a line to the error stream, on which nothing acts that came with data.

use super::Failure;
use crate::plain;
use std::fmt::Display;
use std::io::Write as _;

/// Writes a message with a line end. What its data would do to a terminal, or to the service that reads the log, is
/// shown and not done.
pub(super) fn say(message: impl Display) -> Result<(), Failure> {
    Ok(writeln!(anstream::stderr(), "{}", plain::message(&message.to_string()))?)
}

/// The same for what goes on where nobody reads.
pub(super) fn mention(message: impl Display) {
    let _ = say(message);
}
