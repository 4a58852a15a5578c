//! Values of buffers: the same for the same seed on every machine, whatever the number of threads.

use super::{Buffer, DType, Values};

/// The bytes that fill outputs before launches, in turn: a kernel that works only where it finds the one leaves the other.
/// The repetition of the first is a NaN in every float type that has one, that of the second a finite number in all.
pub const FILLS: [u8; 2] = [0xff, 0x3c];

/// The one of [`FILLS`] that this is not.
pub(crate) fn other_fill(fill: u8) -> u8 {
    FILLS[usize::from(fill == FILLS[0])]
}

/// Elements that one piece of work makes or compares.
pub(crate) const PIECE: usize = 1 << 18;

/// The bytes of a buffer for a run.
pub fn generate(buffer: &Buffer, run_seed: u64) -> Vec<u8> {
    let width = buffer.dtype.bytes();
    let mut bytes = vec![0u8; buffer.bytes() as usize];
    let seed = mixed(run_seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ mixed(buffer.seed));
    let source = Source::of(buffer.dtype, buffer.values);
    if matches!(buffer.values, Values::Offsets(..)) {
        running_sums(&mut bytes, buffer.dtype, &source, seed);
        return bytes;
    }
    let shared = buffer.dtype.in_a_byte();
    side_by_side(bytes.chunks_mut(PIECE * width).enumerate(), |(at, piece)| {
        fill(piece, (width, shared), &source, seed, (at * PIECE * shared) as u64);
    });
    bytes
}

/// Does some pieces of work in as many threads as there are cores, up to 16.
pub(crate) fn side_by_side<T>(pieces: impl ExactSizeIterator<Item = T> + Send, one: impl Fn(T) + Sync) {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(16).min(pieces.len());
    let pieces = std::sync::Mutex::new(pieces);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(piece) = pieces.lock().ok().and_then(|mut pieces| pieces.next()) {
                    one(piece);
                }
            });
        }
    });
}

/// `shared` elements make `width` bytes.
fn fill(piece: &mut [u8], (width, shared): (usize, usize), source: &Source, seed: u64, first: u64) {
    for (at, bytes) in piece.chunks_exact_mut(width).enumerate() {
        let place = first + (at * shared) as u64;
        let bits = (0..shared as u64).fold(0, |bits, next| {
            bits | source.bits(mixed(seed.wrapping_add(place + next))) << (next * 8 / shared as u64)
        });
        bytes.copy_from_slice(&bits.to_le_bytes()[..width]);
    }
}

/// Zero, then the sum of the first element of the source, of the first two, and so on.
fn running_sums(bytes: &mut [u8], dtype: DType, source: &Source, seed: u64) {
    let mut sum = 0u64;
    for (at, element) in bytes.chunks_exact_mut(dtype.bytes()).enumerate() {
        element.copy_from_slice(&sum.to_le_bytes()[..dtype.bytes()]);
        sum = sum.wrapping_add(source.bits(mixed(seed.wrapping_add(at as u64))));
    }
}

