//! `audit check --accept`: notes every comparison that did not pass as accepted, with its reason.

use super::gate::Gate;
use super::outcome::Outcome;
use super::seen::{Checked, Seen};
use crate::cli::failure::Failure;
use crate::cli::moment;
use crate::render::{Output, page_lock, write_together};
use crate::snapshot::{Accepted, AcceptedFile};

/// What is locked while acceptances are written.
const ACCEPTING: &str = "accepted.toml";

/// Notes what did not pass.
pub(super) fn accept(gate: &Gate<'_>, all: &[(Checked, Option<Seen>)]) -> Result<(), Failure> {
    let (arguments, folder) = (gate.arguments, gate.folder);
    let date = moment::date(arguments.date)?.to_string();
    // What another run accepts meanwhile is kept, and nothing is accepted twice.
    let _lock = page_lock(&folder.join(ACCEPTING))?;
    let mut files = Vec::new();
    for (checked, seen) in all.iter().filter(|(checked, _)| checked.said.outcome != Outcome::Pass) {
        let refused = |why: &str| Failure::usage(format!("{}: {why}\n  help: {}", checked.subject, checked.said.text));
        if checked.said.outcome == Outcome::Wrong {
            return Err(refused("wrong results cannot be accepted"));
        }
        let made = seen.as_ref().and_then(|seen| Some((seen, seen.made.as_ref()?)));
        let found = made.and_then(|(seen, made)| {
            let milestone = &made.snapshot.milestone;
            Some((seen, made, milestone, milestone.compared.clone()?, milestone.verdict?))
        });
        let Some((seen, made, milestone, compared, verdict)) = found else {
            return Err(refused("there is no comparison to accept"));
        };
        let mut file = AcceptedFile::read(folder, &checked.subject)?;
        if seen.record.clone().accepting(file.clone()).now().problem.is_none() && file != seen.record.accepted {
            continue;
        }
        let is_of_base = gate.told_by_base(&checked.subject, seen).is_some();
        if gate.compared(seen, made)?.outcome == Outcome::Pass && !is_of_base {
            return Err(refused("its comparison passes, and a check that fails is not accepted"));
        }
        file.accepted.push(Accepted {
            date: date.clone(),
            commit: made.heading().commit.clone(),
            verdict: verdict.word().to_owned(),
            reason: arguments.reason.clone().unwrap_or_default(),
            change: compared.change,
            audit: Some(milestone.mark()),
            new: compared.new,
            old: compared.old,
        });
        let text = file.to_toml().map_err(|error| Failure::usage(format!("it cannot be kept: {error}")))?;
        files.push((AcceptedFile::path(folder, &checked.subject), text));
    }
    let outputs: Vec<Output<'_>> = files.iter().map(|(path, text)| Output { path, bytes: text.as_bytes() }).collect();
    write_together(&outputs)?;
    Ok(())
}
