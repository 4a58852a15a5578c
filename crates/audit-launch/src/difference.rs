//! The difference between an output and what was expected of it.

use super::values::{PIECE, other_fill, side_by_side};
use super::{Buffer, DType};
use launch_facts::{OutputCheck, WorstElement};
use std::borrow::Cow;
use std::sync::Mutex;

/// What is still taken for the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Largest relative Frobenius norm; zero asks for the same bits.
    pub tolerance: f64,
    /// Largest error of one element.
    pub worst: f64,
}

/// Sums over some elements.
#[derive(Clone, Copy, Default)]
struct Sums {
    unwritten: u64,
    not_finite: u64,
    expected_not_finite: u64,
    different: u64,
    difference: f64,
    expected: f64,
}

/// Compares an output with what a reference gave for the same inputs; `again` is the output of a second launch on them.
/// All three hold the buffer's bytes. `fill` is the byte of [`super::FILLS`] that the output was filled with before the launch, the other one that
/// before the second. An element is unwritten that holds the fill, where there is a second launch both times.
///
/// The norm is `sqrt(Σ (got − expected)²) / sqrt(Σ expected²)`. The error of an element is
/// `|got − expected| / max(|expected|, rms(expected))`, so that elements near zero do not decide.
pub fn difference(
    buffer: &Buffer,
    got: &[u8],
    expected: &[u8],
    again: Option<&[u8]>,
    fill: u8,
    limits: Limits,
) -> OutputCheck {
    let apart = |bytes| one_to_a_byte(buffer.dtype, bytes);
    let (got, expected, again) = (&apart(got)[..], &apart(expected)[..], again.map(apart));
    let (dtype, width) = (buffer.dtype, buffer.dtype.bytes());
    let elements = got.len() / width;
    let mut sums = Sums::default();
    for piece in pieces(elements, |range| {
        let [got, expected] = [got, expected].map(|all| &all[range.0 * width..range.1 * width]);
        let again = again.as_deref().map(|all| &all[range.0 * width..range.1 * width]);
        sum(dtype, fill, limits.worst, got, expected, again)
    }) {
        sums.unwritten += piece.unwritten;
        sums.not_finite += piece.not_finite;
        sums.expected_not_finite += piece.expected_not_finite;
        sums.different += piece.different;
        sums.difference += piece.difference;
        sums.expected += piece.expected;
    }
    let typical = (sums.expected / elements.max(1) as f64).sqrt();
    let worst = pieces(elements, |range| worst(dtype, got, expected, range, typical))
        .into_iter()
        .flatten()
        .reduce(|a, b| if b.0 > a.0 { b } else { a });
    let relative_norm = (sums.difference / sums.expected).sqrt();
    let relative_norm = (sums.not_finite == 0 && relative_norm.is_finite()).then_some(relative_norm);
    let worst = worst.map(|(error, at)| WorstElement {
        index: at as u64,
        got: said(dtype, got, at),
        expected: said(dtype, expected, at),
        error: error.is_finite().then_some(error),
    });
    // An output that should be nothing but zeros cannot tell a kernel that works from one that does nothing.
    let clean = sums.unwritten == 0 && sums.not_finite == 0 && sums.expected_not_finite == 0 && sums.expected > 0.0;
    let within = match limits.tolerance {
        0.0 => sums.different == 0,
        tolerance => {
            relative_norm.is_some_and(|norm| norm <= tolerance)
                && worst.as_ref().is_none_or(|worst| worst.error.is_some_and(|error| error <= limits.worst))
        }
    };
    OutputCheck {
        name: buffer.name.clone(),
        dtype: dtype.name().to_owned(),
        shape: buffer.shape.clone(),
        elements: elements as u64,
        unwritten: sums.unwritten,
        not_finite: sums.not_finite,
        expected_not_finite: sums.expected_not_finite,
        different: sums.different,
        relative_norm,
        worst,
        expected_rms: typical.is_finite().then_some(typical),
        changed_between_runs: again.map(|again| changed(width, got, &again)),
        passed: clean && within,
    }
}

/// The same elements, those that share a byte in bytes of their own.
fn one_to_a_byte(dtype: DType, bytes: &[u8]) -> Cow<'_, [u8]> {
    match dtype.in_a_byte() {
        1 => Cow::Borrowed(bytes),
        shared => {
            let bits = 8 / shared;
            let parts = |byte: &u8| {
                let byte = *byte;
                (0..shared).map(move |at| byte >> (at * bits) & (0xff >> (8 - bits)))
            };
            Cow::Owned(bytes.iter().flat_map(parts).collect())
        }
    }
}

/// What each piece gives, in order.
fn pieces<T: Send>(elements: usize, one: impl Fn((usize, usize)) -> T + Sync) -> Vec<T> {
    let count = elements.div_ceil(PIECE);
    let done: Mutex<Vec<(usize, T)>> = Mutex::new(Vec::with_capacity(count));
    side_by_side(0..count, |at| {
        let made = one((at * PIECE, ((at + 1) * PIECE).min(elements)));
        if let Ok(mut done) = done.lock() {
            done.push((at, made));
        }
    });
    let mut done = done.into_inner().unwrap_or_default();
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, made)| made).collect()
}

