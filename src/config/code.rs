//! The keys of audit.toml about a subject's build, its machine code, its dynamic shared memory, and the tools.

use super::launch::LaunchKeys;
use super::text::{ConfigError, Text, one_or_more};
use crate::analysis::code::{Count, LaunchShape, Resource, SassCheck, SharedPart, known_step};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use toml::Spanned;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Code {
    Source {
        /// The file, relative to the folder of audit.toml.
        path: PathBuf,
        archs: Vec<String>,
        flags: Vec<String>,
    },
    /// A cubin that was built elsewhere.
    Cubin {
        /// The file, relative to the folder of audit.toml.
        path: PathBuf,
    },
}

/// One of several builds of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    pub name: String,
    /// All flags of its compiler: the subject's, and behind them its own.
    pub flags: Vec<String>,
    /// Dynamic shared memory of its launch in bytes, where it is stated.
    pub dynamic_shared: Option<u64>,
}

impl Variant {
    /// Its name as a part of a file's name: small letters and digits, with `-` between words.
    pub fn slug(&self) -> String {
        let name = self.name.to_lowercase();
        let words: Vec<&str> =
            name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
        words.join("-")
    }
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table `[[subject.variant]]`")]
pub(super) struct VariantKeys {
    name: Spanned<String>,
    #[serde(default)]
    flags: Vec<Spanned<String>>,
    dynamic_shared: Option<Spanned<toml::Value>>,
}

/// `[tools]`: programs by name, and `cuda` for a folder of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Deserialize)]
pub struct Tools(BTreeMap<ToolKey, PathBuf>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
enum ToolKey {
    Cuda,
    Nvcc,
    Ptxas,
    Cuobjdump,
    Nvdisasm,
    Ncu,
    Nsys,
    ComputeSanitizer,
}

impl Tools {
    /// The same with relative paths taken from `folder`.
    pub(super) fn below(mut self, folder: &Path) -> Tools {
        self.0.values_mut().for_each(|path| *path = folder.join(&*path));
        self
    }

    pub fn cuda(&self) -> Option<&Path> {
        self.0.get(&ToolKey::Cuda).map(PathBuf::as_path)
    }

    pub fn named(&self) -> BTreeMap<String, PathBuf> {
        let programs = self.0.iter().filter(|(key, _)| **key != ToolKey::Cuda);
        programs.map(|(key, path)| (<&str>::from(key).to_owned(), path.clone())).collect()
    }
}

#[derive(serde::Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "a table `[[subject.check]]` of what the machine code must hold; a checklist goes into `checklists`"
)]
pub(super) struct CheckKeys {
    #[serde(default)]
    name: String,
    sass: Option<Spanned<String>>,
    sequence: Option<Spanned<Vec<String>>>,
    resource: Option<Spanned<String>>,
    gap: Option<usize>,
    count: Option<Spanned<toml::Value>>,
    #[serde(default)]
    forbid: bool,
    #[serde(rename = "in")]
    scope: Option<Spanned<String>>,
    min_width: Option<u32>,
    under_way: Option<u32>,
    #[serde(default)]
    aligned: bool,
    #[serde(default)]
    per_iteration: bool,
    #[serde(default)]
    arch: String,
    variant: Option<Spanned<String>>,
}

impl Text {
    /// Flags of the compiler, without those that audit gives itself.
    pub(super) fn flags(&self, flags: Vec<Spanned<String>>) -> Result<Vec<String>, ConfigError> {
        for flag in &flags {
            let text = flag.get_ref();
            if ["-arch", "--gpu-architecture", "-gencode", "--generate-code", "-o", "--output-file"]
                .iter()
                .any(|taken| text == taken || text.strip_prefix(taken).is_some_and(|rest| rest.starts_with('=')))
            {
                let help = Some("write the architecture under `arch`".to_owned());
                return Err(self.wrong("this flag is set by audit itself".into(), flag.span(), "", help));
            }
        }
        Ok(flags.into_iter().map(Spanned::into_inner).collect())
    }

