//! The operations of a job of kind "age" as lines of text, one each: kind, stream, file, offset, size. The job comes on
//! standard input and must say its space; nothing is aged. For who wants to replay a log by other means. `operations count`
//! draws them and prints how many there are, for `make bench`.

use std::io::{self, BufWriter, Read, Write};

use fsgauge_alloc::OpLog;
use fsgauge_wire::{AgeOperation, Job, parse_job};

fn main() -> Result<(), String> {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).map_err(|error| error.to_string())?;
    let job = match parse_job(&text).map_err(|failure| failure.to_string())? {
        Job::Age(job) => job,
        _ => return Err("the job is not of kind age".into()),
    };
    let space_bytes = job.space_bytes.ok_or("the job does not say space_bytes")?;
    let room_bytes = (space_bytes as f64 * (job.fill_percent / 100.0)) as u64;
    let log =
        OpLog::new(&job.profile, job.end, room_bytes, job.seed).map_err(|failure| failure.to_string())?;
    if std::env::args().nth(1).as_deref() == Some("count") {
        println!("{}", log.map(std::hint::black_box).count());
        return Ok(());
    }
    let mut out = BufWriter::new(io::stdout().lock());
    for operation in log {
        let kind = match operation.kind {
            AgeOperation::Create => "create",
            AgeOperation::Append => "append",
            AgeOperation::Overwrite => "overwrite",
            AgeOperation::Truncate => "truncate",
            AgeOperation::Delete => "delete",
            AgeOperation::Fsync => "fsync",
        };
        let fsgauge_alloc::Operation { stream, file, offset_bytes, size_bytes, .. } = operation;
        writeln!(out, "{kind} {stream} {file} {offset_bytes} {size_bytes}")
            .map_err(|error| error.to_string())?;
    }
    out.flush().map_err(|error| error.to_string())
}
