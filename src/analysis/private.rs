//! Keeping people and machines off the page: command lines and paths without what names them.

use crate::evidence::Origin;
use std::borrow::Cow;
use std::sync::LazyLock;

/// What is replaced, in this order: words of which one must be there for it to matter, the pattern, and by what.
/// `$1` is what stands before and stays.
const REPLACED: [(&[&str], &str, &str); 6] = [
    // The value of a variable that is set for the program: `TOKEN=…`, `-eTOKEN=…`.
    (&["="], r#"(^|[\s"';])([A-Z_][A-Z0-9_]*)=("[^"]*"|'[^']*'|[^\s"';]+)"#, "$1$2=<hidden>"),
    // The host that is asked for by name.
    (
        &["--host", "--node", "--server", "--user", "--login"],
        r"(--(?:hostname|host|node|nodelist|server|user|username|login)(?:=|\s+))[^\s]+",
        "${1}<hidden>",
    ),
    // user@host, and mail addresses.
    (&["@"], r"[A-Za-z0-9._%+-]+@[A-Za-z0-9][A-Za-z0-9.-]*", "<hidden>"),
    // The host of a URL.
    (&["://"], r"([a-z][a-z0-9+]*://)[^/\s]+", "${1}<hidden>"),
    // IPv4 addresses.
    (&["."], r"(?-u:\b)[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}(?-u:\b)", "<hidden>"),
    // Hardware and IPv6 addresses of four groups or more.
    (&[":"], r"(?-u:\b)(?:[0-9a-fA-F]{1,4}:){3,7}:?[0-9a-fA-F]{1,4}(?-u:\b)", "<hidden>"),
];

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

/// Home folders of any user, as they appear in paths; the group is the user's name.
static HOMES: LazyLock<Option<regex::Regex>> = LazyLock::new(|| {
    regex::Regex::new(
        r#"(?:/(?:home|Users|export/home|var/home|users)/([^/\s"']+)|/root\b|[A-Za-z]:\\Users\\([^\\\s"']+))"#,
    )
    .ok()
});

/// A path or command line with home folders written as `~`.
pub fn without_home(text: &str) -> String {
    if !text.contains(['/', '\\']) {
        return text.to_owned();
    }
    HOMES.as_ref().map_or_else(|| text.to_string(), |homes| homes.replace_all(text, "~").into_owned())
}

/// An artefact without the home folder in its path.
pub(super) fn public(origin: &Origin) -> Origin {
    Origin { path: without_home(&origin.path), ..origin.clone() }
}

/// A command line as it may be shown to anyone: home folders as `~`, and the names of their owners, values of
/// environment variables, hosts and addresses as `<hidden>`.
pub fn without_names(text: &str) -> String {
    let mut owners: Vec<String> = Vec::new();
    let has_path = text.contains(['/', '\\']);
    for found in HOMES.iter().filter(|_| has_path).flat_map(|homes| homes.captures_iter(text)) {
        owners.extend(found.iter().skip(1).flatten().map(|owner| owner.as_str().to_owned()));
    }
    let mut shown = without_home(text);
    for owner in owners {
        shown = without_word(&shown, &owner);
    }
    for ((needs, _, with), pattern) in REPLACED.iter().zip(&PATTERNS) {
        if !needs.iter().any(|word| shown.contains(word)) {
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
