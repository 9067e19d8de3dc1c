//! What an ageing must be before anything is touched. Every refusal names the key and the value.

use fsgauge_wire::{AgeEnd, AgeJob, Failure, Outcome};

/// Says what cannot be of an ageing, whatever the file system.
pub fn check_age(job: &AgeJob) -> Outcome<()> {
    let refuse = |key: &str, what: String, cause: &str, next: &str| Err(Failure::job(key, what, cause, next));
    if job.directory.is_empty() {
        let what = "directory is empty".into();
        return refuse("directory", what, "nothing was named", "name an existing, empty directory");
    }
    if !(job.fill_percent > 0.0 && job.fill_percent <= 100.0) {
        let what = format!("fill_percent {} is not above 0 and at most 100", job.fill_percent);
        return refuse("fill_percent", what, "it is a share of the space", "choose for example 80");
    }
    if job.time_limit_ns == 0 {
        let what = "time_limit_ns is 0".into();
        return refuse("time_limit_ns", what, "there would be no time to age", "give some seconds");
    }
    if job.space_bytes == Some(0) {
        let what = "space_bytes is 0".into();
        return refuse("space", what, "no file has room", "give more, or null for what is available");
    }
    let cause = "the log would have no operation, or no end";
    match job.end {
        AgeEnd::Operations { operations: 0 } => {
            refuse("end", "operations is 0".into(), cause, "give a number above 0")
        }
        AgeEnd::StorageAge { storage_age } if !(storage_age.is_finite() && storage_age > 0.0) => {
            let what = format!("storage_age {storage_age} is not a number above 0");
            refuse("end", what, cause, "choose for example 5")
        }
        AgeEnd::VirtualTime { virtual_time_ns: 0 } => {
            refuse("end", "virtual_time_ns is 0".into(), cause, "give a time above 0")
        }
        _ => Ok(()),
    }
}

/// The bytes that live files may take: the fill level's share of the space.
pub(crate) fn room_bytes(job: &AgeJob, available_bytes: u64) -> Outcome<(u64, u64)> {
    let space_bytes = job.space_bytes.unwrap_or(available_bytes);
    let room_bytes = (space_bytes as f64 * (job.fill_percent / 100.0)) as u64;
    if room_bytes > available_bytes {
        return Err(Failure::job(
            "space",
            format!("live files would take {room_bytes} bytes, of which {available_bytes} are available"),
            format!("space_bytes is {space_bytes}, fill_percent {}", job.fill_percent),
            "give less, or null for what is available",
        ));
    }
    Ok((space_bytes, room_bytes))
}

#[cfg(test)]
mod tests {
    use fsgauge_wire::{AgeMode, AgeProfile};

    use super::*;

    fn job() -> AgeJob {
        AgeJob {
            format: 1,
            directory: "/tmp".into(),
            profile: AgeProfile::Database { files: 1, page_bytes: 1, extend_bytes: 1, fsync_every: 0 },
            mode: AgeMode::Fast,
            space_bytes: Some(1000),
            fill_percent: 50.0,
            end: AgeEnd::Complete {},
            time_limit_ns: 1,
            sync_every_bytes: None,
            seed: 1,
            fresh_copy: false,
            start_at_ns: None,
            start_on_order: false,
            held: Vec::new(),
            lease: None,
        }
    }

    fn code(job: &AgeJob) -> Option<String> {
        check_age(job).err().map(|failure| failure.code)
    }

    #[test]
    fn limits_are_kept_and_named() {
        assert_eq!(code(&job()), None);
        assert_eq!(code(&AgeJob { directory: String::new(), ..job() }).as_deref(), Some("job.directory"));
        for wrong in [0.0, -1.0, 100.1, f64::NAN] {
            let found = code(&AgeJob { fill_percent: wrong, ..job() });
            assert_eq!(found.as_deref(), Some("job.fill_percent"), "{wrong}");
        }
        assert_eq!(code(&AgeJob { time_limit_ns: 0, ..job() }).as_deref(), Some("job.time_limit_ns"));
        assert_eq!(code(&AgeJob { space_bytes: Some(0), ..job() }).as_deref(), Some("job.space"));
        for end in [
            AgeEnd::Operations { operations: 0 },
            AgeEnd::StorageAge { storage_age: 0.0 },
            AgeEnd::StorageAge { storage_age: f64::INFINITY },
            AgeEnd::VirtualTime { virtual_time_ns: 0 },
        ] {
            assert_eq!(code(&AgeJob { end, ..job() }).as_deref(), Some("job.end"), "{end:?}");
        }
    }

    #[test]
    fn room_is_a_share_of_the_space_and_no_more_than_there_is() {
        assert_eq!(room_bytes(&job(), 500).unwrap(), (1000, 500));
        assert_eq!(room_bytes(&job(), 499).unwrap_err().code, "job.space");
        assert_eq!(room_bytes(&AgeJob { space_bytes: None, ..job() }, 300).unwrap(), (300, 150));
    }
}
