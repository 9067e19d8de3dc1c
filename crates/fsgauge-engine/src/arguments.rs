//! The command line; jobs come on standard input.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::identity;

/// The engine of fsgauge: drives I/O and measures it.
///
/// Reads one job as a JSON document on standard input and writes events as lines of JSON to standard output.
/// The last line is "finished" with the result, or "failed" with the reason. People use the command fsgauge,
/// which writes jobs and reads events.
#[derive(Debug, Parser)]
#[command(name = "fsgauge-engine", version, long_version = identity::LONG_VERSION, after_help = EXAMPLE)]
pub(crate) struct Arguments {
    /// What to do instead of running a job.
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

const EXAMPLE: &str = "\
Example: what do this machine and its kernel offer?
  echo '{\"format\": 1, \"kind\": \"probe\", \"directory\": \"/var/tmp\"}' | fsgauge-engine

Exit codes: 0 done, 2 a wrong job, 3 the machine failed, 130 interrupted.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Write the JSON schemas of jobs, events and results, or check that they are current.
    Schema {
        /// Write them into this directory.
        #[arg(long, value_name = "DIRECTORY", required_unless_present = "check", conflicts_with = "check")]
        write: Option<PathBuf>,
        /// Compare them with this directory; exit 1 when they differ.
        #[arg(long, value_name = "DIRECTORY", num_args = 0..=1, default_missing_value = "schema")]
        check: Option<PathBuf>,
    },
    /// Run one job of a load; only the engine itself starts this.
    #[command(hide = true)]
    Worker,
}