    /// The builds of a subject with several; `code` becomes the first of them.
    pub(super) fn variants(
        &self,
        keys: Vec<VariantKeys>,
        code: &mut Option<Code>,
    ) -> Result<Vec<Variant>, ConfigError> {
        let Some(first) = keys.first().map(|keys| keys.name.span()) else { return Ok(Vec::new()) };
        let Some(Code::Source { flags: common, .. }) = code else {
            let help = Some("name the source of the builds under `source`".to_owned());
            return Err(self.wrong("variants are builds of a source".into(), first, "", help));
        };
        let mut all: Vec<Variant> = Vec::new();
        for keys in keys {
            let (name, span) = (keys.name.get_ref().trim().to_owned(), keys.name.span());
            let flags = common.iter().cloned().chain(self.flags(keys.flags)?).collect();
            let dynamic = keys.dynamic_shared.as_ref().map(|amount| self.amount(amount)).transpose()?;
            let variant = Variant { name, flags, dynamic_shared: dynamic.map(|amount| amount.value()) };
            // Folders are called by the letters and digits of the name.
            if variant.slug().is_empty() || all.iter().any(|other| other.slug() == variant.slug()) {
                return Err(self.wrong("expected a name that no other variant has".into(), span, "", None));
            }
            all.push(variant);
        }
        if let [only] = &all[..] {
            let help = Some("add another `[[subject.variant]]`, or write its flags into the subject".to_owned());
            return Err(self.wrong(format!("{:?} is the only variant", only.name), first, "", help));
        }
        common.clone_from(&all[0].flags);
        Ok(all)
    }

    /// One architecture or a list of them.
    pub(super) fn archs(&self, value: Spanned<toml::Value>) -> Result<Vec<String>, ConfigError> {
        let span = value.span();
        let arch = |value: &toml::Value| {
            let name = value.as_str().filter(|name| {
                let digits = name.strip_prefix("sm_").unwrap_or_default();
                let digits = digits.strip_suffix(['a', 'f']).unwrap_or(digits);
                digits.len() >= 2 && digits.bytes().all(|byte| byte.is_ascii_digit())
            });
            let found = value.as_str().map_or_else(|| value.type_str().to_owned(), |text| format!("{text:?}"));
            name.map(str::to_owned).ok_or_else(|| {
                let message = "expected an architecture such as \"sm_90a\"".to_owned();
                self.wrong(message, span.clone(), &format!("found {found}"), None)
            })
        };
        one_or_more(value.into_inner()).iter().map(arch).collect()
    }

    /// The variant that a check or a part of shared memory is for; empty for all.
    pub(super) fn variant(&self, name: Option<Spanned<String>>, all: &[Variant]) -> Result<String, ConfigError> {
        let Some(name) = name else { return Ok(String::new()) };
        if all.iter().any(|variant| variant.name == name.get_ref().trim()) {
            return Ok(name.get_ref().trim().to_owned());
        }
        let names: Vec<&str> = all.iter().map(|variant| variant.name.as_str()).collect();
        let found = format!("found {:?}", name.get_ref());
        let help = (!names.is_empty()).then(|| format!("the variants are {}", names.join("; ")));
        Err(self.wrong("expected a variant of the subject".into(), name.span(), &found, help))
    }

    pub(super) fn launch(&self, keys: &LaunchKeys) -> Result<LaunchShape, ConfigError> {
        let sides = |block: &Spanned<toml::Value>| {
            let sides = one_or_more(block.get_ref().clone());
            sides.iter().map(toml::Value::as_integer).collect::<Option<Vec<i64>>>()
        };
        let threads = keys.block.as_ref().map(|block| {
            let product = |sides: Vec<i64>| sides.into_iter().try_fold(1i64, i64::checked_mul);
            sides(block)
                .and_then(product)
                .and_then(|product| u32::try_from(product).ok())
                .filter(|threads| (1..=1024).contains(threads))
                .ok_or_else(|| {
                    let message = "expected 1 to 1024 threads, or the sides of a block such as [32, 8]";
                    self.wrong(message.into(), block.span(), "", None)
                })
        });
        let dynamic = keys.dynamic_shared.as_ref().map(|amount| self.amount(amount)).transpose()?;
        let along_x = keys.block.as_ref().and_then(|block| sides(block)?.first().copied());
        Ok(LaunchShape {
            threads: threads.transpose()?,
            along_x: along_x.and_then(|threads| u32::try_from(threads).ok()),
            dynamic_shared: dynamic.map(|amount| amount.value()),
            grid: keys.grid.as_ref().map(|sides| self.sides(sides)).transpose()?,
            cluster: keys.cluster.as_ref().map(|sides| Ok(self.sides(sides)?.iter().product())).transpose()?,
        })
    }

