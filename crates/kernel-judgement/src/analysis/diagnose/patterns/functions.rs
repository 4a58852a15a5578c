//! Special functions: which of them stand on a line, and what gives the same for less.

use super::*;
use crate::analysis::phases::{OF_A_FLOAT, reached};
use crate::evidence::Arithmetic;
use cuda_binary::op::Computes;
use std::cell::LazyCell;

/// The most steps from a logarithm to the exponential of its product.
const STEPS: usize = 3;

/// Bits of a float below its exponent.
const MANTISSA: u8 = 23;

/// What special functions are of, by their modifiers.
const OF: [(&str, &[&str]); 6] = [
    ("exponentials", &["EX2"]),
    ("logarithms", &["LG2"]),
    ("sines and cosines", &["SIN", "COS"]),
    ("hyperbolic tangents", &["TANH"]),
    ("quotients", &["RCP", "RCP64H"]),
    ("roots", &["RSQ", "RSQ64H", "SQRT"]),
];

/// A function that the compiler makes of many instructions.
struct Made {
    name: &'static str,
    fast: &'static str,
    /// What stands once in its code: an instruction of a class with this number.
    mark: (Class, u32),
    /// The instructions of its usual way, and of its fast form, as `nvcc` 13.0 makes them for sm_90.
    takes: [f64; 2],
}

/// A sine with the cosine of the same value takes 37 instructions, either alone 27.
const EXACT: [Made; 6] = [
    Made { name: "sines and cosines", fast: "__sinf", mark: (Class::Fp32, 0x3f22_f983), takes: [32.0, 3.0] },
    Made { name: "powers", fast: "__powf", mark: (Class::Fp32, 0x32a5_5e34), takes: [68.0, 6.0] },
    Made { name: "logarithms", fast: "__logf", mark: (Class::Integer, 0x3f2a_aaab), takes: [26.0, 4.0] },
    Made { name: "exponentials", fast: "__expf", mark: (Class::Fp32, 0x3bbb_989d), takes: [8.0, 4.0] },
    Made { name: "hyperbolic tangents", fast: "__tanhf", mark: (Class::Fp32, 0x3c80_f082), takes: [17.0, 1.0] },
    Made { name: "roots", fast: "-prec-sqrt=false", mark: (Class::IntegerCompare, 0x727f_ffff), takes: [11.0, 4.0] },
];

/// An exact quotient and its fast form: it asks whether the operands let it go the usual way.
const QUOTIENT: (&str, &str, [f64; 2]) = ("quotients", "__fdividef", [11.0, 4.0]);

/// Exact functions, with parts of the instructions, 0 to 1.
pub(super) struct Exact {
    pub(super) rows: Vec<usize>,
    /// What they are, their fast forms, and the part that each takes, the largest first.
    of: Vec<(&'static str, &'static str, f64)>,
    /// What they take, and what their fast forms do without.
    pub(super) part: f64,
    pub(super) gone: f64,
}

/// Functions that are told.
const TOLD: usize = 2;

impl Exact {
    /// Those of a kernel. What all threads make alike has a row of its own.
    pub(super) fn of(code: &KernelCode<'_>, executed: f64) -> Exact {
        let alike = LazyCell::new(|| code.of_no_thread().made);
        let rows = |is_own: &dyn Fn(usize) -> bool| code.run().filter(|row| is_own(*row)).collect::<Vec<usize>>();
        let marked = |(class, number): (Class, u32)| {
            rows(&|row| code.op(row).is_of(&[class]) && code.word(row).literal() == Some(number))
        };
        let all = EXACT.iter().map(|own| (own.name, own.fast, own.takes, marked(own.mark)));
        let (name, fast, takes) = QUOTIENT;
        let mut found = Exact { rows: Vec::new(), of: Vec::new(), part: 0.0, gone: 0.0 };
        for (name, fast, [all, left], own) in
            all.chain([(name, fast, takes, rows(&|row| code.op(row).computes() == Some(Computes::Checked)))])
        {
            let own: Vec<usize> = own.into_iter().filter(|row| !alike.contains(row)).collect();
            let part = code.sum(&own) as f64 / executed;
            found.part += all * part;
            found.gone += (all - left) * part;
            found.of.push((name, fast, (all * part).min(1.0)));
            found.rows.extend(own);
        }
        found.of.sort_by(|a, b| b.2.total_cmp(&a.2));
        found.of.retain(|(.., part)| *part >= WORTH);
        found.of.truncate(TOLD);
        found
    }

    pub(super) fn how(&self) -> Words {
        let of = |(name, fast, _): &(&'static str, &'static str, f64)| words!("{} (`{}`)", *name, *fast);
        let fast = words::join(self.of.iter().map(of).collect::<Vec<Words>>(), ", ");
        words!(
            "Cheaper arithmetic for the same result: {}, in fast forms, by a recurrence, or once before the loop",
            fast
        )
    }

    /// Each with its part of the instructions.
    pub(super) fn told(&self) -> Vec<Words> {
        self.of.iter().map(|(name, _, part)| words!("{} about {}", *name, share(*part))).collect()
    }
}

