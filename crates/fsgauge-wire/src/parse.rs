//! Reading a job: from JSON text to a [`Job`], or a [`Failure`] that names the wrong key.

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{FORMAT, Failure, Job, Order};

const NEXT: &str = "compare the job with schema/job.json";
/// How much of an order that makes no sense is shown.
const SHOWN_CHARACTERS: usize = 100;

/// Reads one job document. The failure says which key is wrong and where.
pub fn parse_job(text: &str) -> Result<Job, Failure> {
    let mut document: Value = serde_json::from_str(text).map_err(|error| {
        let cause =
            if text.trim().is_empty() { "standard input was empty".into() } else { error.to_string() };
        Failure::job(
            "not_json",
            "the job is not a JSON document",
            cause,
            "give one JSON object on standard input",
        )
    })?;
    let Some(keys) = document.as_object_mut() else {
        return Err(Failure::job(
            "not_json",
            "the job is not a JSON object",
            "its outermost value is something else",
            NEXT,
        ));
    };
    check_format(keys.get("format"))?;
    let kind = keys.remove("kind");
    match kind.as_ref().and_then(Value::as_str) {
        Some("load") => typed(document).map(Job::Load),
        Some("mix") => typed(document).map(Job::Mix),
        Some("layout") => typed(document).map(Job::Layout),
        Some("probe") => typed(document).map(Job::Probe),
        Some("scan") => typed(document).map(Job::Scan),
        Some("clients") => typed(document).map(Job::Clients),
        Some("age") => typed(document).map(Job::Age),
        Some("simulate") => typed(document).map(Job::Simulate),
        Some("predict") => typed(document).map(Job::Predict),
        Some("serve_clock") => typed(document).map(Job::ServeClock),
        Some("exchange_clock") => typed(document).map(Job::ExchangeClock),
        _ => {
            let found = kind.map_or("there is no key \"kind\"".into(), |kind| format!("kind is {kind}"));
            Err(Failure::job(
                "kind",
                "the job has no known kind",
                found,
                "set kind to \"load\", \"mix\", \"layout\", \"probe\", \"scan\", \"clients\", \"age\", \"simulate\", \"predict\", \"serve_clock\" or \"exchange_clock\"",
            ))
        }
    }
}

/// Reads one line of the control pipe. The failure says what is wrong with it.
pub fn parse_order(line: &str) -> Result<Order, Failure> {
    if line.trim().is_empty() {
        return Ok(Order::Hold {});
    }
    serde_json::from_str(line).map_err(|error| {
        let shown: String = line.chars().take(SHOWN_CHARACTERS).collect();
        let next = "compare it with schema/order.json";
        Failure::job("order", format!("the order makes no sense: {shown}"), error.to_string(), next)
    })
}

fn check_format(format: Option<&Value>) -> Result<(), Failure> {
    if format.and_then(Value::as_u64) == Some(u64::from(FORMAT)) {
        return Ok(());
    }
    let found = format.map_or("there is no key \"format\"".into(), |format| format!("format is {format}"));
    Err(Failure::job(
        "format",
        format!("the job is not of format {FORMAT}"),
        found,
        "use a lab and an engine of the same fsgauge version",
    ))
}

fn typed<T: DeserializeOwned>(document: Value) -> Result<T, Failure> {
    serde_path_to_error::deserialize(document).map_err(|error| {
        let path = error.path().to_string();
        let what = if path == "." { "the job is wrong".into() } else { format!("the job's {path} is wrong") };
        Failure::job("key", what, error.inner().to_string(), NEXT)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_probe_is_read() {
        let job = parse_job(r#"{"format":1,"kind":"probe"}"#).unwrap();
        assert!(matches!(job, Job::Probe(probe) if probe.directory.is_none()));
    }

    #[test]
    fn an_unknown_key_is_named() {
        let failure = parse_job(r#"{"format":1,"kind":"probe","directori":"/tmp"}"#).unwrap_err();
        assert_eq!(failure.code, "job.key");
        assert!(failure.cause.contains("unknown field `directori`"), "{}", failure.cause);
        assert_eq!(failure.exit_code(), 2);
    }

    #[test]
    fn a_wrong_value_is_named_with_its_path() {
        let text =
            r#"{"format":1,"kind":"layout","target":{"kind":"null","size_bytes":1},"block_size_bytes":"4k"}"#;
        let failure = parse_job(text).unwrap_err();
        assert_eq!(failure.what, "the job's block_size_bytes is wrong");
    }

    #[test]
    fn another_format_is_refused_before_anything_else() {
        let failure = parse_job(r#"{"format":2,"kind":"dance"}"#).unwrap_err();
        assert_eq!((failure.code.as_str(), failure.cause.as_str()), ("job.format", "format is 2"));
    }

    #[test]
    fn an_empty_line_holds_and_an_unknown_order_is_shown() {
        assert_eq!(parse_order("\n").unwrap(), Order::Hold {});
        let start = parse_order(r#"{"kind":"start","start_at_ns":7}"#).unwrap();
        assert_eq!(start, Order::Start { start_at_ns: 7 });
        let failure = parse_order(r#"{"kind":"dance"}"#).unwrap_err();
        assert_eq!((failure.code.as_str(), failure.exit_code()), ("job.order", 2));
        assert!(failure.what.contains("dance"), "{}", failure.what);
    }

    #[test]
    fn nothing_is_not_a_job() {
        assert_eq!(parse_job("").unwrap_err().cause, "standard input was empty");
        assert_eq!(parse_job("[]").unwrap_err().what, "the job is not a JSON object");
    }
}
