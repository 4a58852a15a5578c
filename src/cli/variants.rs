//! The variants of a subject where it is collected and launched: `gemm` is the first, `gemm.wide` the one called "Wide".

use super::failure::Failure;
use crate::config::{Subject, Variant};

/// What stands between a subject and its variant; no name of a subject has it.
const BETWEEN: char = '.';

/// The subjects of names that may say a variant, each once.
pub(super) fn subjects(names: &[String]) -> Vec<String> {
    let mut bare: Vec<String> = names.iter().filter_map(|name| name.split(BETWEEN).next().map(str::to_owned)).collect();
    bare.dedup();
    bare
}

/// The builds of a subject that `names` take, with what each is called; the first is the subject's own and has no
/// variant. A subject that is named takes all of its variants with it. A program of one's own brings its own kernel, so
/// that variants are nothing to it. Errors: a variant that the subject does not have.
pub(super) fn chosen<'s>(
    subject: &'s Subject,
    names: &[String],
) -> Result<Vec<(String, Option<&'s Variant>)>, Failure> {
    let own = subject.name.as_str();
    let further = subject.variants.iter().skip(1).filter(|_| subject.collect.run.is_empty());
    let further = further.map(|variant| (format!("{own}{BETWEEN}{}", variant.slug()), Some(variant)));
    let all: Vec<(String, Option<&Variant>)> = [(own.to_owned(), None)].into_iter().chain(further).collect();
    if names.is_empty() || names.iter().any(|name| name == own) {
        return Ok(all);
    }
    let prefix = format!("{own}{BETWEEN}");
    if let Some(lost) =
        names.iter().find(|name| name.starts_with(&prefix) && all.iter().all(|(known, _)| known != *name))
    {
        let known: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
        return Err(Failure::usage(format!("{lost} is not a build of {own}\n  help: there are {}", known.join(", "))));
    }
    let is_of_it = names.iter().any(|name| name.starts_with(&prefix));
    Ok(all.into_iter().filter(|(name, _)| !is_of_it || names.contains(name)).collect())
}
