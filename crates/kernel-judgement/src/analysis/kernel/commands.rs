//! Command lines as anyone may see them: of one that ran under a tool, the tool's own options stay, and the program with the
//! script that an interpreter runs; what a program works on is hidden.

use super::private::{file_name, public_path, public_text, public_word, without_names};
use crate::catalog::{OptionKind, tool_option};
use crate::evidence::CollectedStep;
use crate::shell::{quoted, split};

/// What stands for the arguments of a program.
pub const HIDDEN_ARGUMENTS: &str = "<arguments>";
/// What stands for a value.
const HIDDEN: &str = "<hidden>";
/// The tools whose options are known, by their file names.
const TOOLS: [&str; 3] = ["ncu", "nv-nsight-cu-cli", "compute-sanitizer"];

/// A command line as anyone may see it: the tool with the options that [`tool_option`] knows, and the program under it with the
/// script that an interpreter runs. What goes before the tool, and what goes behind the program, is hidden; so is everything from an
/// option on that nobody knows. The arguments of `audit launch` are this program's own, and of nvcc those of audit.toml.
pub fn public_command(line: &str) -> String {
    let (tool, program) = public_parts(line);
    [tool, program].concat().join(" ")
}

/// The two parts of a command line as anyone may see them, quoted for a shell: the tool with its options, each with its
/// value, and the program. The first is empty where no tool is known, the second where nothing of it may be shown.
pub fn public_parts(line: &str) -> (Vec<String>, Vec<String>) {
    let words: Vec<String> = split(line);
    let (mut tool, mut shown) = (Vec::new(), Vec::new());
    let program = match words.iter().position(|word| TOOLS.contains(&tool_name(word))) {
        Some(at) => {
            tool.push(tool_name(&words[at]).to_owned());
            options(&words[at + 1..], &mut tool, [OptionKind::Flag, OptionKind::Value, OptionKind::File])
        }
        None => {
            let own = words.windows(2).position(|pair| tool_name(&pair[0]) == "audit" && pair[1] == "launch");
            let program = own.or_else(|| words.iter().position(|word| !word.contains('=')));
            program.map_or(&[][..], |at| &words[at..])
        }
    };
    match program {
        [] => {}
        [tool, arguments @ ..] if tool_name(tool) == "nvcc" => {
            shown.push("nvcc".to_owned());
            shown.extend(arguments.iter().map(|word| public_word(word)));
        }
        [own, verb, subject, arguments @ ..] if tool_name(own) == "audit" && verb == "launch" => {
            shown.extend(["audit".to_owned(), verb.clone(), quoted(subject)]);
            let own = [OptionKind::OwnFlag, OptionKind::OwnValue, OptionKind::OwnFile];
            let rest = options(arguments, &mut shown, own);
            shown.extend((!rest.is_empty()).then(|| HIDDEN_ARGUMENTS.to_owned()));
        }
        [hidden] if hidden == HIDDEN_ARGUMENTS => shown.push(hidden.clone()),
        [program, arguments @ ..] => {
            shown.push(quoted(&public_path(program)));
            let rest = script(program, arguments, &mut shown);
            shown.extend((!rest.is_empty()).then(|| HIDDEN_ARGUMENTS.to_owned()));
        }
    }
    (tool, shown)
}

/// Shows the script or the module that Python runs, which is the program that somebody wrote. Gives the words behind it.
fn script<'w>(program: &str, arguments: &'w [String], shown: &mut Vec<String>) -> &'w [String] {
    match arguments {
        [flag, module, rest @ ..] if is_python(program) && flag == "-m" && is_module(module) => {
            shown.extend([flag.clone(), module.clone()]);
            rest
        }
        [script, rest @ ..] if is_python(program) && script.ends_with(".py") => {
            shown.push(quoted(&public_path(script)));
            rest
        }
        _ => arguments,
    }
}

/// Whether a program is an interpreter of Python, by its name.
fn is_python(program: &str) -> bool {
    let version = tool_name(program).strip_prefix("python");
    version.is_some_and(|version| version.chars().all(|c| c.is_ascii_digit() || c == '.'))
}

fn is_module(word: &str) -> bool {
    word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.')
}

/// Shows the options at the beginning of some words that are of three kinds: without a value, with one, with a file. Gives
/// the words behind them; none behind an option that is of no kind.
fn options<'w>(words: &'w [String], shown: &mut Vec<String>, kinds: [OptionKind; 3]) -> &'w [String] {
    let [flag, value, file] = kinds;
    let mut rest = words;
    while let Some((word, after)) = rest.split_first().filter(|(word, _)| word.starts_with('-') && word.len() > 1) {
        rest = after;
        if word == "--" {
            break;
        }
        let (name, attached) = match word.split_once('=').filter(|_| word.starts_with("--")) {
            Some((name, value)) => (name, Some(value)),
            // `-c1` is `-c 1`.
            None if !word.starts_with("--") && word.is_char_boundary(2) && word.len() > 2 => {
                (&word[..2], Some(&word[2..]))
            }
            None => (word.as_str(), None),
        };
        let kind = tool_option(name);
        if kind == Some(flag) {
            shown.push(name.to_owned());
            continue;
        }
        let known = kind.filter(|kind| [value, file, OptionKind::Hidden].contains(kind));
        let given = attached.or_else(|| rest.first().map(String::as_str));
        let (Some(kind), Some(given)) = (known, given) else {
            shown.push(HIDDEN_ARGUMENTS.to_owned());
            return &[];
        };
        if attached.is_none() {
            rest = &rest[1..];
        }
        let given = match kind {
            OptionKind::Hidden => HIDDEN.to_owned(),
            kind if kind == file => quoted(&public_path(given)),
            _ => quoted(&without_names(given)),
        };
        let joint = if word.starts_with("--") && attached.is_some() { "=" } else { " " };
        shown.push(format!("{name}{joint}{given}"));
    }
    rest
}