/// A 64-bit number in which every bit depends on every bit of `x` (the finaliser of splitmix64, by Sebastiano Vigna,
/// public domain).
pub fn mixed(x: u64) -> u64 {
    let mut z = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Random bits to element bits.
enum Source {
    /// By the upper 16 random bits: for types of which a table holds every step that matters.
    Table(Vec<u16>),
    Drawn(DType, Values),
}

impl Source {
    fn of(dtype: DType, values: Values) -> Source {
        match values {
            Values::Uniform(low, high) if dtype.bytes() <= 2 => {
                let value = |step: u32| low + (high - low) * (f64::from(step) + 0.5) / 65536.0;
                Source::Table((0..65536).map(|step| dtype.encode(value(step)) as u16).collect())
            }
            values => Source::Drawn(dtype, values),
        }
    }

    fn bits(&self, random: u64) -> u64 {
        let (dtype, values) = match self {
            Source::Table(table) => return u64::from(table[(random >> 48) as usize]),
            Source::Drawn(dtype, values) => (*dtype, *values),
        };
        match values {
            Values::Uniform(low, high) => dtype.encode(low + (high - low) * unit(random)),
            Values::Normal(mean, deviation) => {
                // Box and Muller: two even numbers make a normal one.
                let (radius, angle) = (1.0 - unit(random), unit(mixed(random)));
                let normal = (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos();
                dtype.encode(mean + deviation * normal)
            }
            Values::Integers(low, high) | Values::Offsets(low, high) => {
                let value = low + below(random, (high - low + 1) as u128) as i128;
                if dtype.is_float() { dtype.encode(value as f64) } else { dtype.encode_integer(value) }
            }
            Values::Powers(low, high) => dtype.encode(2f64.powi(low + below(random, (high - low + 1) as u128) as i32)),
            Values::Fill(value) => dtype.encode(value),
        }
    }
}

/// In `0..count`, even up to `count / 2^64`: the upper half of `random · count`.
fn below(random: u64, count: u128) -> u128 {
    (u128::from(random) * count) >> 64
}

/// In `[0, 1)`, from the upper 53 bits.
fn unit(random: u64) -> f64 {
    (random >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Role;
    use strum::VariantArray;

    fn buffer(dtype: DType, values: Values, elements: u64) -> Buffer {
        Buffer { name: "x".into(), role: Role::In, dtype, shape: vec![elements], seed: 1, values, map: None }
    }

    fn numbers(buffer: &Buffer, seed: u64) -> Vec<f64> {
        let bytes = generate(buffer, seed);
        bytes
            .chunks_exact(buffer.dtype.bytes())
            .map(|element| buffer.dtype.decode(buffer.dtype.bits(element)))
            .collect()
    }

    #[test]
    fn the_same_seed_gives_the_same_values_and_another_gives_others() {
        let one = buffer(DType::F32, Values::Uniform(-1.0, 1.0), 600_000);
        let other = Buffer { seed: 2, ..one.clone() };
        assert_eq!(generate(&one, 7), generate(&one, 7));
        assert_ne!(generate(&one, 7), generate(&one, 8));
        assert_ne!(generate(&one, 7), generate(&other, 7));
        // These bits are part of every recorded audit: a change here changes what was checked.
        assert_eq!(
            generate(&buffer(DType::U64, Values::Integers(0, u64::MAX.into()), 1), 7),
            0x0610_baf7_71fe_f048_u64.to_le_bytes()
        );
    }

    #[test]
    fn the_start_of_a_longer_buffer_is_the_shorter_one() {
        let short = buffer(DType::Bf16, Values::Uniform(-2.0, 2.0), 1000);
        let long = buffer(DType::Bf16, Values::Uniform(-2.0, 2.0), 1_000_000);
        assert_eq!(generate(&short, 1), generate(&long, 1)[..2000]);
    }

    #[test]
    fn values_have_the_distribution_that_was_asked_for() {
        for dtype in [DType::E4m3, DType::Bf16, DType::F16, DType::Tf32, DType::F32, DType::F64] {
            let all = numbers(&buffer(dtype, Values::Uniform(-2.0, 2.0), 100_000), 3);
            let mean = all.iter().sum::<f64>() / all.len() as f64;
            assert!(mean.abs() < 0.02 && all.iter().all(|v| (-2.0..=2.0).contains(v)), "{dtype} {mean}");
            assert!(all.iter().any(|v| *v < -1.8) && all.iter().any(|v| *v > 1.8), "{dtype}");
        }
        let normal = numbers(&buffer(DType::F32, Values::Normal(5.0, 2.0), 100_000), 3);
        let mean = normal.iter().sum::<f64>() / 1e5;
        let deviation = (normal.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / 1e5).sqrt();
        assert!((mean - 5.0).abs() < 0.03 && (deviation - 2.0).abs() < 0.03, "{mean} {deviation}");
        let dice = numbers(&buffer(DType::I32, Values::Integers(-3, 2), 60_000), 3);
        for side in -3..=2 {
            let count = dice.iter().filter(|v| **v == f64::from(side)).count();
            assert!((9_500..10_500).contains(&count), "{side}: {count}");
        }
        assert!(numbers(&buffer(DType::U32, Values::Fill(0.0), 10), 3).iter().all(|v| *v == 0.0));
    }

    #[test]
    fn two_values_share_a_byte_the_first_in_its_lower_half() {
        let packed = generate(&buffer(DType::E2m1, Values::Uniform(-6.0, 6.0), 100_000), 3);
        assert_eq!(packed.len(), 50_000);
        let values: Vec<f64> =
            packed.iter().flat_map(|byte| [byte & 15, byte >> 4]).map(|bits| DType::E2m1.decode(bits.into())).collect();
        // The same draws as one to a byte would take, in the same order.
        let wide = numbers(&buffer(DType::E4m3, Values::Uniform(-6.0, 6.0), 100_000), 3);
        assert!(values.iter().zip(&wide).all(|(narrow, wide)| (narrow - wide).abs() <= 1.25), "order");
        for magnitude in [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0] {
            assert!(values.iter().filter(|value| value.abs() == magnitude).count() > 3_000, "{magnitude}");
        }
    }

    #[test]
    fn powers_of_two_and_offsets() {
        let scales = numbers(&buffer(DType::E8m0, Values::Powers(-9, -3), 70_000), 3);
        for exponent in -9..=-3 {
            let count = scales.iter().filter(|scale| **scale == 2f64.powi(exponent)).count();
            assert!((9_500..10_500).contains(&count), "2^{exponent}: {count}");
        }
        let offsets = numbers(&buffer(DType::U32, Values::Offsets(1, 6), 10_001), 3);
        let rows: Vec<f64> = offsets.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert_eq!(offsets[0], 0.0);
        assert!(rows.iter().all(|rows| (1.0..=6.0).contains(rows)));
        assert!((3.4..3.6).contains(&(offsets[10_000] / 10_000.0)), "{}", offsets[10_000]);
    }

    #[test]
    fn outputs_hold_no_number_in_any_float_type_that_has_one_and_then_a_finite_one() {
        for dtype in DType::VARIANTS.iter().copied() {
            let [first, second] = FILLS.map(|fill| dtype.decode(dtype.bits(&[fill; 8])));
            assert!(first.is_nan() || !dtype.is_float() || dtype == DType::E2m1, "{dtype}");
            assert!(second.is_finite() && second != 0.0, "{dtype}");
        }
    }
}
