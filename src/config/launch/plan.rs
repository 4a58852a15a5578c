//! `[subject.launch]` as a whole: grid, block, cluster, dynamic shared memory, and the arguments in order.

use super::argument::ArgumentKeys;
use crate::config::ConfigError;
use crate::config::text::Text;
use audit_launch::{Argument, LaunchPlan};
use toml::Spanned;

#[derive(Default, serde::Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table `[subject.launch]`")]
pub(in crate::config) struct LaunchKeys {
    pub(in crate::config) grid: Option<Spanned<toml::Value>>,
    pub(in crate::config) block: Option<Spanned<toml::Value>>,
    pub(in crate::config) cluster: Option<Spanned<toml::Value>>,
    pub(in crate::config) dynamic_shared: Option<Spanned<toml::Value>>,
    args: Option<Spanned<Vec<ArgumentKeys>>>,
}

impl Text {
    pub(in crate::config) fn plan(&self, keys: &LaunchKeys) -> Result<Option<LaunchPlan>, ConfigError> {
        let Some(arguments) = &keys.args else { return Ok(None) };
        let needed = |value: &Option<Spanned<toml::Value>>, key: &str| {
            let help = Some(format!("add `{key}` under [subject.launch]"));
            let message = format!("a launch with arguments needs `{key}`");
            let sides = value.as_ref().map(|value| self.sides(value));
            sides.unwrap_or_else(|| Err(self.wrong(message, arguments.span(), "given here", help)))
        };
        let (grid, block) = (needed(&keys.grid, "grid")?, needed(&keys.block, "block")?);
        let mut all: Vec<Argument> = Vec::new();
        for (at, argument) in arguments.get_ref().iter().enumerate() {
            let name = argument.name.get_ref();
            if all.iter().any(|other| other.name() == name) {
                let message = format!("two arguments are called {name:?}");
                return Err(self.wrong(message, argument.name.span(), "used before", None));
            }
            all.push(self.argument(argument, at)?);
        }
        Ok(Some(LaunchPlan {
            grid,
            block,
            cluster: keys.cluster.as_ref().map(|sides| self.sides(sides)).transpose()?,
            dynamic_shared: self.shared(keys.dynamic_shared.as_ref())?,
            arguments: all,
        }))
    }

    /// Bytes of dynamic shared memory; none where none are stated.
    pub(super) fn shared(&self, value: Option<&Spanned<toml::Value>>) -> Result<u32, ConfigError> {
        let Some(value) = value else { return Ok(0) };
        let bytes = self.amount(value)?.value();
        u32::try_from(bytes).map_err(|_| self.wrong("expected bytes below 2^32".into(), value.span(), "", None))
    }

    /// One to three sides of a grid, a block or a cluster; those that are not given are one.
    pub(in crate::config) fn sides(&self, value: &Spanned<toml::Value>) -> Result<[u32; 3], ConfigError> {
        let given = self.amounts(value)?;
        let wrong = || {
            let help = Some("such as 1056, [256, 256] or [\"928256/128\", 3]".to_owned());
            self.wrong("expected one to three numbers from 1 to 2^31 - 1".into(), value.span(), "", help)
        };
        if given.is_empty() || given.len() > 3 {
            return Err(wrong());
        }
        let mut sides = [1; 3];
        for (side, amount) in sides.iter_mut().zip(given) {
            let number = u32::try_from(amount).ok().filter(|number| (1..=i32::MAX.unsigned_abs()).contains(number));
            *side = number.ok_or_else(wrong)?;
        }
        Ok(sides)
    }

    /// A number or an expression, or a list of them.
    pub(super) fn amounts(&self, value: &Spanned<toml::Value>) -> Result<Vec<u64>, ConfigError> {
        let one = |one: &toml::Value| Ok(self.amount(&Spanned::new(value.span(), one.clone()))?.value());
        match value.get_ref() {
            toml::Value::Array(all) => all.iter().map(one).collect(),
            single => Ok(vec![one(single)?]),
        }
    }
}
