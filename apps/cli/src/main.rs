//! The `pliant` command: the library does the work, this maps its result to an exit status.

fn main() -> std::process::ExitCode {
    pliant_cli::main(std::env::args_os())
}
