//! Entry point of the `audit` program: hands over to [`kernel_audit::cli`].

fn main() -> std::process::ExitCode {
    kernel_audit::cli::run()
}
