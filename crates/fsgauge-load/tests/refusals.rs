//! Jobs that cannot be right are refused before anything is touched, with the key and the value.

mod support;

use fsgauge_wire::{Access, Arrival, BlockSize, Interface, LoadJob, Rate, Target};
use support::{null_load, run};

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
    assert_eq!(refusal(psync), "job.queue_depth: queue_depth 8 cannot be had with interface psync");
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
