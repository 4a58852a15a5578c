//! `audit completions` and `audit man`: what the arguments say of themselves, for shells and for `man`.

use super::args::{Arguments, Completions, Folder, Man};
use super::{Failure, plan};
use crate::render::{Output, write_together};
use clap::CommandFactory as _;
use clap_complete::Shell;
use std::io::Write;
use std::path::PathBuf;

pub(super) fn completions(arguments: &Completions, out: &mut dyn Write) -> Result<(), Failure> {
    let Some(shell) = arguments.shell else {
        let config = plan::config_of(&Folder::default())?;
        for subject in config.iter().flat_map(|config| &config.subjects) {
            writeln!(out, "{}", subject.name)?;
        }
        return Ok(());
    };
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "audit", &mut text);
    let text = String::from_utf8_lossy(&text);
    match shell {
        Shell::Bash => write!(out, "{text}{BASH}")?,
        // What stands for a subject is described by its help; these are the positional ones.
        Shell::Zsh => write!(out, "{}{ZSH}", with_subjects(&text))?,
        Shell::Fish => write!(out, "{text}{FISH}")?,
        _ => write!(out, "{text}")?,
    }
    Ok(())
}

/// Behind clap's completions for bash: the names of subjects where a verb takes them.
const BASH: &str = r#"
_audit_with_subjects() {
    _audit "$@"
    case "${COMP_WORDS[1]}" in
        generate|check|collect|history|launch|baseline)
            if [[ "${COMP_WORDS[COMP_CWORD]}" != -* ]]; then
                COMPREPLY+=($(compgen -W "$(audit completions --subjects 2>/dev/null)" -- "${COMP_WORDS[COMP_CWORD]}"))
            fi
            ;;
    esac
}
complete -F _audit_with_subjects -o nosort -o bashdefault -o default audit
"#;

/// The same for fish.
const FISH: &str = r#"
complete -c audit -n "__fish_seen_subcommand_from generate check collect history launch baseline" -f -a "(audit completions --subjects 2>/dev/null)"
"#;

/// The function that clap's completions for zsh call where a subject stands.
const ZSH: &str = r#"
_audit_subjects() {
    local -a subjects
    subjects=(${(f)"$(audit completions --subjects 2>/dev/null)"})
    compadd -a subjects
}
"#;

/// Completions for zsh in which positional arguments called subject ask for the names.
fn with_subjects(text: &str) -> String {
    let line = |line: &str| {
        let is_subject = ["'::subject", "':subject", "'*::subjects", "':name -- The subject"]
            .iter()
            .any(|start| line.trim_start().starts_with(start));
        if is_subject { line.replace(":_default'", ":_audit_subjects'") } else { line.to_owned() }
    };
    text.lines().map(|text| line(text) + "\n").collect()
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
