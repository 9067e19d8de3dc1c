//! Jobs that cannot be right are refused before anything is touched, with the key and the value.

use fsgauge_wire::{
    Access, Arrival, BlockSize, Companion, CompanionKind, Interface, JobsOfAll, LoadJob, Ranges, Rate, Sync,
    Target,
};

use crate::support;
use crate::support::{null_load, run};

fn refusal(load: LoadJob) -> String {
    let failure = run(load).unwrap_err();
    assert_eq!(failure.exit_code(), 2, "{failure}");
    assert!(!failure.cause.is_empty() && !failure.next.is_empty(), "{failure}");
    format!("{}: {}", failure.code, failure.what)
}

fn sizes(size_bytes: u32, weight: u32) -> Vec<BlockSize> {
    vec![BlockSize { size_bytes, weight }]
}

#[test]
fn concurrency() {
    let psync = LoadJob { interface: Interface::Psync, ..null_load() };
    assert_eq!(refusal(psync), "job.queue_depth: queue_depth 8 is not possible with interface psync");
    let deep = LoadJob { queue_depth: 40_000, ..null_load() };
    assert_eq!(refusal(deep), "job.queue_depth: queue_depth 40000 is not between 1 and 32768");
    let none = LoadJob { jobs: 0, ..null_load() };
    assert_eq!(refusal(none), "job.jobs: jobs 0 is not between 1 and 1024");
    let batch = LoadJob { batch: Some(9), ..null_load() };
    assert_eq!(refusal(batch), "job.batch: batch 9 is not between 1 and queue_depth 8");
}

#[test]
fn sizes_and_targets() {
    let empty = LoadJob { block_sizes: Vec::new(), ..null_load() };
    assert_eq!(refusal(empty), "job.block_sizes: block_sizes is empty");
    let never = LoadJob { block_sizes: sizes(4096, 0), ..null_load() };
    assert_eq!(refusal(never), "job.block_sizes: block size 4096 has weight 0");
    let target = Target::File { path: "/nowhere".into(), size_bytes: 1 << 20 };
    let large = LoadJob { target: target.clone(), block_sizes: sizes(2 << 20, 1), ..null_load() };
    assert_eq!(
        refusal(large),
        "job.block_sizes: block size 2097152 is larger than the target's 1048576 bytes"
    );
    let odd = LoadJob { target, direct: true, block_sizes: sizes(1000, 1), ..null_load() };
    assert_eq!(refusal(odd), "job.alignment: block size 1000 is not a multiple of 512");
    let nothing = LoadJob { target: Target::Null { size_bytes: 0 }, ..null_load() };
    assert_eq!(refusal(nothing), "job.block_sizes: block size 4096 is larger than the target's 0 bytes");
}

#[test]
fn shares_times_and_paces() {
    let share = LoadJob { read_percent: 101, ..null_load() };
    assert_eq!(refusal(share), "job.read_percent: read_percent 101 is above 100");
    let theta = LoadJob { access: Access::Zipf { theta: 0.0 }, ..null_load() };
    assert_eq!(refusal(theta), "job.access: theta 0 is not above 0 and at most 10");
    let short = LoadJob { duration_ns: 0, ..null_load() };
    assert_eq!(refusal(short), "job.duration_ns: duration_ns is 0");
    let rate = Some(Rate { operations_per_second: -1.0, arrival: Arrival::Constant });
    let paced = LoadJob { rate, ..null_load() };
    assert_eq!(refusal(paced), "job.rate: operations_per_second -1 is not above 0 and at most 1e9");
    let walkers = LoadJob {
        access: Access::Sequential {},
        jobs: 3,
        target: Target::Null { size_bytes: 8192 },
        ..null_load()
    };
    assert_eq!(refusal(walkers), "job.jobs: 3 jobs cannot share 2 places");
}

/// Two writers of a load with ranges, on a file that is never touched.
fn writers(ranges: Ranges) -> LoadJob {
    LoadJob {
        target: Target::File { path: "/nowhere".into(), size_bytes: 64 << 10 },
        ranges: Some(ranges),
        read_percent: 0,
        jobs: 2,
        warm_up_ns: 0,
        ..null_load()
    }
}