/// The file name of a word, without the ending of Windows.
fn tool_name(word: &str) -> &str {
    let name = file_name(word);
    name.strip_suffix(".exe").unwrap_or(name)
}

/// The metrics that a command line of ncu asks for by name, as it lists them; `None` where it names at most one.
pub(in crate::analysis) fn listed(command_line: &str) -> Option<&str> {
    let (_, rest) = command_line.split_once(" --metrics ")?;
    rest.split(' ').next().filter(|list| list.contains(','))
}

/// Metrics of a command line that are kept by name.
const LISTED: usize = 8;

/// A command line of ncu with a long list of metrics as their number: the readings and those that are said to be missing name them.
pub(in crate::analysis) fn with_counted_list(command_line: &str) -> String {
    match listed(command_line).map(|list| (list, list.split(',').count())) {
        Some((list, count)) if count > LISTED => command_line.replacen(list, &format!("'<{count} metrics>'"), 1),
        _ => command_line.to_owned(),
    }
}

/// A step of a collection as anyone may see it; its report has the command with the whole list of metrics.
pub fn make_step_public(step: &mut CollectedStep) {
    step.command = with_counted_list(&public_command(&step.command));
    step.why = public_text(&step.why);
    step.remarks.iter_mut().for_each(|remark| *remark = public_text(remark));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_command_the_tools_own_options_stay_and_the_programs_name() {
        for (given, shown) in [
            (
                "/opt/nvidia/ncu --set full -k regex:^a$ -c1 -f -o /scratch/dave/r ./app --token=hf_x 7",
                "ncu --set full -k 'regex:^a$' -c 1 -f -o r ./app <arguments>",
            ),
            (
                "ncu --set=full --clock-control none python3 train.py --api-key sk-1",
                "ncu --set=full --clock-control none python3 train.py <arguments>",
            ),
            ("ncu -o x /usr/bin/python3.12 -m pkg.bench", "ncu -o x python3.12 -m pkg.bench"),
            ("ncu python /home/erin/run.py", "ncu python run.py"),
            ("ncu python -c 'token.py'", "ncu python <arguments>"),
            ("ncu python -m token=x", "ncu python <arguments>"),
            ("ncu ./pythonic a.py", "ncu ./pythonic <arguments>"),
            ("C:\\tools\\ncu.exe --export D:\\work\\greg\\x.ncu-rep app.exe", "ncu --export x.ncu-rep app.exe"),
            ("ncu --hostname gpu17 --mode attach", "ncu --hostname <hidden> --mode attach"),
            ("env KEY=1 srun --nodelist n7 ncu -o x sh -c \"./a --password p; ./b\"", "ncu -o x sh <arguments>"),
            ("ncu --something-new s3cret --set full ./app", "ncu <arguments>"),
            ("ncu -o x -- ./app -o y", "ncu -o x ./app <arguments>"),
            ("ncu --nvtx --nvtx-include dave@host/ ./app", "ncu --nvtx --nvtx-include <hidden> ./app"),
            ("ncu --metrics a__b.sum,c__d.avg --export", "ncu --metrics a__b.sum,c__d.avg <arguments>"),
            ("/scratch/dave/app --token x", "app <arguments>"),
            ("TOKEN=x ./app", "./app"),
            ("ncu -o ../../home/alice/rep ./app", "ncu -o rep ./app"),
            ("ncu -o file:///home/alice/r ./app", "ncu -o r ./app"),
            ("nvcc -I../../home/alice/inc a.cu", "nvcc -Iinc a.cu"),
            (
                "ncu -c 1 /opt/audit launch atomics --cubin /tmp/x/build.cubin --times 0",
                "ncu -c 1 audit launch atomics --cubin build.cubin --times 0",
            ),
            (
                "audit launch atomics --cubin kept/build.cubin --check --json-to c.json --secret x",
                "audit launch atomics --cubin kept/build.cubin --check --json-to c.json <arguments>",
            ),
            (
                "nvcc -cubin -arch=sm_90a -I/scratch/dave/include -Iinclude --options-file=/home/x/f -o a.cubin kernels/a.cu",
                "nvcc -cubin -arch=sm_90a -Iinclude -Iinclude --options-file=f -o a.cubin kernels/a.cu",
            ),
            ("", ""),
        ] {
            assert_eq!(public_command(given), shown, "{given}");
            assert_eq!(public_command(&public_command(given)), public_command(given), "{given}");
        }
    }
}
