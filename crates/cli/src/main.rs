//! The fsbench binary: what was typed goes to its verb, an error is printed once, an exit code comes back.

mod exit;
mod fio_line;
mod interrupt;
mod null_s3;
mod output;
mod progress;
mod stores;
mod verbs;

use exit::Exit;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args_os().map(|arg| arg.to_string_lossy().into_owned()).collect();
    let exit = verbs::dispatch(&args).unwrap_or_else(|error| {
        output::tell(&format!("fsbench: {error:#}\n"));
        exit::of_error(&error)
    });
    exit.into()
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit.code())
    }
}