fn refusals(loads: Vec<(LoadJob, &str)>) {
    for (load, expected) in loads {
        assert_eq!(refusal(load), expected);
    }
}

#[test]
fn options_that_need_ranges() {
    let plain = || LoadJob { ranges: None, ..writers(Ranges::Shared {}) };
    refusals(vec![
        (LoadJob { passes: Some(1), ..plain() }, "job.passes: passes needs ranges"),
        (LoadJob { extend: true, ..plain() }, "job.extend: extend needs ranges"),
        (LoadJob { verify: true, ..plain() }, "job.verify: verify needs ranges"),
    ]);
}

#[test]
fn ranges_and_places() {
    let shared = || writers(Ranges::Shared {});
    let several = vec![sizes(4096, 1)[0], sizes(8192, 1)[0]];
    let strided = |stride_bytes| writers(Ranges::Strided { stride_bytes });
    let three_files = |jobs| LoadJob {
        target: support::files(std::path::Path::new("/nowhere")),
        jobs,
        ..writers(Ranges::OwnFiles {})
    };
    refusals(vec![
        (LoadJob { block_sizes: several, ..shared() }, "job.ranges: ranges with 2 block sizes"),
        (
            LoadJob { access: Access::Zipf { theta: 1.1 }, ..shared() },
            "job.ranges: ranges with an order that prefers places",
        ),
        (
            LoadJob { jobs: 17, ..writers(Ranges::Segmented {}) },
            "job.ranges: more writers than ranges: 17 jobs, 16 ranges",
        ),
        (
            LoadJob { jobs: 17, ..writers(Ranges::Interleaved {}) },
            "job.ranges: more writers than ranges: 17 jobs, 16 ranges",
        ),
        (LoadJob { jobs: 5, ..strided(16384) }, "job.ranges: more writers than ranges: 5 jobs, 4 ranges"),
        (strided(10_000), "job.ranges: stride_bytes 10000 is not a multiple of the block size 4096"),
        (strided(0), "job.ranges: stride_bytes 0 is not a multiple of the block size 4096"),
        (three_files(2), "job.ranges: own_files with 3 files and 2 jobs"),
        (writers(Ranges::OwnFiles {}), "job.ranges: own_files on a target that is not of kind files"),
    ]);
    let stride = run(strided(10_000)).unwrap_err();
    assert_eq!(stride.next, "choose 12288");
}

#[test]
fn jobs_among_those_of_other_engines() {
    let of_all =
        |first, of, ranges| LoadJob { jobs_of_all: Some(JobsOfAll { first, of }), ..writers(ranges) };
    let not_dealt = "job.jobs_of_all: jobs_of_all with ranges that are not dealt";
    refusals(vec![
        (
            LoadJob { ranges: None, ..of_all(0, 4, Ranges::Shared {}) },
            "job.jobs_of_all: jobs_of_all needs ranges",
        ),
        (of_all(0, 4, Ranges::Shared {}), not_dealt),
        (of_all(0, 4, Ranges::OwnFiles {}), not_dealt),
        (of_all(3, 4, Ranges::Segmented {}), "job.jobs_of_all: 2 jobs from number 3 on, of 4"),
        (
            of_all(u32::MAX, u32::MAX, Ranges::Interleaved {}),
            "job.jobs_of_all: 2 jobs from number 4294967295 on, of 4294967295",
        ),
        (of_all(16, 18, Ranges::Interleaved {}), "job.ranges: more writers than ranges: 2 jobs, 0 ranges"),
    ]);
}

