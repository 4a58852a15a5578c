//! `audit completions` and `audit man`: what the arguments say of themselves, for shells and for `man`.

use super::args::{Arguments, Completions, Man};
use super::failure::Failure;
use crate::render::{Output, write_together};
use clap::CommandFactory as _;
use std::io::Write;
use std::path::PathBuf;

pub(super) fn completions(arguments: &Completions, out: &mut dyn Write) -> Result<(), Failure> {
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "audit", &mut text);
    out.write_all(&text)?;
    Ok(())
}

/// Writes `audit.1` and a page for each verb, `audit-generate.1`; prints their paths.
pub(super) fn man(arguments: &Man, out: &mut dyn Write) -> Result<(), Failure> {
    let mut pages: Vec<(PathBuf, Vec<u8>)> = Vec::new();
    let mut command = Arguments::command();
    command.build();
    collect(&command, "audit", arguments, &mut pages)?;
    let outputs: Vec<Output<'_>> = pages.iter().map(|(path, bytes)| Output { path, bytes }).collect();
    write_together(&outputs)?;
    for (path, _) in &pages {
        writeln!(out, "{}", path.display())?;
    }
    Ok(())
}

fn collect(command: &clap::Command, name: &str, to: &Man, into: &mut Vec<(PathBuf, Vec<u8>)>) -> Result<(), Failure> {
    let mut page = Vec::new();
    // `man` finds a page by its name in one word.
    clap_mangen::Man::new(command.clone().display_name(name)).render(&mut page)?;
    into.push((to.out.join(format!("{name}.1")), page));
    for verb in command.get_subcommands().filter(|verb| verb.get_name() != "help") {
        collect(verb, &format!("{name}-{}", verb.get_name()), to, into)?;
    }
    Ok(())
}
