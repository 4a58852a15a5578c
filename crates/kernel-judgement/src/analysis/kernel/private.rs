//! Keeping people and machines off the page: of a path stays what does not begin at the root of a machine.

use crate::shell::{quoted, split};
use regex::Regex;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// The last part of a path of any system.
pub(super) fn file_name(path: &str) -> &str {
    let path = path.trim_end_matches(['/', '\\']);
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// A path as anyone may see it: the last part of one that begins at the root of a machine, at a host or at a variable of its
/// shell, that leads through a home, or that leaves its folder for what nobody knows.
pub fn public_path(path: &str) -> String {
    let bytes = path.as_bytes();
    let is_drive =
        bytes.len() > 2 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':' && matches!(bytes[2], b'/' | b'\\');
    let is_rooted = path.starts_with(['/', '\\', '~', '$', '%']) || is_drive;
    let leaves = path.split(['/', '\\']).any(|part| part == "..");
    let is_of_a_machine = is_rooted || leaves || path.contains("://") || homes(path).is_some_and(|h| h.is_match(path));
    if is_of_a_machine { last_part(path) } else { path.to_owned() }
}

/// The last part of a path of a machine; of a home folder `~`, and not whose it is.
fn last_part(path: &str) -> String {
    let path = without_home(path);
    let name = file_name(&path);
    if name.starts_with('~') { "~".to_owned() } else { name.to_owned() }
}

/// A word of a command, whole or behind the name of an option (`-I/usr/include`, `--path=/x`), with its path as anyone may
/// see it; quoted where a shell needs that.
pub(super) fn public_word(word: &str) -> String {
    let start = match word.find(['/', '\\', '~']) {
        None => return quoted(word),
        Some(_) if word.starts_with("--") || word.contains('=') => word.find('=').map_or(0, |at| at + 1),
        Some(_) if word.starts_with('-') => 2,
        Some(_) => 0,
    };
    quoted(&format!("{}{}", &word[..start], public_path(&word[start..])))
}

/// A command of this program, or of a compiler, with its paths as anyone may see them.
pub fn public_words(line: &str) -> String {
    split(line).iter().map(|word| public_word(word)).collect::<Vec<_>>().join(" ")
}

/// A sentence with the paths in it as anyone may see them, and without names.
pub fn public_text(text: &str) -> String {
    let is_end = |c: char| c.is_whitespace() || "\"'`()<>,;|".contains(c);
    let mut shown = String::with_capacity(text.len());
    let mut before = ' ';
    for piece in text.split_inclusive(is_end) {
        let word = piece.trim_end_matches(is_end);
        let (mut last, slash) = (before, word.rfind(['/', '\\']));
        let start = word.char_indices().find(|(at, c)| {
            let touched = std::mem::replace(&mut last, *c);
            let is_start = !(touched.is_alphanumeric() || "/.-_~:\\*)".contains(touched));
            is_start && slash > Some(*at) && is_root(&word[*at..])
        });
        match start {
            Some((at, _)) => shown.extend([&word[..at], &last_part(&word[at..])]),
            None => shown.push_str(word),
        }
        shown.push_str(&piece[word.len()..]);
        before = piece.chars().next_back().unwrap_or(' ');
    }
    hidden(&shown, owners(text))
}

/// Whether a word begins as a path of a machine, and not as a comment of C or a price.
fn is_root(word: &str) -> bool {
    let mut chars = word.chars();
    match (chars.next(), chars.next()) {
        (Some('/'), next) => !matches!(next, Some('/' | '*')),
        (Some('~'), _) => true,
        (Some('$'), next) => next.is_some_and(|next| next.is_ascii_alphabetic() || next == '{'),
        (Some(drive), Some(':')) => drive.is_ascii_alphabetic() && chars.next() == Some('\\'),
        _ => false,
    }
}

/// What is replaced in a text, in this order: what a text needs for the pattern to match it, the pattern, and by what.
/// Compiling a pattern costs more than all else that is done to a text, so that what it needs is looked for by hand.
/// `$1` is what stands before and stays.
static REPLACED: [(Needs, LazyLock<Option<Regex>>, &str); 6] = [
    // The value of a variable that is set for the program: `TOKEN=…`, `-eTOKEN=…`.
    (
        has_variable,
        LazyLock::new(|| Regex::new(r#"(^|[\s"';])([A-Z_][A-Z0-9_]*)=("[^"]*"|'[^']*'|[^\s"';]+)"#).ok()),
        "$1$2=<hidden>",
    ),
    // The host that is asked for by name.
    (
        |text| ["--host", "--node", "--server", "--user", "--login"].iter().any(|word| text.contains(word)),
        LazyLock::new(|| {
            Regex::new(r"(--(?:hostname|host|node|nodelist|server|user|username|login)(?:=|\s+))[^\s]+").ok()
        }),
        "${1}<hidden>",
    ),
    // user@host, and mail addresses.
    (
        |text| text.contains('@'),
        LazyLock::new(|| Regex::new(r"[A-Za-z0-9._%+-]+@[A-Za-z0-9][A-Za-z0-9.-]*").ok()),
        "<hidden>",
    ),
    // The host of a URL.
    (|text| text.contains("://"), LazyLock::new(|| Regex::new(r"([a-z][a-z0-9+]*://)[^/\s]+").ok()), "${1}<hidden>"),
    // IPv4 addresses.
    (
        has_three_dots,
        LazyLock::new(|| Regex::new(r"(?-u:\b)[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}(?-u:\b)").ok()),
        "<hidden>",
    ),
    // Hardware and IPv6 addresses of four groups or more.
    (
        |text| text.contains(':'),
        LazyLock::new(|| Regex::new(r"(?-u:\b)(?:[0-9a-fA-F]{1,4}:){3,7}:?[0-9a-fA-F]{1,4}(?-u:\b)").ok()),
        "<hidden>",
    ),
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

/// One of these is in every text with a home folder.
const HOME_FOLDERS: [&str; 5] = ["home/", "Users/", "/users/", "/root", "Users\\"];

/// Home folders of any user, as they appear in paths; a group is the user's name. One that does not begin at the root has a
/// file below it, as a path of a program that works in the root.
static HOMES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r#"/(?:home|Users|export/home|var/home|users)/([^/\s"']+)|/root\b|[A-Za-z]:\\Users\\([^\\\s"']+)"#,
        r#"|(?P<before>^|[\s"'=(,])(?:(?:(?:export|var)/)?home/|Users[/\\])([^/\\\s"']+)(?P<below>[/\\])"#,
    ))
    .ok()
});

