//! Exit codes, and which of them an error means.

use fsbench_results::{Ending, Record};
use fsbench_runner::Run;
use fsbench_suites::remote::UsageError;
use fsbench_target::{Error, ErrorKind};

/// How the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// All went well.
    Ok,
    /// The run finished with errors, or could not finish.
    Errors,
    /// The input was wrong, and nothing was touched.
    Input,
    /// A signal ended it; what was measured is saved.
    Interrupted,
    /// The same for `fsbench fio`, with fio's code.
    FioSignal,
}

impl Exit {
    /// The process's exit code.
    pub(crate) fn code(self) -> u8 {
        match self {
            Exit::Ok => 0,
            Exit::Errors => 1,
            Exit::Input => 2,
            Exit::FioSignal => 128,
            Exit::Interrupted => 130,
        }
    }
}

/// The code of a run. A refusal before it that lasts means that the input was wrong, rather than the store not well.
pub(crate) fn of_run(run: &Run) -> Exit {
    match &run.refusal {
        Some(error) if error.kind == ErrorKind::Interrupted => Exit::Interrupted,
        Some(error) if error.kind.is_lasting() => Exit::Input,
        Some(_) => Exit::Errors,
        None => of_record(&run.record),
    }
}

/// The code of what a Record tells.
pub(crate) fn of_record(record: &Record) -> Exit {
    match record.ending {
        Ending::Interrupted => Exit::Interrupted,
        Ending::Failed | Ending::Running => Exit::Errors,
        Ending::Finished if record.error_count() > 0 => Exit::Errors,
        Ending::Finished => Exit::Ok,
    }
}

/// The code of an error that reached `main`.
pub(crate) fn of_error(error: &anyhow::Error) -> Exit {
    if error.downcast_ref::<UsageError>().is_some() {
        return Exit::Input;
    }
    match error.downcast_ref::<Error>() {
        Some(error) if error.kind == ErrorKind::Interrupted => Exit::Interrupted,
        Some(error) if error.kind.is_lasting() => Exit::Input,
        Some(_) => Exit::Errors,
        None => Exit::Input,
    }
}
