//! Keeping people and machines off the page: command lines and paths without what names them.

use crate::evidence::Origin;
use std::borrow::Cow;
use std::sync::LazyLock;

/// What is replaced, in this order: what a text needs for the pattern to match it, the pattern, and by what. Compiling a
/// pattern costs more than all else that is done to a text, so that what it needs is looked for by hand.
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
pub fn without_home(text: &str) -> String {
    homes(text).map_or_else(|| text.to_owned(), |homes| homes.replace_all(text, "~").into_owned())
}

/// What finds the home folders of a text, where it may have any.
fn homes(text: &str) -> Option<&'static regex::Regex> {
    if HOME_FOLDERS.iter().any(|folder| text.contains(folder)) { HOMES.as_ref() } else { None }
}

/// An artefact without the home folder in its path.
pub(in crate::analysis) fn public(origin: &Origin) -> Origin {
    Origin { path: without_home(&origin.path), ..origin.clone() }
}

/// A command line as it may be shown to anyone: home folders as `~`, and the names of their owners, values of
/// environment variables, hosts and addresses as `<hidden>`.
pub fn without_names(text: &str) -> String {
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