/// Cheaper arithmetic around the special functions that a line executes, in code without lines those of the kernel; `None` where it has none.
pub(super) fn cheaper(study: &Study<'_>, at: &At) -> Option<Words> {
    let told = told(&study.code, |row| matches!(at, At::Offset(_)) || At::row(study, row) == *at);
    let how = "Cheaper arithmetic for the same result";
    let also = "fewer or in fast forms; what does not change before the loop";
    (!told.is_empty()).then(|| words!("{}: {}, {}", how, words::join(told, ", "), also))
}

/// The special functions of some instructions, powers as such.
pub(super) fn told(code: &KernelCode<'_>, is_here: impl Fn(usize) -> bool) -> Vec<Words> {
    let here: Vec<usize> = code.run().filter(|row| is_here(*row)).collect();
    let function = |row: usize| code.op(row).is_of(&[Class::SpecialFunction]).then(|| code.word(row).function());
    let behind = |rows: Vec<usize>| rows.iter().flat_map(|row| code.operands_of(*row)).collect();
    let is_power = |row: &usize| match function(*row) {
        // The exponential of the product of a logarithm.
        Some("EX2") => {
            let steps = std::iter::successors(Some(vec![*row]), |rows| Some(behind(rows.clone())));
            steps.take(STEPS + 1).flatten().any(|row| function(row) == Some("LG2"))
        }
        // What the compiler's own multiplies by: its exponent, an integer where a float has its own.
        _ => {
            let word = code.word(*row);
            let is_shift = matches!(word.arithmetic, Arithmetic::ShiftAdd(_, MANTISSA, _));
            (is_shift || word.literal() == Some(1 << MANTISSA))
                && code.operands_of(*row).any(|of| code.op(of) == OF_A_FLOAT[2])
        }
    };
    let powers: Vec<usize> = here.iter().copied().filter(is_power).collect();
    let of_powers = reached(powers.iter().copied(), |row| code.operands_of(row));
    let of_integer = |row: usize| code.operands_of(row).any(|of| code.op(of) == OF_A_FLOAT[0]);
    let is_own = |row: &usize| !powers.contains(row) && !of_powers.contains(row) && !of_integer(*row);
    let own: Vec<&str> = here.iter().copied().filter(is_own).filter_map(function).collect();
    let of_own = OF.iter().filter_map(|(of, names)| {
        let named = names.iter().filter(|name| own.contains(name));
        let named: Vec<Words> = named.map(|name| words!("`{}.{}`", OF_A_FLOAT[1].name(), *name)).collect();
        (!named.is_empty()).then(|| words!("{} ({})", *of, words::join(named, ", ")))
    });
    let powers = (!powers.is_empty()).then(|| "powers as products and roots".into());
    powers.into_iter().chain(of_own).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::phases::by_hand::{ended, r, word};
    use crate::evidence::{MachineWord, Operand};

    #[test]
    fn an_exact_sine_is_known_by_its_number_and_its_fast_form_is_not() {
        // Bits 9 to 11: a number in the code, in bits 32 to 63.
        let product = MachineWord { bits: 4 << 9 | 0x3f22_f983 << 32, ..word(Op::FMUL, &[r(4)], &[r(2)]) };
        let of = |words: &[MachineWord]| {
            let rows = ended(words);
            Exact::of(&KernelCode::counted(&rows, vec![1; rows.len()], None), 100.0)
        };
        let sine = of(&[product]);
        assert!((sine.gone - 0.29).abs() < 1e-9, "{}", sine.gone);
        assert_eq!(sine.told().iter().map(Words::to_plain).collect::<Vec<_>>(), ["sines and cosines about 32.0 %"]);
        assert!(of(&[word(OF_A_FLOAT[1], &[r(4)], &[r(2)])]).rows.is_empty());
    }

    #[test]
    fn a_line_is_told_its_own_functions() {
        let function =
            |number: u128, from| MachineWord { bits: number << 74, ..word(OF_A_FLOAT[1], &[r(4)], &[r(from)]) };
        let told = |words: &[MachineWord]| {
            let rows = ended(words);
            super::told(&KernelCode::counted(&rows, vec![1; rows.len()], None), |_| true)
                .iter()
                .map(Words::to_plain)
                .collect::<Vec<String>>()
        };
        let [quotient, logarithm] = [function(4, 2), function(3, 2)];
        assert_eq!(told(&[quotient, logarithm]), ["logarithms (MUFU.LG2)", "quotients (MUFU.RCP)"]);
        assert_eq!(
            told(&[logarithm, word(Op::FMUL, &[r(5)], &[r(4)]), function(2, 5)]),
            ["powers as products and roots"]
        );
        let (whole, of_powers) = (
            word(OF_A_FLOAT[2], &[r(5)], &[r(4)]),
            Arithmetic::ShiftAdd(Operand::default(), MANTISSA, Operand::default()),
        );
        let scaled = MachineWord { arithmetic: of_powers, ..word(Op::LEA, &[r(6)], &[r(5)]) };
        assert_eq!(told(&[quotient, whole, scaled]), ["powers as products and roots"]);
        assert!(told(&[word(OF_A_FLOAT[0], &[r(2)], &[r(1)]), quotient]).is_empty(), "a division of integers");
    }
}