/// `worst` is the largest error that is still taken for the same: an element of that many is written whose bits are those of the fill by
/// chance, as they are in large outputs of 16 bits.
fn sum(dtype: DType, fill: u8, worst: f64, got: &[u8], expected: &[u8], again: Option<&[u8]>) -> Sums {
    let width = dtype.bytes();
    let poison = dtype.bits(&[fill; 8]);
    let other = dtype.bits(&[other_fill(fill); 8]);
    let was_left = |at: usize| again.is_none_or(|again| dtype.bits(&again[at * width..]) == other);
    let mut sums = Sums::default();
    for (at, (got, expected)) in got.chunks_exact(width).zip(expected.chunks_exact(width)).enumerate() {
        let (bits, wanted) = (dtype.bits(got), dtype.bits(expected));
        let (value, reference) = (dtype.decode(bits), dtype.decode(wanted));
        if !reference.is_finite() {
            sums.expected_not_finite += 1;
        }
        if bits != wanted {
            sums.different += 1;
            let is_close = (value - reference).abs() <= worst * reference.abs();
            if bits == poison && !is_close && was_left(at) {
                sums.unwritten += 1;
            } else if !value.is_finite() {
                sums.not_finite += 1;
            }
        }
        let distance = value - reference;
        sums.difference += distance * distance;
        sums.expected += reference * reference;
    }
    sums
}

/// The largest error of a piece and where; one that is no number is the largest.
fn worst(
    dtype: DType,
    got: &[u8],
    expected: &[u8],
    (first, end): (usize, usize),
    typical: f64,
) -> Option<(f64, usize)> {
    let width = dtype.bytes();
    let mut found: Option<(f64, usize)> = None;
    for at in first..end {
        let (bits, wanted) = (dtype.bits(&got[at * width..]), dtype.bits(&expected[at * width..]));
        if bits == wanted {
            continue;
        }
        let (value, reference) = (dtype.decode(bits), dtype.decode(wanted));
        let error = (value - reference).abs() / reference.abs().max(typical);
        let error = if error.is_nan() { f64::INFINITY } else { error };
        if found.is_none_or(|(largest, _)| error > largest) {
            found = Some((error, at));
        }
    }
    found
}

fn said(dtype: DType, bytes: &[u8], at: usize) -> String {
    let bits = dtype.bits(&bytes[at * dtype.bytes()..]);
    match dtype {
        DType::U64 => bits.to_string(),
        DType::I64 => (bits as i64).to_string(),
        // The shortest text that stands for the same single.
        DType::F32 | DType::Tf32 => format!("{}", f32::from_bits(bits as u32)),
        _ => format!("{}", dtype.decode(bits)),
    }
}

