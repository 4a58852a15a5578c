//! Tensor instructions stand at the line of their product. Where a loop is unrolled, the compiler's line table gives
//! some of its products to lines that hold none; counts and samples by line would be spread over those.

use super::code::Code;
use crate::evidence::{SourceLine, SourceView};
use std::sync::Arc;

/// How a product is spelled in CUDA C++ and in PTX; fences and waits of products are none.
const PRODUCTS: [&str; 5] = ["mma_async", "mma.sync", "mma_sync", "tcgen05.mma", "mma("];

/// The launch with each tensor instruction at a line that calls or holds a product: its own where that does, else that of the
/// nearest one of the same opcode in the same loop. Left as it is where the report lacks the code's bits or the source's text.
#[must_use]
pub fn at_their_products(mut view: SourceView) -> SourceView {
    for (row, places) in moved(&view) {
        view.instructions[row].places = places;
    }
    view
}

fn moved(view: &SourceView) -> Vec<(usize, Arc<[SourceLine]>)> {
    let Some(code) = Code::of(view) else { return Vec::new() };
    let tensor: Vec<usize> = (0..code.rows.len()).filter(|row| code.is_tensor(*row)).collect();
    let holds = |row: &usize| view.instructions[*row].places.iter().any(|place| is_product(view, place));
    let (own, astray): (Vec<usize>, Vec<usize>) = tensor.into_iter().partition(holds);
    let innermost = |row: usize| {
        let around = code.around(row);
        around.min_by_key(|cycle| cycle.blocks.len()).map(|cycle| cycle.header)
    };
    let kin = |row: usize| {
        let is_kin = |other: &&usize| code.op(**other) == code.op(row) && innermost(**other) == innermost(row);
        own.iter().filter(is_kin).min_by_key(|other| other.abs_diff(row)).copied()
    };
    astray.into_iter().filter_map(|row| Some((row, view.instructions[kin(row)?].places.clone()))).collect()
}

/// Whether a line holds a product, or calls a function of the same report that does.
pub(in crate::analysis) fn is_product(view: &SourceView, place: &SourceLine) -> bool {
    if view.products.iter().any(|product| product.is_line(place)) {
        return true;
    }
    let Some(line) = view.text(place) else { return false };
    let holds = |text: &str| PRODUCTS.iter().any(|spelling| text.contains(spelling));
    let defines = |name: &str| view.texts.iter().filter_map(|source| body(&source.text, name)).any(holds);
    holds(line) || called(line).is_some_and(defines)
}

/// The name in front of the first call in a line of source.
pub(super) fn called(text: &str) -> Option<&str> {
    const NO_CALLS: [&str; 8] = ["if", "for", "while", "switch", "return", "sizeof", "static_cast", "reinterpret_cast"];
    text.match_indices('(').find_map(|(at, _)| {
        let head = text[..at].trim_end();
        let head = head.strip_suffix('>').map_or(head, |head| head.rsplit_once('<').map_or(head, |(head, _)| head));
        let start = head.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |at| at + 1);
        let name = &head[start..];
        let is_name = name.starts_with(|c: char| c.is_alphabetic() || c == '_') && !NO_CALLS.contains(&name);
        is_name.then_some(name)
    })
}

/// The body of the first function of a name that a source defines.
fn body<'s>(source: &'s str, name: &str) -> Option<&'s str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    source.match_indices(name).find_map(|(at, _)| {
        let rest = &source[at + name.len()..];
        if source[..at].ends_with(is_word) || !rest.starts_with('(') {
            return None;
        }
        let behind = rest[enclosed(rest, '(', ')')?.len()..].trim_start();
        behind.starts_with('{').then(|| enclosed(behind, '{', '}')).flatten()
    })
}

/// The text from an opening bracket at its start to the one that closes it.
fn enclosed(text: &str, open: char, close: char) -> Option<&str> {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        if c == open {
            depth += 1;
        } else if c == close {
            depth = depth.checked_sub(1)?;
            if depth == 0 {
                return Some(&text[..at + close.len_utf8()]);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::body;

    #[test]
    fn a_body_is_that_of_the_definition_and_not_of_a_call() {
        let source =
            "int f() { multiply(1); }\nvoid multiply(float (&sum)[8], int a)\n{ if (a) { mma(); } }\nvoid g() {}";
        assert_eq!(body(source, "multiply"), Some("{ if (a) { mma(); } }"));
        assert_eq!(body(source, "ultiply"), None);
        assert_eq!(body("void h(int);", "h"), None);
    }
}
