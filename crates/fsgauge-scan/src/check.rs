//! What a scan must be before anything is touched. Every refusal names the key and the value.

use fsgauge_wire::{Failure, Outcome, ScanJob};

const THREADS_LIMIT: u32 = 256;
/// 10,000 extents are kept of each.
const TOP_LIMIT: u32 = 1000;
/// 4^10 cells: 1,048,576.
const MAP_ORDER_LIMIT: u32 = 10;

pub(crate) fn check_scan(job: &ScanJob) -> Outcome<()> {
    let refuse = |key: &str, what: String, cause: &str, next: &str| Err(Failure::job(key, what, cause, next));
    if job.path.is_empty() {
        return refuse(
            "path",
            "path is empty".into(),
            "nothing was named",
            "name a folder, file, device or image",
        );
    }
    if let Some(threads) = job.threads.filter(|threads| !(1..=THREADS_LIMIT).contains(threads)) {
        let what = format!("threads {threads} is not between 1 and {THREADS_LIMIT}");
        return refuse(
            "threads",
            what,
            "more threads would only wait",
            "choose fewer, or null for one a processor",
        );
    }
    if job.top > TOP_LIMIT {
        let what = format!("top {} is above {TOP_LIMIT}", job.top);
        return refuse("top", what, "their extents are kept in memory", "choose fewer files");
    }
    if job.map_order > MAP_ORDER_LIMIT {
        let what = format!("map_order {} is above {MAP_ORDER_LIMIT}", job.map_order);
        return refuse(
            "map_order",
            what,
            "the map would have more cells than a screen",
            "choose for example 7",
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job() -> ScanJob {
        ScanJob {
            format: 1,
            path: "/".into(),
            threads: None,
            top: 0,
            list_whole: false,
            map_order: 0,
            space: true,
            held: Vec::new(),
            lease: None,
        }
    }

    fn code(job: &ScanJob) -> Option<String> {
        check_scan(job).err().map(|failure| failure.code)
    }

    #[test]
    fn limits_are_kept_and_named() {
        assert_eq!(code(&job()), None);
        assert_eq!(code(&ScanJob { threads: Some(256), top: 1000, map_order: 10, ..job() }), None);
        assert_eq!(code(&ScanJob { threads: Some(0), ..job() }).as_deref(), Some("job.threads"));
        assert_eq!(code(&ScanJob { threads: Some(257), ..job() }).as_deref(), Some("job.threads"));
        assert_eq!(code(&ScanJob { top: 1001, ..job() }).as_deref(), Some("job.top"));
        assert_eq!(code(&ScanJob { map_order: 11, ..job() }).as_deref(), Some("job.map_order"));
        assert_eq!(code(&ScanJob { path: String::new(), ..job() }).as_deref(), Some("job.path"));
    }
}
