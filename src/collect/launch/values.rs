//! Values of buffers: the same for the same seed on every machine, whatever the number of threads.

use super::{Buffer, DType, Values};

/// The byte that fills an output before a launch. In every float type its repetition is a NaN.
pub const POISON: u8 = 0xff;

/// Elements that one piece of work makes.
const PIECE: usize = 1 << 18;

/// The bytes of a buffer for a run.
pub fn generate(buffer: &Buffer, run_seed: u64) -> Vec<u8> {
    let width = buffer.dtype.bytes();
    let mut bytes = vec![0u8; buffer.elements() as usize * width];
    let seed = mixed(run_seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ mixed(buffer.seed));
    let source = Source::of(buffer.dtype, buffer.values);
    let pieces = std::sync::Mutex::new(bytes.chunks_mut(PIECE * width).enumerate());
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(16);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let next = pieces.lock().ok().and_then(|mut pieces| pieces.next());
                    let Some((at, piece)) = next else { break };
                    fill(piece, width, &source, seed, (at * PIECE) as u64);
                }
            });
        }
    });
    bytes
}

fn fill(piece: &mut [u8], width: usize, source: &Source, seed: u64, first: u64) {
    for (at, element) in piece.chunks_exact_mut(width).enumerate() {
        let bits = source.bits(mixed(seed.wrapping_add(first + at as u64)));
        element.copy_from_slice(&bits.to_le_bytes()[..width]);
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
    Uniform {
        dtype: DType,
        low: f64,
        span: f64,
    },
    Normal {
        dtype: DType,
        mean: f64,
        deviation: f64,
    },
    Integers {
        dtype: DType,
        low: i128,
        count: u128,
    },
    Constant(u64),
}

impl Source {
    fn of(dtype: DType, values: Values) -> Source {
        match values {
            Values::Uniform(low, high) if dtype.bytes() <= 2 => {
                let value = |step: u32| low + (high - low) * (f64::from(step) + 0.5) / 65536.0;
                Source::Table((0..65536).map(|step| dtype.encode(value(step)) as u16).collect())
            }
            Values::Uniform(low, high) => Source::Uniform { dtype, low, span: high - low },
            Values::Normal(mean, deviation) => Source::Normal { dtype, mean, deviation },
            Values::Integers(low, high) => Source::Integers { dtype, low, count: (high - low + 1) as u128 },
            Values::Fill(value) => Source::Constant(dtype.encode(value)),
        }
    }

    fn bits(&self, random: u64) -> u64 {
        match self {
            Source::Table(table) => u64::from(table[(random >> 48) as usize]),
            Source::Uniform { dtype, low, span } => dtype.encode(low + span * unit(random)),
            Source::Normal { dtype, mean, deviation } => {
                // Box and Muller: two even numbers make a normal one.
                let (radius, angle) = (1.0 - unit(random), unit(mixed(random)));
                let normal = (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos();
                dtype.encode(mean + deviation * normal)
            }
            Source::Integers { dtype, low, count } => {
                // The upper half of random · count is even over 0..count up to count / 2^64.
                let step = (u128::from(random) * count) >> 64;
                let value = low + step as i128;
                if dtype.is_float() { dtype.encode(value as f64) } else { dtype.encode_integer(value) }
            }
            Source::Constant(bits) => *bits,
        }
    }
}

/// In `[0, 1)`, from the upper 53 bits.
fn unit(random: u64) -> f64 {
    (random >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collect::launch::Role;

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
    fn poison_is_no_number_in_any_float_type() {
        for dtype in DType::ALL.into_iter().filter(|dtype| dtype.is_float()) {
            assert!(dtype.decode(dtype.bits(&[POISON; 8])).is_nan(), "{dtype}");
        }
    }
}
