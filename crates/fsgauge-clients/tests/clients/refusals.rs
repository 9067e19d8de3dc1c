//! Jobs that are refused, and the message.

use super::jobs::*;
use super::mix::mix;
use super::mounted::Mounted;
use fsgauge_wire::{
    Activity, Arrival, ClientsInterface, ClientsJob, ClientsTarget, Data, Dispatch, FileSet, FileSizes,
    Phase, Rate, Think, Tree, WeightedActivity,
};
use std::path::Path;

fn refusal(job: &ClientsJob) -> String {
    let failure = run(job).unwrap_err();
    assert_eq!(failure.exit_code(), 2, "{failure:?}");
    format!("{}; {}", failure.what, failure.next)
}

#[test]
fn what_does_not_fit_is_refused_with_what_would() {
    let directory = tempfile::tempdir().unwrap();
    let plain = job(directory.path(), WRITE);
    let many = |clients| {
        let files = FileSet { clients, ..plain.files.clone() };
        ClientsJob { clients, outstanding: 6, interface: ClientsInterface::Plain, files, ..plain.clone() }
    };
    let told = refusal(&many(1_000_000));
    assert!(told.starts_with("1000000 clients with 6 open files each need"), "{told}");
    let fitting: u32 =
        told.split("set clients to ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    assert!((10..1_000_000).contains(&fitting), "{told}");
    assert_eq!(tree(directory.path()).len(), 0);

    if let Some(mounted) = Mounted::tmpfs("size=1m,nr_inodes=40") {
        let path = mounted.path().display().to_string();
        let small = ClientsJob { target: ClientsTarget::Path { directory: path }, ..plain.clone() };
        let told = refusal(&small);
        // 20 files of each size: 16384, 8192 and 102400 stored bytes.
        assert!(told.contains("write 2.4 MiB") && told.contains("1.0 MiB free"), "{told}");
        assert!(told.ends_with("set files_per_client to 2 at most"), "{told}");
        let mut fewer = small;
        fewer.files.sizes = FileSizes::Cycle { sizes_bytes: vec![100] };
        let told = refusal(&fewer);
        assert!(told.contains("need 70 inodes") && told.contains("39 free"), "{told}");
        assert!(told.ends_with("set files_per_client to 2 at most"), "{told}");
        fewer.files.files_per_client = 2;
        assert_whole(&run(&fewer).unwrap());
    }
}

#[test]
fn jobs_that_cannot_be_are_refused() {
    let plain = on_nothing(WRITE);
    let with = |change: &dyn Fn(&mut ClientsJob)| {
        let mut job = plain.clone();
        change(&mut job);
        job
    };
    let weighted = |activity, weight| WeightedActivity { activity, weight };
    let lognormal = |sigma, median_bytes| FileSizes::Lognormal {
        median_bytes,
        sigma,
        smallest_bytes: 10,
        largest_bytes: 1000,
    };
    let mixed = |activities: Vec<WeightedActivity>| on_nothing(Phase::Mix { activities });
    let paced = |operations_per_second| Some(Rate { operations_per_second, arrival: Arrival::Constant });
    let threads = with(&|job| (job.dispatch, job.threads) = (Dispatch::Threads, None));
    let refusals = [
        (with(&|job| job.clients = 0), "clients 0 is not between 1 and 1000000"),
        (with(&|job| job.clients = 11), "11 clients are more than the file set's 10"),
        (with(&|job| job.outstanding = 0), "outstanding 0 is not between 1 and 1024"),
        (with(&|job| job.outstanding = 7), "outstanding 7 is more than the 6 files of a client"),
        (with(&|job| job.threads = Some(0)), "threads 0 is not between 1 and 256"),
        (with(&|job| job.time_limit_ns = 0), "time_limit_ns is 0"),
        (with(&|job| (job.wear_out, job.outstanding) = (true, 2)), "wear_out in a phase that does not"),
        (
            with(&|job| (job.wear_out, job.phase) = (true, Phase::Stat {})),
            "wear_out in a phase that does not write by number",
        ),
        (with(&|job| job.only_existing = true), "only_existing on a server, or in a phase"),
        (with(&|job| job.interval_ns = 1), "interval_ns 1 is below 1000000"),
        (with(&|job| job.ramp_ns = job.time_limit_ns), "ramp_ns 60000000000 does not end before"),
        (
            with(&|job| job.think = Some(Think { mean_ns: 0, spread: Arrival::Constant })),
            "think.mean_ns is 0",
        ),
        (with(&|job| job.rate = paced(0.0)), "operations_per_second 0 is not above 0"),
        (with(&|job| (job.rate, job.ramp_ns) = (paced(10.0), 5)), "a rate with rests, a ramp,"),
        (with(&|job| (job.rate, job.phase) = (paced(10.0), mix())), "a rate with rests, a ramp,"),
        (with(&|job| job.files.files_per_client = 0), "files.files_per_client is 0"),
        (with(&|job| job.files.record_size_bytes = 0), "files.record_size_bytes 0 is not between"),
        (
            with(&|job| job.files.tree = Tree::Shared { depth: 9, fan_out: 1 }),
            "a tree of depth 9 and fan_out 1 is not supported",
        ),
        (
            with(&|job| job.files.tree = Tree::Shared { depth: 2, fan_out: 1001 }),
            "a tree of depth 2 and fan_out 1001 is not supported",
        ),
        (
            with(&|job| job.files.sizes = FileSizes::Cycle { sizes_bytes: vec![] }),
            "0 file sizes are not between 1 and 1000",
        ),
        (with(&|job| job.files.sizes = lognormal(0.0, 100)), "sigma 0 is not above 0"),
        (with(&|job| job.files.sizes = lognormal(f64::NAN, 100)), "sigma NaN is not above 0"),
        (with(&|job| job.files.sizes = lognormal(1.0, 5)), "median_bytes 5 is not between smallest_bytes 10"),
        (
            with(&|job| job.data = Data::Compressible { compressible_percent: 101 }),
            "compressible_percent 101 is above 100",
        ),
        (ClientsJob { threads: Some(2), ..threads.clone() }, "threads is 2 with dispatch \"threads\""),
        (ClientsJob { outstanding: 2, ..threads.clone() }, "outstanding is 2 with dispatch \"threads\""),
        (
            ClientsJob { interface: ClientsInterface::IoUring, ..threads },
            "interface is \"io_uring\" with dispatch \"threads\"",
        ),
        (mixed(vec![]), "a mix of no activities"),
        (mixed(vec![weighted(Activity::Read, 0)]), "activity read has weight 0"),
        (
            mixed(vec![weighted(Activity::Read, 1), weighted(Activity::Read, 1)]),
            "activity read is there twice",
        ),
        (mixed(vec![weighted(Activity::Delete, 1)]), "a mix that deletes and never creates"),
        (job(Path::new("/nowhere/at/all"), WRITE), "clients cannot work in /nowhere/at/all; mkdir -p"),
        (job(Path::new("/proc/version"), WRITE), "clients cannot work in /proc/version; name a directory"),
    ];
    for (job, expected) in refusals {
        let told = refusal(&job);
        assert!(told.starts_with(expected), "{told}");
    }
}