fn changed(width: usize, one: &[u8], other: &[u8]) -> u64 {
    let counts = pieces(one.len() / width, |(first, end)| {
        let range = first * width..end * width;
        let (one, other) = (&one[range.clone()], &other[range]);
        if one == other {
            return 0;
        }
        one.chunks_exact(width).zip(other.chunks_exact(width)).filter(|(a, b)| a != b).count() as u64
    });
    counts.into_iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FILLS, Role, Values};

    fn floats(values: &[f32]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    fn buffer(dtype: DType, elements: u64) -> Buffer {
        let values = Values::Uniform(0.0, 1.0);
        Buffer { name: "out".into(), role: Role::Out, dtype, shape: vec![elements], seed: 1, values, map: None }
    }

    const CLOSE: Limits = Limits { tolerance: 0.1, worst: 0.5 };

    #[test]
    fn the_norm_and_the_worst_element_by_hand() {
        let (got, expected) = (floats(&[3.0, 4.0, 0.0, 12.6]), floats(&[3.0, 4.0, 0.0, 12.0]));
        let check = difference(&buffer(DType::F32, 4), &got, &expected, Some(&got), FILLS[0], CLOSE);
        // sqrt(0.6²) / sqrt(9 + 16 + 144) = 0.6 / 13, and 0.6 / 12.
        assert!((check.relative_norm.expect("finite") - 0.6 / 13.0).abs() < 1e-7);
        let worst = check.worst.clone().expect("one differs");
        assert_eq!((worst.index, worst.got.as_str(), worst.expected.as_str()), (3, "12.6", "12"));
        assert!((worst.error.expect("finite") - 0.05).abs() < 1e-7);
        assert_eq!((check.different, check.unwritten, check.changed_between_runs, check.passed), (1, 0, Some(0), true));
        let exact = Limits { tolerance: 0.0, worst: 0.0 };
        assert!(!difference(&buffer(DType::F32, 4), &got, &expected, None, FILLS[0], exact).passed);
        assert!(difference(&buffer(DType::F32, 4), &expected, &expected, None, FILLS[0], exact).passed);
    }

    #[test]
    fn an_element_that_nobody_wrote_fails_whatever_the_tolerance() {
        let mut got = floats(&[1.0; 1000]);
        let expected = got.clone();
        got[400..404].fill(FILLS[0]);
        let loose = Limits { tolerance: 1e9, worst: 1e9 };
        let check = difference(&buffer(DType::F32, 1000), &got, &expected, None, FILLS[0], loose);
        assert_eq!((check.unwritten, check.passed, check.relative_norm), (1, false, None));
        assert_eq!(check.worst.expect("it differs").index, 100);
        // Another fill is no number that nobody wrote.
        assert_eq!(difference(&buffer(DType::F32, 1000), &got, &expected, None, FILLS[1], loose).unwritten, 0);
        // An integer that equals the pattern and is expected is written.
        let ones = vec![FILLS[0]; 40];
        assert!(
            difference(&buffer(DType::U32, 10), &ones, &ones, None, FILLS[0], Limits { tolerance: 0.0, worst: 0.0 })
                .passed
        );
    }

    #[test]
    fn an_element_that_rounds_to_the_fill_is_written() {
        let fill = DType::Bf16.bits(&[FILLS[1]; 8]) as u16;
        let halves = |values: [u16; 2]| values.into_iter().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
        // The next number above the fill is 2⁻⁷ or less of it away.
        let (got, expected) = (halves([fill, fill]), halves([fill + 1, fill]));
        let of = |worst| {
            let limits = Limits { tolerance: 1e-2, worst };
            difference(&buffer(DType::Bf16, 2), &got, &expected, None, FILLS[1], limits)
        };
        assert_eq!((of(0.05).unwritten, of(0.05).different, of(0.05).passed), (0, 1, true));
        assert_eq!((of(1e-4).unwritten, of(1e-4).passed), (1, false));
    }

    #[test]
    fn the_fill_near_zero_is_written_where_another_launch_wrote_it() {
        let fill = DType::Bf16.bits(&[FILLS[1]; 8]) as u16;
        let bytes = |values: [u16; 2]| values.into_iter().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
        // The fill is small beside the other element; rounding made it of a number that is half of it.
        let (got, expected) = (bytes([fill, 0x447a]), bytes([fill - 0x80, 0x447a]));
        let of = |again: Option<[u16; 2]>| {
            let limits = Limits { tolerance: 1e-2, worst: 1e-2 };
            difference(&buffer(DType::Bf16, 2), &got, &expected, again.map(bytes).as_deref(), FILLS[1], limits)
        };
        assert_eq!((of(None).unwritten, of(None).passed), (1, false));
        assert_eq!((of(Some([fill, 0x447a])).unwritten, of(Some([fill, 0x447a])).passed), (0, true));
        assert_eq!(of(Some([u16::from_le_bytes([FILLS[0]; 2]), 0x447a])).unwritten, 1);
    }

    #[test]
    fn a_reference_that_is_no_number_or_nothing_but_zeros_passes_nobody() {
        let good = floats(&[1.0, 2.0]);
        let broken = difference(&buffer(DType::F32, 2), &good, &floats(&[1.0, f32::NAN]), None, FILLS[0], CLOSE);
        assert_eq!((broken.expected_not_finite, broken.passed), (1, false));
        let zeros =
            difference(&buffer(DType::F32, 2), &floats(&[0.0, 0.0]), &floats(&[0.0, 0.0]), None, FILLS[0], CLOSE);
        assert_eq!((zeros.relative_norm, zeros.passed), (None, false));
        assert!(!difference(&buffer(DType::F32, 0), &[], &[], None, FILLS[0], CLOSE).passed);
    }

    #[test]
    fn elements_that_share_a_byte_are_compared_one_by_one() {
        // 1, 6, -1/2, 4 against 1, 6, -1/2, 3.
        let (got, expected) = ([0x72, 0x69], [0x72, 0x59]);
        let check = difference(&buffer(DType::E2m1, 4), &got, &expected, Some(&expected), FILLS[0], CLOSE);
        assert_eq!((check.elements, check.different, check.changed_between_runs), (4, 1, Some(1)));
        let worst = check.worst.expect("one differs");
        assert_eq!((worst.index, worst.got.as_str(), worst.expected.as_str()), (3, "4", "3"));
    }

    #[test]
    fn pieces_are_all_compared() {
        let elements = 2 * PIECE + 77;
        let expected = vec![1u8; elements];
        let mut got = expected.clone();
        got[elements - 1] = 3;
        let check = difference(&buffer(DType::U8, elements as u64), &got, &expected, Some(&expected), FILLS[0], CLOSE);
        assert_eq!((check.different, check.changed_between_runs), (1, Some(1)));
        assert_eq!(check.worst.expect("it differs").index, elements as u64 - 1);
    }
}
