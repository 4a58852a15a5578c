//! Names of people in the paths that tools write: of home folders, and of the folder that the project lies in.

use std::path::Path;

/// What home folders lie in.
const HOMES: [&[u8]; 3] = [b"/home/", b"/Users/", b"\\Users\\"];
/// Bytes that a user's name has at most.
const LONGEST: usize = 64;
/// What stands for a character.
const INSTEAD: u8 = b'x';

/// Overwrites the names of users behind `/home/` and the like, and every name on the way to the project's folder. Lengths
/// stay, so that a cubin, a report and a table of lines are as whole as before.
pub(super) fn hide(bytes: &mut [u8], project: &Path) {
    for home in HOMES {
        each(bytes, home, |found| {
            let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
            let length = found.iter().take(LONGEST + 1).take_while(|byte| is_part(byte)).count();
            let ends = found.get(length).is_none_or(|next| matches!(next, b'/' | b'\\'));
            if ends && length <= LONGEST {
                found[..length].fill(INSTEAD);
            }
        });
    }
    let project = project.as_os_str().as_encoded_bytes();
    // A folder at the root says nothing of anybody.
    if project.iter().filter(|byte| matches!(byte, b'/' | b'\\')).count() > 1 {
        let masked: Vec<u8> =
            project.iter().map(|byte| if matches!(byte, b'/' | b'\\' | b':') { *byte } else { INSTEAD }).collect();
        let mut at = 0;
        while let Some(next) = find(&bytes[at..], project) {
            let end = at + next + project.len();
            if bytes.get(end).is_none_or(|byte| !byte.is_ascii_alphanumeric()) {
                bytes[at + next..end].copy_from_slice(&masked);
            }
            at = end;
        }
    }
}

/// Calls `act` with what follows each place that holds `what`.
fn each(bytes: &mut [u8], what: &[u8], act: impl Fn(&mut [u8])) {
    let mut at = 0;
    while let Some(next) = find(&bytes[at..], what) {
        at += next + what.len();
        act(&mut bytes[at..]);
    }
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    let first = *what.first()?;
    let mut at = 0;
    loop {
        at += bytes[at..].iter().position(|byte| *byte == first)?;
        if bytes[at..].starts_with(what) {
            return Some(at);
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_and_the_way_to_the_project_are_hidden_and_nothing_else() {
        let text = "/home/dave/a.cu\0/Users/eve.b/b C:\\Users\\greg\\c /home/ /usr/home/x y /scratch/lab/proj/k.cu /scratch/lab/project2";
        let mut bytes = text.as_bytes().to_vec();
        hide(&mut bytes, Path::new("/scratch/lab/proj"));
        let hidden = "/home/xxxx/a.cu\0/Users/xxxxx/b C:\\Users\\xxxx\\c /home/ /usr/home/x y /xxxxxxx/xxx/xxxx/k.cu /scratch/lab/project2";
        assert_eq!(String::from_utf8_lossy(&bytes), hidden);
        let mut root = b"/work/k.cu".to_vec();
        hide(&mut root, Path::new("/work"));
        assert_eq!(root, b"/work/k.cu");
    }
}
