use fsgauge_wire::{AgeProfile, Job};

/// A profile with its defaults, as a job's JSON would give it.
pub fn profile(json: &str) -> AgeProfile {
    let text = format!(
        r#"{{"format":1,"kind":"age","directory":"x","mode":"fast","end":{{"kind":"complete"}},
            "time_limit_ns":1,"seed":1,"profile":{json}}}"#
    );
    match fsgauge_wire::parse_job(&text).unwrap() {
        Job::Age(job) => job.profile,
        other => panic!("{other:?}"),
    }
}