/// A path or command line with home folders written as `~`.
pub fn without_home(text: &str) -> String {
    let homes = homes(text).map(|homes| homes.replace_all(text, "${before}~${below}").into_owned());
    homes.unwrap_or_else(|| text.to_owned())
}

/// What finds the home folders of a text, where it may have any.
fn homes(text: &str) -> Option<&'static Regex> {
    if HOME_FOLDERS.iter().any(|folder| text.contains(folder)) { HOMES.as_ref() } else { None }
}

/// A text as anyone may see it: home folders as `~`, their owners, values of variables, hosts and addresses as `<hidden>`.
pub(super) fn without_names(text: &str) -> String {
    hidden(text, owners(text))
}

/// The users whose home folders a text names.
fn owners(text: &str) -> BTreeSet<String> {
    let homes = homes(text).into_iter().flat_map(|homes| homes.captures_iter(text));
    let owner = homes.filter_map(|found| [1, 2, 4].into_iter().find_map(|group| found.get(group)));
    owner.map(|owner| regex::escape(owner.as_str())).collect()
}

/// The same without the names of some `owners`, each as a pattern.
fn hidden(text: &str, owners: BTreeSet<String>) -> String {
    let mut shown = without_home(text);
    if !owners.is_empty() {
        let owners: Vec<String> = owners.into_iter().collect();
        let pattern = format!("(^|[^A-Za-z0-9])(?:{})($|[^A-Za-z0-9])", owners.join("|"));
        // Too many names to be looked for hide all of the text.
        let Ok(found) = Regex::new(&pattern) else { return "<hidden>".to_owned() };
        // Twice, because neighbours share the character between them.
        for _ in 0..2 {
            shown = found.replace_all(&shown, "${1}<hidden>${2}").into_owned();
        }
    }
    for (needs, pattern, with) in &REPLACED {
        if !needs(&shown) {
            continue;
        }
        if let Some(Cow::Owned(changed)) = pattern.as_ref().map(|pattern| pattern.replace_all(&shown, *with)) {
            shown = changed;
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_is_valid() {
        assert!(HOMES.is_some() && REPLACED.iter().all(|(_, pattern, _)| pattern.is_some()));
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
            ("$HOME/alice/rep", "rep"),
            ("/home/alice", "~"),
            ("~alice", "~"),
            ("${HOME}/alice/rep", "rep"),
            ("%USERPROFILE%\\alice\\rep", "rep"),
            ("home/alice/rep", "rep"),
            ("var/home/alice/rep", "rep"),
            ("Users\\alice\\rep", "rep"),
            ("home/rep", "home/rep"),
            ("my-home/alice/rep", "my-home/alice/rep"),
            ("src/home.cu", "src/home.cu"),
        ] {
            assert_eq!(public_path(given), shown);
        }
        for (given, shown) in [
            ("ptxas /scratch/dave/a.ptx, line 14; warning", "ptxas a.ptx, line 14; warning"),
            ("Connected to process 7 (/nfs/homes/frank/app)", "Connected to process 7 (app)"),
            ("/home/ann/x by ann in /home/ann", "x by <hidden> in ~"),
            ("in 'C:\\work\\greg\\a.cu' and ~ian/b.cu", "in 'a.cu' and b.cu"),
            ("wrote $HOME/alice/rep for $5/hour", "wrote rep for $5/hour"),
            ("Connected to process 7 (home/alice/app)", "Connected to process 7 (~/app)"),
            ("5 / 7 and a/b and ~5 %, 12 B/s, ../x/y", "5 / 7 and a/b and ~5 %, 12 B/s, ../x/y"),
        ] {
            assert_eq!(public_text(given), shown);
        }
    }

    #[test]
    #[allow(clippy::disallowed_methods, reason = "how long it takes is what is held")]
    fn long_texts_take_no_more_than_their_length() {
        let begun = std::time::Instant::now();
        for piece in ["é", "=~", "=$a", "a:", "/home/é ", "(/"] {
            public_text(&piece.repeat(50_000));
        }
        let owners: String = (0..5_000).map(|at| format!("/home/u{at} ")).collect();
        assert_eq!(public_text(&owners), "~ ".repeat(5_000));
        assert!(begun.elapsed() < std::time::Duration::from_secs(20), "{:?}", begun.elapsed());
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
