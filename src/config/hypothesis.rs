//! `[[subject.hypothesis]]`: what a change was expected to do.

use super::ConfigError;
use super::text::Text;
use crate::analysis::code::SassCheck;
use crate::analysis::{Expectation, Hypothesis};
use crate::catalog::{CHECK, Operator};
use crate::nearest::nearest;
use toml::Spanned;

#[derive(serde::Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "a table `[[subject.hypothesis]]` with `name` and `after`, a list of statements such as `\"opcode.LDG < 1000\"`"
)]
pub(super) struct HypothesisKeys {
    name: Spanned<String>,
    #[serde(default)]
    change: String,
    #[serde(default)]
    before: Vec<Spanned<String>>,
    after: Vec<Spanned<String>>,
}

impl Text {
    /// The hypotheses of a subject with these checks.
    pub(super) fn hypotheses(
        &self,
        keys: Vec<HypothesisKeys>,
        checks: &[SassCheck],
    ) -> Result<Vec<Hypothesis>, ConfigError> {
        let mut all: Vec<Hypothesis> = Vec::new();
        for keys in keys {
            let name = keys.name.get_ref().trim().to_owned();
            if name.is_empty() || all.iter().any(|other| other.name == name) {
                let message = format!("a hypothesis needs a name of its own, found {name:?}");
                return Err(self.wrong(message, keys.name.span(), "", None));
            }
            if keys.after.is_empty() {
                let help = Some("say what is expected, such as after = [\"stall.barrier < 1\"]".to_owned());
                return Err(self.wrong(
                    "a hypothesis predicts something".into(),
                    keys.name.span(),
                    "`after` is empty",
                    help,
                ));
            }
            let conditions = |texts: &[Spanned<String>]| {
                texts.iter().map(|text| self.condition(text, checks)).collect::<Result<Vec<Expectation>, ConfigError>>()
            };
            let (before, after) = (conditions(&keys.before)?, conditions(&keys.after)?);
            all.push(Hypothesis { name, change: keys.change, before, after, ..Hypothesis::default() });
        }
        Ok(all)
    }

    fn condition(&self, text: &Spanned<String>, checks: &[SassCheck]) -> Result<Expectation, ConfigError> {
        let plain = text.get_ref().trim();
        let is_known = |name: &str| checks.iter().any(|check| check.name == name);
        let condition = match plain.strip_prefix(CHECK) {
            Some(name) if !name.contains(['<', '>', '=', '!']) || is_known(name.trim()) => {
                Expectation::own(&format!("{CHECK}{}", name.trim()), Operator::Equal, 1.0, None)
            }
            _ => plain.parse().map_err(|reason: String| self.wrong(reason, text.span(), "", None))?,
        };
        let Some(name) = condition.reading.strip_prefix(CHECK) else {
            self.reading(&condition.reading, text.span())?;
            return Ok(condition);
        };
        if is_known(name) {
            return Ok(condition);
        }
        let near = nearest(name, checks.iter().map(|check| check.name.as_str()));
        let help = match near {
            Some(near) => format!("did you mean {CHECK}{near}?"),
            None => "name one of its [[subject.check]]".to_owned(),
        };
        Err(self.wrong(format!("the subject has no check called {name:?}"), text.span(), "unknown", Some(help)))
    }
}