    pub(super) fn check(&self, keys: CheckKeys, variants: &[Variant]) -> Result<SassCheck, ConfigError> {
        let resource = keys.resource.as_ref().map(|name| self.parsed::<Resource>(name)).transpose()?;
        let own = [keys.sass.as_ref().map(Spanned::span), keys.sequence.as_ref().map(Spanned::span)];
        let span = own.into_iter().flatten().next().unwrap_or_default();
        let steps = match (keys.sass, keys.sequence, keys.resource) {
            (None, None, Some(_)) => Vec::new(),
            (Some(one), None, None) => vec![one.into_inner()],
            (None, Some(steps), None) if steps.get_ref().len() > 1 => steps.into_inner(),
            (None, Some(steps), None) => {
                return Err(self.wrong("a sequence has at least two steps".into(), steps.span(), "", None));
            }
            (None, None, None) => {
                let message = format!("the check {:?} names no instruction", keys.name);
                let help = "add `sass = \"STG\"`, `sequence = [...]` or `resource = \"registers\"`";
                return Err(self.wrong(message, 0..0, "", Some(help.into())));
            }
            (_, Some(steps), None) => {
                return Err(self.wrong("a check has `sass` or `sequence`, not both".into(), steps.span(), "", None));
            }
            (_, _, Some(resource)) => {
                let message = "a check of a resource names no instruction";
                return Err(self.wrong(message.into(), resource.span(), "", None));
            }
        };
        if let Some(fault) = steps.iter().find_map(|step| known_step(step).err()) {
            let help = "`audit explain` with a part of a name lists what is known".to_owned();
            return Err(self.wrong(fault, span, "no chip has this", Some(help)));
        }
        let count = match (&keys.count, keys.forbid) {
            (None, true) => Count { least: 0, most: Some(0) },
            (None, false) => Count { least: 1, most: None },
            (Some(count), true) => {
                return Err(self.wrong("`forbid` already says how many: none".into(), count.span(), "", None));
            }
            (Some(count), false) => {
                let text = match count.get_ref() {
                    toml::Value::String(text) => text.clone(),
                    other => other.to_string(),
                };
                self.parsed(&Spanned::new(count.span(), text))?
            }
        };
        Ok(SassCheck {
            name: keys.name,
            steps,
            resource,
            gap: keys.gap,
            count,
            scope: keys.scope.map(|scope| self.parsed(&scope)).transpose()?.unwrap_or_default(),
            min_width: keys.min_width,
            under_way: keys.under_way,
            aligned: keys.aligned,
            per_iteration: keys.per_iteration,
            arch: keys.arch,
            variant: self.variant(keys.variant, variants)?,
        })
    }

    pub(super) fn parsed<T: FromStr<Err: Display>>(&self, text: &Spanned<String>) -> Result<T, ConfigError> {
        text.get_ref().parse().map_err(|reason: T::Err| self.wrong(reason.to_string(), text.span(), "", None))
    }
}

/// The most parts of one kind.
const MOST: u64 = 1024;

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table `[[subject.shared]]`")]
pub(super) struct SharedKeys {
    name: String,
    at: Spanned<toml::Value>,
    bytes: Spanned<toml::Value>,
    times: Option<Spanned<toml::Value>>,
    every: Option<Spanned<toml::Value>>,
    align: Option<Spanned<toml::Value>>,
    #[serde(default)]
    mbarriers: bool,
    variant: Option<Spanned<String>>,
}

impl Text {
    pub(super) fn shared_part(&self, keys: SharedKeys, variants: &[Variant]) -> Result<SharedPart, ConfigError> {
        // Far above the memory of any chip, and far below what sums of them hold.
        let number = |value: &Spanned<toml::Value>| match self.amount(value)?.value() {
            bytes if bytes <= u64::from(u32::MAX) => Ok(bytes),
            _ => Err(self.wrong("expected bytes of shared memory".into(), value.span(), "too many", None)),
        };
        let or = |value: &Option<Spanned<toml::Value>>, default: u64| value.as_ref().map_or(Ok(default), number);
        let (at, bytes) = (number(&keys.at)?, number(&keys.bytes)?);
        let part = SharedPart {
            name: keys.name,
            at,
            bytes,
            times: or(&keys.times, 1)?,
            every: or(&keys.every, bytes)?,
            align: or(&keys.align, 1)?,
            has_mbarriers: keys.mbarriers,
            variant: self.variant(keys.variant, variants)?,
        };
        if part.bytes == 0 || part.align == 0 || !(1..=MOST).contains(&part.times) {
            let message = format!("expected bytes and `align` above 0, and `times` from 1 to {MOST}");
            return Err(self.wrong(message, keys.bytes.span(), "", None));
        }
        Ok(part)
    }
}
