//! Whether the arguments fit the parameters that the kernel was compiled with.

use super::{Given, LaunchError};

/// Checks that arguments and parameters agree in number and size.
///
/// # Errors
/// [`LaunchError::Arguments`] with both lists side by side.
pub fn fit(kernel: &str, parameters: &[u32], given: &[Given]) -> Result<(), LaunchError> {
    let agree =
        parameters.len() == given.len() && parameters.iter().zip(given).all(|(bytes, given)| *bytes == given.bytes);
    if agree {
        return Ok(());
    }
    let row = |at: usize| {
        let parameter = parameters.get(at).map_or("none".to_owned(), |bytes| format!("{bytes} bytes"));
        let argument =
            given.get(at).map_or("none".to_owned(), |given| format!("{} bytes ({})", given.bytes, given.what));
        let differs = parameters.get(at).copied() != given.get(at).map(|given| given.bytes);
        format!("  {at}: kernel {parameter}, audit.toml {argument}{}", if differs { "  <- differs" } else { "" })
    };
    let rows: Vec<String> = (0..parameters.len().max(given.len())).map(row).collect();
    Err(LaunchError::Arguments {
        kernel: kernel.to_owned(),
        parameters: parameters.len(),
        given: given.len(),
        rows: rows.join("\n"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(what: &str, bytes: u32) -> Given {
        Given { what: what.into(), bytes }
    }

    #[test]
    fn a_wrong_size_and_a_missing_argument_show_both_sides() {
        let arguments = [given("out, pointer", 8), given("in, pointer", 8), given("n, u64", 8)];
        assert!(fit("k", &[8, 8, 8], &arguments).is_ok());
        let text = fit("k", &[8, 8, 4], &arguments).expect_err("differs").to_string();
        assert!(text.contains("  2: kernel 4 bytes, audit.toml 8 bytes (n, u64)  <- differs"), "{text}");
        let text = fit("k", &[8, 8, 8, 4], &arguments).expect_err("too few").to_string();
        assert!(text.starts_with("the kernel k takes 4 parameters, audit.toml gives 3 arguments"), "{text}");
        assert!(text.contains("  3: kernel 4 bytes, audit.toml none  <- differs"), "{text}");
        let text = fit("k", &[8], &arguments).expect_err("too many").to_string();
        assert!(text.contains("  1: kernel none, audit.toml 8 bytes (in, pointer)  <- differs"), "{text}");
    }
}
