//! Numbers at random, the same for the same seed, and changes of files made with them.

/// A source of numbers (xorshift64*, Vigna, "An experimental exploration of Marsaglia's xorshift generators", 2016).
pub(crate) struct Random(u64);

/// Numbers at which readers err.
const EDGES: [u64; 16] =
    [0, 1, 2, 7, 8, 31, 127, 128, 255, 256, 65_535, 65_536, 0x7fff_ffff, 0xffff_ffff, 0x7fff_ffff_ffff_ffff, u64::MAX];

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        for _ in 0..4 {
            random.next();
        }
        random
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `end`, 0 for 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        if end == 0 { 0 } else { (self.next() >> 16) as usize % end }
    }

    pub(crate) fn one_in(&mut self, of: usize) -> bool {
        self.below(of) == 0
    }

    pub(crate) fn edge(&mut self) -> u64 {
        let edge = EDGES[self.below(EDGES.len())];
        if self.one_in(3) { self.next() } else { edge }
    }

    /// A value as reports hold them, sane or not.
    pub(crate) fn value(&mut self) -> f64 {
        const VALUES: [f64; 14] = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            32.0,
            1e-300,
            5e-324,
            1e18,
            1e300,
            f64::MAX,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
            0.5,
        ];
        match self.below(3) {
            0 => VALUES[self.below(VALUES.len())],
            1 => self.below(1 << 20) as f64,
            _ => f64::from_bits(self.next()),
        }
    }

    pub(crate) fn pick<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len())]
    }

    /// A file with one to eight changes.
    pub(crate) fn changed(&mut self, whole: &[u8], words: &[&str]) -> Vec<u8> {
        let mut bytes = whole.to_vec();
        for _ in 0..=self.below(8) {
            self.change(&mut bytes, words);
        }
        bytes.truncate(4 << 20);
        bytes
    }

    fn range(&mut self, of: usize, most: usize) -> std::ops::Range<usize> {
        let start = self.below(of + 1);
        let length = self.below(most.min(of - start) + 1);
        start..start + length
    }

    fn change(&mut self, bytes: &mut Vec<u8>, words: &[&str]) {
        let at = self.below(bytes.len());
        match self.below(11) {
            0 if !bytes.is_empty() => bytes[at] ^= 1 << self.below(8),
            1 if !bytes.is_empty() => bytes[at] = self.next() as u8,
            2 => bytes.truncate(at),
            3 => drop(bytes.drain(self.range(bytes.len(), 64))),
            4 => {
                let piece = bytes[self.range(bytes.len(), 256)].to_vec();
                let at = self.below(bytes.len() + 1);
                drop(bytes.splice(at..at, piece));
            }
            5 => {
                let piece = self.edge().to_le_bytes();
                let width = [1, 2, 4, 8][self.below(4)];
                let end = (at + width).min(bytes.len());
                bytes[at..end].copy_from_slice(&piece[..end - at]);
            }
            6 | 7 if !words.is_empty() => {
                let word = self.pick(words).as_bytes().to_vec();
                let end = if self.one_in(2) { at } else { (at + word.len()).min(bytes.len()) };
                drop(bytes.splice(at..end, word));
            }
            8 => {
                let text = match self.below(3) {
                    0 => self.edge().to_string(),
                    1 => format!("{:e}", self.value()),
                    _ => "9".repeat(self.below(400)),
                };
                // In place of a number, where there is one.
                let start = bytes[at..].iter().position(u8::is_ascii_digit).map_or(at, |digit| at + digit);
                let length = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
                drop(bytes.splice(start..start + length, text.into_bytes()));
            }
            9 => {
                // One piece over and over.
                let piece = bytes[self.range(bytes.len(), 32)].repeat(1 << self.below(9));
                drop(bytes.splice(at..at, piece));
            }
            _ => {
                let range = self.range(bytes.len(), 64);
                bytes[range].fill([0, 0xff, b' ', b'(', b'{', b'"'][self.below(6)]);
            }
        }
    }
}
