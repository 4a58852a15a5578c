//! Keeping people, machines and what a program works on off the page. Of a command that ran under a tool, the tool's own
//! options stay and the program's file name; of a path, what does not begin at the root of a machine.

use crate::catalog::{OptionKind, tool_option};
use crate::evidence::CollectedStep;
use crate::shell::{quoted, split};
use std::borrow::Cow;
use std::sync::LazyLock;

/// What stands for the arguments of a program.
pub(crate) const HIDDEN_ARGUMENTS: &str = "<arguments>";
/// What stands for a value.
const HIDDEN: &str = "<hidden>";
/// The tools whose options are known, by their file names.
const TOOLS: [&str; 3] = ["ncu", "nv-nsight-cu-cli", "compute-sanitizer"];

/// A command line as anyone may see it: the tool with the options that [`tool_option`] knows, and the program under it
/// with the script that an interpreter runs. What goes before the tool, and what goes behind the program, is hidden; so is
/// everything from an option on that nobody knows. The arguments of `audit launch` are this program's own, and of nvcc
/// those of audit.toml.
pub(crate) fn public_command(line: &str) -> String {
    let (tool, program) = public_parts(line);
    [tool, program].concat().join(" ")
}

/// The two parts of a command line as anyone may see them, quoted for a shell: the tool with its options, each with its
/// value, and the program. The first is empty where no tool is known, the second where nothing of it may be shown.
pub(crate) fn public_parts(line: &str) -> (Vec<String>, Vec<String>) {
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

/// Whether a word is the name of a module.
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

/// The last part of a path of any system.
fn file_name(path: &str) -> &str {
    let path = path.trim_end_matches(['/', '\\']);
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// A path as anyone may see it: the last part of one that begins at the root of a machine or at a host, that leads through a
/// home, or that leaves its folder for what nobody knows.
pub(crate) fn public_path(path: &str) -> String {
    let bytes = path.as_bytes();
    let is_drive =
        bytes.len() > 2 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':' && matches!(bytes[2], b'/' | b'\\');
    let is_rooted = path.starts_with(['/', '\\', '~']) || is_drive;
    let leaves = path.split(['/', '\\']).any(|part| part == "..");
    let is_of_a_machine = is_rooted || leaves || path.contains("://") || homes(path).is_some_and(|h| h.is_match(path));
    if is_of_a_machine { file_name(path).to_owned() } else { path.to_owned() }
}

/// A word of a command, whole or behind the name of an option (`-I/usr/include`, `--path=/x`), with its path as anyone may
/// see it; quoted where a shell needs that.
fn public_word(word: &str) -> String {
    let start = match word.find(['/', '\\', '~']) {
        None => return quoted(word),
        Some(_) if word.starts_with("--") || word.contains('=') => word.find('=').map_or(0, |at| at + 1),
        Some(_) if word.starts_with('-') => 2,
        Some(_) => 0,
    };
    quoted(&format!("{}{}", &word[..start], public_path(&word[start..])))
}

/// A command of this program, or of a compiler, with its paths as anyone may see them.
pub(crate) fn public_words(line: &str) -> String {
    split(line).iter().map(|word| public_word(word)).collect::<Vec<_>>().join(" ")
}

/// A sentence with the paths in it as anyone may see them, and without names.
pub(crate) fn public_text(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut before = ' ';
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let is_start =
            !(before.is_alphanumeric() || matches!(before, '/' | '.' | '-' | '_' | '~' | ':' | '\\' | '*' | ')'));
        let drive = rest.as_bytes().get(1..3).is_some_and(|next| next == b":\\") && c.is_ascii_alphabetic();
        let end = rest.find(|c: char| c.is_whitespace() || "\"'`()<>,;|".contains(c)).unwrap_or(rest.len());
        let word = &rest[..end];
        if is_start
            && (drive || matches!(c, '/' | '~'))
            && word[1..].contains(['/', '\\'])
            && !word.starts_with("/*")
            && !word.starts_with("//")
        {
            shown.push_str(file_name(word));
            before = 'x';
            rest = &rest[end..];
            continue;
        }
        shown.push(c);
        before = c;
        rest = &rest[c.len_utf8()..];
    }
    without_names(&shown)
}

/// A step of a collection as anyone may see it.
pub(crate) fn make_step_public(step: &mut CollectedStep) {
    step.command = public_command(&step.command);
    step.why = public_text(&step.why);
    step.remarks.iter_mut().for_each(|remark| *remark = public_text(remark));
}

/// What is replaced in a text, in this order: what a text needs for the pattern to match it, the pattern, and by what.
/// Compiling a pattern costs more than all else that is done to a text, so that what it needs is looked for by hand.
/// `$1` is what stands before and stays.
const REPLACED: [(Needs, &str, &str); 6] = [
    // The value of a variable that is set for the program: `TOKEN=…`, `-eTOKEN=…`.
    (has_variable, r#"(^|[\s"';])([A-Z_][A-Z0-9_]*)=("[^"]*"|'[^']*'|[^\s"';]+)"#, "$1$2=<hidden>"),
    // The host that is asked for by name.
    (
        |text| ["--host", "--node", "--server", "--user", "--login"].iter().any(|word| text.contains(word)),
        r"(--(?:hostname|host|node|nodelist|server|user|username|login)(?:=|\s+))[^\s]+",
        "${1}<hidden>",
    ),
    // user@host, and mail addresses.
    (|text| text.contains('@'), r"[A-Za-z0-9._%+-]+@[A-Za-z0-9][A-Za-z0-9.-]*", "<hidden>"),
    // The host of a URL.
    (|text| text.contains("://"), r"([a-z][a-z0-9+]*://)[^/\s]+", "${1}<hidden>"),
    // IPv4 addresses.
    (has_three_dots, r"(?-u:\b)[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}(?-u:\b)", "<hidden>"),
    // Hardware and IPv6 addresses of four groups or more.
    (|text| text.contains(':'), r"(?-u:\b)(?:[0-9a-fA-F]{1,4}:){3,7}:?[0-9a-fA-F]{1,4}(?-u:\b)", "<hidden>"),
];

/// Whether a pattern may match a text; where it cannot, the pattern is not compiled.
type Needs = fn(&str) -> bool;

/// An equals sign behind what a variable's name ends in.
fn has_variable(text: &str) -> bool {
    let ends_name = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_';
    text.as_bytes().windows(2).any(|pair| ends_name(pair[0]) && pair[1] == b'=')
}

/// Three dots with nothing but digits between them.
fn has_three_dots(text: &str) -> bool {
    let mut numbers = text.split(|c: char| c != '.' && !c.is_ascii_digit());
    numbers.any(|number| number.bytes().filter(|b| *b == b'.').count() >= 3)
}

/// The patterns, each compiled when the first text needs it.
static PATTERNS: [LazyLock<Option<regex::Regex>>; REPLACED.len()] = [
    LazyLock::new(|| compiled(0)),
    LazyLock::new(|| compiled(1)),
    LazyLock::new(|| compiled(2)),
    LazyLock::new(|| compiled(3)),
    LazyLock::new(|| compiled(4)),
    LazyLock::new(|| compiled(5)),
];

fn compiled(at: usize) -> Option<regex::Regex> {
    regex::Regex::new(REPLACED[at].1).ok()
}

/// One of these is in every text with a home folder.
const HOME_FOLDERS: [&str; 5] = ["/home/", "/Users/", "/users/", "/root", ":\\Users\\"];

/// Home folders of any user, as they appear in paths; the group is the user's name.
static HOMES: LazyLock<Option<regex::Regex>> = LazyLock::new(|| {
    regex::Regex::new(
        r#"(?:/(?:home|Users|export/home|var/home|users)/([^/\s"']+)|/root\b|[A-Za-z]:\\Users\\([^\\\s"']+))"#,
    )
    .ok()
});

/// A path or command line with home folders written as `~`.
pub(crate) fn without_home(text: &str) -> String {
    homes(text).map_or_else(|| text.to_owned(), |homes| homes.replace_all(text, "~").into_owned())
}

/// What finds the home folders of a text, where it may have any.
fn homes(text: &str) -> Option<&'static regex::Regex> {
    if HOME_FOLDERS.iter().any(|folder| text.contains(folder)) { HOMES.as_ref() } else { None }
}

/// A text as it may be shown to anyone: home folders as `~`, and the names of their owners, values of environment
/// variables, hosts and addresses as `<hidden>`.
fn without_names(text: &str) -> String {
    let mut owners: Vec<String> = Vec::new();
    for found in homes(text).into_iter().flat_map(|homes| homes.captures_iter(text)) {
        owners.extend(found.iter().skip(1).flatten().map(|owner| owner.as_str().to_owned()));
    }
    let mut shown = without_home(text);
    for owner in owners {
        shown = without_word(&shown, &owner);
    }
    for ((needs, _, with), pattern) in REPLACED.iter().zip(&PATTERNS) {
        if !needs(&shown) {
            continue;
        }
        if let Some(Cow::Owned(changed)) = pattern.as_ref().map(|pattern| pattern.replace_all(&shown, *with)) {
            shown = changed;
        }
    }
    shown
}

/// Every occurrence of `word` that no letter or digit touches, hidden.
fn without_word(text: &str, word: &str) -> String {
    let pattern = format!(r"(^|[^A-Za-z0-9]){}($|[^A-Za-z0-9])", regex::escape(word));
    match regex::Regex::new(&pattern) {
        // Twice, because neighbours share the character between them.
        Ok(found) => {
            let once = found.replace_all(text, "${1}<hidden>${2}").into_owned();
            found.replace_all(&once, "${1}<hidden>${2}").into_owned()
        }
        Err(_) => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_is_valid() {
        assert_eq!(PATTERNS.len(), REPLACED.len());
        assert!(HOMES.is_some());
    }

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

    #[test]
    fn paths_lose_what_is_of_a_machine() {
        for (given, shown) in [
            ("/scratch/dave/x.ncu-rep", "x.ncu-rep"),
            ("D:\\work\\greg\\y", "y"),
            ("~ian/z", "z"),
            ("a/b", "a/b"),
            ("../c", "c"),
            ("a/home/alice/rep", "rep"),
            ("../../home/alice/rep", "rep"),
            ("a/../../home/alice/rep", "rep"),
            ("..\\..\\Users\\alice\\rep", "rep"),
            ("file:///home/alice/r", "r"),
        ] {
            assert_eq!(public_path(given), shown);
        }
        for (given, shown) in [
            ("ptxas /scratch/dave/a.ptx, line 14; warning", "ptxas a.ptx, line 14; warning"),
            ("Connected to process 7 (/nfs/homes/frank/app)", "Connected to process 7 (app)"),
            ("in 'C:\\work\\greg\\a.cu' and ~ian/b.cu", "in 'a.cu' and b.cu"),
            ("5 / 7 and a/b and ~5 %, 12 B/s, ../x/y", "5 / 7 and a/b and ~5 %, 12 B/s, ../x/y"),
        ] {
            assert_eq!(public_text(given), shown);
        }
    }

    #[test]
    fn home_folders_do_not_reach_a_page() {
        assert_eq!(without_home("ncu -o /home/ann/x /Users/bo/y C:\\Users\\cy\\z"), "ncu -o ~/x ~/y ~\\z");
    }

    #[test]
    fn names_of_people_and_machines_do_not_either() {
        for (given, shown) in [
            ("ncu -o /home/ann/x --tag ann-1 ./app", "ncu -o ~/x --tag <hidden>-1 ./app"),
            ("env API_KEY=s3cret LD=\"a b\" ncu ./app N=4", "env API_KEY=<hidden> LD=<hidden> ncu ./app N=<hidden>"),
            ("ncu --hostname gpu07 --mode attach", "ncu --hostname <hidden> --mode attach"),
            ("scp bo@gpu07.lab:x ssh://gpu07/x 10.1.2.3", "scp <hidden>:x ssh://<hidden>/x <hidden>"),
            ("ncu --metrics a__b.sum --set full -o g ./app 512", "ncu --metrics a__b.sum --set full -o g ./app 512"),
            (
                "ncu --cache-control=none --kernel-name regex:^k ./app",
                "ncu --cache-control=none --kernel-name regex:^k ./app",
            ),
        ] {
            assert_eq!(without_names(given), shown);
        }
    }
}
