//! The JSON schemas of the contract, generated from the types of fsgauge-wire.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use fsgauge_wire::{Event, Job, JobResult, Order};
use schemars::{Schema, schema_for};

/// Every schema with its file name.
fn schemas() -> [(&'static str, Schema); 4] {
    [
        ("job.json", schema_for!(Job)),
        ("order.json", schema_for!(Order)),
        ("event.json", schema_for!(Event)),
        ("result.json", schema_for!(JobResult)),
    ]
}

/// `fsgauge-engine schema`: exit code 0 done or current, 1 stale, 3 not possible.
pub(crate) fn command(write: Option<&Path>, check: Option<&Path>) -> ExitCode {
    match (write, check) {
        (Some(directory), _) => report(write_all(directory).map(|()| Vec::new()), directory),
        (None, Some(directory)) => report(Ok(stale(directory)), directory),
        (None, None) => ExitCode::SUCCESS,
    }
}

fn report(found: std::io::Result<Vec<&str>>, directory: &Path) -> ExitCode {
    let shown = directory.display();
    let (text, code) = match found {
        Ok(stale) if stale.is_empty() => return ExitCode::SUCCESS,
        Ok(stale) => {
            let files = stale.join(", ");
            (format!("stale in {shown}: {files}\nnext: fsgauge-engine schema --write {shown}"), 1)
        }
        Err(error) => (format!("schemas cannot be written to {shown}: {error}"), 3),
    };
    // Standard error may be closed; the exit code says the same.
    let _ = writeln!(std::io::stderr(), "error: {text}");
    ExitCode::from(code)
}

fn text(schema: &Schema) -> String {
    serde_json::to_string_pretty(schema).unwrap_or_default() + "\n"
}

fn write_all(directory: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(directory)?;
    schemas().iter().try_for_each(|(name, schema)| std::fs::write(directory.join(name), text(schema)))
}

/// The names of schemas that a directory does not hold as they are now.
fn stale(directory: &Path) -> Vec<&'static str> {
    let is_stale = |name: &str, schema: &Schema| {
        std::fs::read_to_string(directory.join(name)).ok() != Some(text(schema))
    };
    schemas().into_iter().filter(|(name, schema)| is_stale(name, schema)).map(|(name, _)| name).collect()
}