#[test]
fn passes_and_extending() {
    let passes = |passes| LoadJob { passes: Some(passes), ..writers(Ranges::Shared {}) };
    let extend = || LoadJob { extend: true, ..writers(Ranges::Segmented {}) };
    let rate = Some(Rate { operations_per_second: 100.0, arrival: Arrival::Constant });
    let reader = Companion { role: CompanionKind::Reader, count: 1, block_size_bytes: 4096 };
    let device = Target::Block { path: "/nowhere".into(), offset_bytes: 0, size_bytes: 64 << 10 };
    refusals(vec![
        (passes(0), "job.passes: passes is 0"),
        (LoadJob { warm_up_ns: 5, ..passes(1) }, "job.passes: passes with a warm-up of 5 ns"),
        (
            LoadJob { wear_out: true, rate, ..passes(1) },
            "job.wear_out: wear_out with reads, a queue, a rate, a sync or processes",
        ),
        (LoadJob { wear_out: true, passes: None, ..passes(1) }, "job.wear_out: wear_out needs passes"),
        (
            LoadJob { only_existing: true, extend: true, ..passes(1) },
            "job.only_existing: only_existing on a target that is not one file that is there",
        ),
        (LoadJob { read_percent: 10, ..extend() }, "job.extend: extend with reads"),
        (LoadJob { companions: vec![reader], ..extend() }, "job.extend: extend with reads"),
        (LoadJob { target: device, ..extend() }, "job.extend: extend on a target without files"),
    ]);
}

#[test]
fn making_writes_durable() {
    let sync = |sync| LoadJob { sync, ..writers(Ranges::Shared {}) };
    let null = Target::Null { size_bytes: 1 << 20 };
    let three_files = support::files(std::path::Path::new("/nowhere"));
    let several = "job.sync: fsync or fdatasync on several files";
    refusals(vec![
        (sync(Sync::Fsync { every: 0 }), "job.sync: sync after every 0 writes"),
        (LoadJob { read_percent: 100, ..sync(Sync::Dsync) }, "job.sync: sync in a load that only reads"),
        (LoadJob { target: null, ..sync(Sync::Dsync) }, "job.sync: sync on the null target"),
        (LoadJob { target: three_files, ..sync(Sync::Fdatasync { every: 1 }) }, several),
    ]);
}

#[test]
fn verifying() {
    let verify = || LoadJob { verify: true, ..writers(Ranges::Segmented {}) };
    let null = Target::Null { size_bytes: 1 << 20 };
    refusals(vec![
        (LoadJob { read_percent: 1, ..verify() }, "job.verify: verify with reads"),
        (LoadJob { target: null, ..verify() }, "job.verify: verify on the null target"),
        (LoadJob { block_sizes: sizes(1000, 1), ..verify() }, "job.verify: verify with a block size of 1000"),
        (verify(), "job.verify: verify with 8 places for a job and queue_depth 8"),
    ]);
    assert_eq!(run(verify()).unwrap_err().next, "choose queue_depth 4 or less, or a larger target");
}

#[test]
fn chunks_of_space() {
    let own = |chunk_bytes| LoadJob {
        target: Target::Files {
            directory: "/nowhere".into(),
            prefix: "f".into(),
            count: 2,
            file_size_bytes: 64 << 10,
        },
        access: Access::Sequential {},
        extend: true,
        preallocate_chunk_bytes: Some(chunk_bytes),
        ..writers(Ranges::OwnFiles {})
    };
    let key = "preallocate_chunk_bytes";
    let needs = |cause: &str| format!("job.{key}: {key} {cause}");
    let cases = [
        (LoadJob { extend: false, ..own(8192) }, needs("without extend")),
        (LoadJob { preallocate: true, ..own(8192) }, needs("with preallocate")),
        (
            LoadJob { access: Access::Random {}, ..own(8192) },
            needs("without a file of each job's own, written sequentially"),
        ),
        (
            LoadJob { ranges: Some(Ranges::Segmented {}), ..own(8192) },
            needs("without a file of each job's own, written sequentially"),
        ),
        (
            LoadJob { ranges: None, ..own(8192) },
            needs("without a file of each job's own, written sequentially"),
        ),
        (own(0), needs("0 is not a multiple of the block size 4096")),
        (own(6000), needs("6000 is not a multiple of the block size 4096")),
    ];
    for (load, expected) in cases {
        assert_eq!(refusal(load), expected);
    }
}
