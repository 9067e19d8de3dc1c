//! Lives from a job to its result: what is known exactly, what is refused, and what a full device leaves.

use fsgauge_simulate::{MODEL_VERSION, run_simulate};
use fsgauge_wire::{
    AgeResult, Engine, Event, Failure, Job, Listener, LoadResult, Profile, ScanResult, SimulateJob,
    SimulateResult, SimulatedStep, StepResult, Stop, parse_job,
};

const MIB: u64 = 1 << 20;

struct Deaf;

impl Listener for Deaf {
    fn event(&mut self, _: Event) -> std::io::Result<()> {
        Ok(())
    }
}

fn job(policy: &str, size_bytes: u64, more: &str, steps: &[String]) -> SimulateJob {
    let text = format!(
        r#"{{"format":1,"kind":"simulate","policy":{policy},"device":{{"model":"disks-8+2-2012"}},
            "size_bytes":{size_bytes}{more},"steps":[{}]}}"#,
        steps.join(",")
    );
    match parse_job(&text).unwrap() {
        Job::Simulate(job) => job,
        other => panic!("{other:?}"),
    }
}

fn live(job: &SimulateJob) -> Result<SimulateResult, Failure> {
    let text = || "test".to_string();
    let engine = Engine { version: text(), profile: Profile::Debug, target: text(), commit: text() };
    run_simulate(job, engine, &mut Deaf, Stop::new())
}

fn clients(phase: &str, clients: u32, files: u32, directory: &str) -> String {
    format!(
        r#"{{"kind":"clients","format":1,"target":{{"kind":"path","directory":"{directory}"}},"phase":{phase},
            "clients":{clients},"files":{{"clients":{clients},"files_per_client":{files},
            "sizes":{{"kind":"cycle","sizes_bytes":[{MIB}]}},"record_size_bytes":4096,"tree":{{"kind":"own"}}}},
            "time_limit_ns":1,"seed":1}}"#
    )
}

fn scan(path: &str) -> String {
    format!(r#"{{"kind":"scan","format":1,"path":"{path}","top":2,"list_whole":true}}"#)
}

fn write() -> &'static str {
    r#"{"kind":"write"}"#
}

fn rate(read_percent: u32, files: u32, file_bytes: u64) -> String {
    format!(
        r#"{{"kind":"load","format":1,"target":{{"kind":"files","directory":"/m/rate","prefix":"rate-",
            "count":{files},"file_size_bytes":{file_bytes}}},"interface":"io_uring","direct":true,
            "access":{{"kind":"sequential"}},"read_percent":{read_percent},
            "block_sizes":[{{"size_bytes":{MIB},"weight":1}}],"queue_depth":4,"jobs":{files},"duration_ns":1,
            "seed":1,"ranges":{{"kind":"own_files"}},"passes":1,"extend":{}}}"#,
        read_percent == 0
    )
}

fn age(profile: &str, mode: &str, fill_percent: u32) -> String {
    format!(
        r#"{{"kind":"age","format":1,"directory":"/m/aged","profile":{profile},"mode":"{mode}",
            "fill_percent":{fill_percent},"end":{{"kind":"complete"}},"time_limit_ns":600000000000,"seed":3}}"#
    )
}

fn scanned(step: &SimulatedStep) -> &ScanResult {
    match step.result.as_ref() {
        Some(StepResult::Scan(scan)) => scan,
        other => panic!("{other:?}"),
    }
}

fn loaded(step: &SimulatedStep) -> &LoadResult {
    match step.result.as_ref() {
        Some(StepResult::Load(load)) => load,
        other => panic!("{other:?}"),
    }
}

fn aged(step: &SimulatedStep) -> &AgeResult {
    match step.result.as_ref() {
        Some(StepResult::Age(age)) => age,
        other => panic!("{other:?}"),
    }
}

fn extents(step: &SimulatedStep) -> (u64, u64) {
    let counts = scanned(step).counts;
    (counts.files, counts.extents)
}

/// 590 writers of 1 MiB in records of 4 KiB: what the kernel does, and what follows from a definition.
#[test]
fn interleaved_clients_have_the_extents_that_are_known() {
    let ext4 = r#"{"kind":"ext4","release":"6.18"}"#;
    let at_once = r#"{"kind":"ext4","release":"6.18","delays":false}"#;
    let delayed = r#"{"kind":"delayed","delay_blocks":128}"#;
    let alone = r#"{"kind":"block_at_a_time"}"#;
    let unproven = "not compared";
    for (policy, expected, proof) in [
        (ext4, 1, "62 of 62 checkpoints"),
        (at_once, 20, "21 of 21 checkpoints"),
        (delayed, 2, unproven),
        (alone, 256, unproven),
    ] {
        let steps = [clients(write(), 590, 1, "/m/files"), scan("/m/files")];
        let result = live(&job(policy, 2048 * MIB, "", &steps)).unwrap();
        assert_eq!(extents(&result.steps[1]), (590, 590 * expected), "{policy}");
        assert!(result.proof.contains(proof), "{policy}: {}", result.proof);
        assert_eq!(result.steps[0].size_bytes, 590 * MIB);
    }
}

/// XFS sets aside for files that grow in the page cache, and for no others.
#[test]
fn xfs_sets_aside_what_allocsize_says_where_data_waits() {
    let extents = |policy: &str, steps: &[String]| {
        let result = live(&job(policy, 1024 * MIB, "", steps)).unwrap();
        let scan = scanned(result.steps.last().unwrap());
        (result.proof, scan.counts.extents)
    };
    let plain = r#"{"kind":"xfs"}"#;
    let fixed = r#"{"kind":"xfs","preallocation_blocks":1024}"#;
    let hinted = r#"{"kind":"xfs","extent_hint_blocks":1024}"#;
    // Four files of 8 MiB that grow in turns by records of 1 MiB.
    let direct = [rate(0, 4, 8 * MIB), scan("/m/rate")];
    let (proof, of_each_record) = extents(plain, &direct);
    assert!(proof.contains("free runs"), "{proof}");
    assert_eq!(of_each_record, 32);
    assert_eq!(extents(fixed, &direct).1, 32, "allocsize is for the page cache alone");
    assert_eq!(extents(hinted, &direct).1, 8, "4 MiB for each extent");
    let buffered = [rate(0, 4, 8 * MIB).replace(r#""direct":true"#, r#""direct":false"#), scan("/m/rate")];
    assert_eq!(extents(plain, &buffered).1, 4, "each waits until it is whole");
}

/// One reader, who meets the pieces of 590 braided files, and the same files whole.
#[test]
fn a_reader_pays_for_what_is_braided() {
    let backup = r#"{"kind":"backup","order":"directory","block_size_bytes":1048576}"#;
    let time = |policy: &str| {
        let steps = [clients(write(), 590, 1, "/m/files"), clients(backup, 590, 1, "/m/files")];
        let result = live(&job(policy, 2048 * MIB, "", &steps)).unwrap();
        let load = loaded(&result.steps[1]);
        assert_eq!(load.read.as_ref().unwrap().size_bytes, 590 * MIB);
        assert_eq!(load.clients.as_ref().unwrap().files, 590);
        load.elapsed_ns
    };
    let (whole, braided) =
        (time(r#"{"kind":"delayed","delay_blocks":256}"#), time(r#"{"kind":"block_at_a_time"}"#));
    assert!(braided > 3 * whole, "{braided} {whole}");
}

/// Ageing, deletes, rates in the holes: pieces of the chunk's size, and rates that follow from it.
#[test]
fn chunks_stay_whole_and_small_ones_cost_a_disk_more() {
    let kept = |chunk_mib: u64| {
        let intermingled = format!(
            r#"{{"kind":"intermingled","files":20,"file_size_bytes":{},"chunk_bytes":{}}}"#,
            64 * MIB,
            chunk_mib * MIB
        );
        let mut write = rate(0, 4, 8 * MIB);
        write.insert_str(1, &format!(r#""preallocate_chunk_bytes":{},"#, chunk_mib * MIB));
        let steps = [
            write.clone(),
            r#"{"kind":"clear","directory":"/m/rate"}"#.into(),
            age(&intermingled, "fast", 90),
            scan("/m/aged"),
            r#"{"kind":"ballast","path":"/m/ballast","leave_bytes":4194304}"#.into(),
            r#"{"kind":"delete","path":"/m/aged/d0000/f0007"}"#.into(),
            write,
            scan("/m/rate"),
            rate(100, 4, 8 * MIB),
        ];
        let ext4 = r#"{"kind":"ext4","release":"6.18"}"#;
        let result = live(&job(ext4, 2048 * MIB, r#","without_data":true"#, &steps)).unwrap();
        assert_eq!(result.steps.len(), 9, "{:?}", result.steps.last());
        assert_eq!(extents(&result.steps[3]), (20, 20 * 64 / chunk_mib));
        assert!(result.proof.contains("83 of 83 checkpoints"), "{}", result.proof);
        let left = result.steps[4].free_bytes;
        // Free blocks as statfs(2) counts them, with what is set aside for directories.
        assert!((4 * MIB..20 * MIB).contains(&left), "{left}");
        assert_eq!(result.steps[5].size_bytes, 64 * MIB);
        let read = loaded(&result.steps[8]);
        assert_eq!(read.read.as_ref().unwrap().operations, 32);
        result.steps[0].moved.unwrap().fastest_ns as f64 / result.steps[6].moved.unwrap().fastest_ns as f64
    };
    let (small, large) = (kept(1), kept(8));
    assert!(small < 0.75 * large, "{small} {large}");
}

#[test]
fn a_full_device_is_named_and_the_steps_before_are_kept() {
    let steps = [rate(0, 2, 4 * MIB), rate(0, 2, 40 * MIB), scan("/m")];
    let result = live(&job(r#"{"kind":"first_fit"}"#, 64 * MIB, "", &steps)).unwrap();
    assert_eq!(result.steps.len(), 2, "the one that failed is the last");
    assert_eq!((result.steps[0].fault.clone(), result.steps[0].size_bytes), (None, 8 * MIB));
    let fault = result.steps[1].fault.as_ref().unwrap();
    assert_eq!(fault.code, "simulate.full");
    assert_eq!(
        fault.what,
        "the simulated device is full: /m/rate/rate-0000 has 33554432 of 41943040 bytes and no space for 1048576 bytes more"
    );
    assert_eq!(fault.cause, "0 of 67108864 bytes are left for files, in 0 pieces of at most 0 bytes");
}

#[test]
fn a_log_that_finds_no_space_says_at_which_operation() {
    let bins = r#"{"kind":"bins","bins":[{"at_least_bytes":4096,"below_bytes":8192,"weight":1}]}"#;
    let ext4 = r#"{"kind":"ext4","release":"6.18"}"#;
    let steps = [age(&format!(r#"{{"kind":"churn","streams":1,"sizes":{bins}}}"#), "fast", 100)];
    let result = live(&job(ext4, 64 * MIB, r#","without_data":true"#, &steps)).unwrap();
    let aging = aged(&result.steps[0]);
    assert!(aging.errors[0].count > 0 && aging.live_files > 1000);
    let first = aging.errors[0].first_operation;
    assert!(aging.notes[0].text.contains(&format!("operation {first} found no space")), "{:?}", aging.notes);
}

#[test]
fn what_cannot_be_is_refused_before_anything_happens() {
    let wrong = |policy: &str, size: u64, more: &str, steps: &[String]| {
        let failure = live(&job(policy, size, more, steps)).unwrap_err();
        assert!(failure.code.starts_with("job."), "{failure}");
        format!("{}: {}", failure.what, failure.cause)
    };
    let fit = r#"{"kind":"first_fit"}"#;
    assert!(wrong(fit, MIB, "", &[]).contains("has 1048576 bytes: from 16 MiB"));
    assert!(wrong(fit, 64 * MIB, r#","block_size_bytes":5000"#, &[]).contains("block_size_bytes is 5000"));
    assert!(wrong(fit, 64 * MIB, r#","group_blocks":32769"#, &[]).contains("from 1 to 32768"));
    let table = r#"{"kind":"ldiskfs","prealloc_table_blocks":[256,256]}"#;
    assert!(wrong(table, 64 * MIB, "", &[]).contains("not ascending: 256 comes before 256"));
    assert!(wrong(fit, 64 * MIB, "", &[clients(r#"{"kind":"stat"}"#, 1, 1, "/m")]).contains("no model"));
    let bins = r#"{"kind":"bins","bins":[]}"#;
    let empty = age(&format!(r#"{{"kind":"churn","sizes":{bins}}}"#), "write", 80);
    assert!(wrong(fit, 64 * MIB, "", &[empty]).contains("sizes are not valid"));
}

#[test]
fn a_job_that_is_only_looked_at_has_no_steps_and_the_space() {
    let steps = [clients(write(), 590, 1, "/m")];
    let mut job = job(r#"{"kind":"buddy"}"#, 1024 * MIB, "", &steps);
    job.check_only = true;
    let result = live(&job).unwrap();
    assert_eq!((result.steps.len(), result.free_bytes), (0, 1024 * MIB));
    assert_eq!((result.model_version, result.policy.as_str()), (MODEL_VERSION, "buddy"));
    assert!(result.proof.starts_with("not compared"), "{}", result.proof);
}

/// A fresh copy holds the same bytes in fewer extents.
#[test]
fn a_fresh_copy_of_an_aged_tree_is_whole() {
    let counts = |fresh: &str| {
        let churn = r#"{"kind":"churn","streams":4}"#;
        let mut aging = age(churn, "write", 80)
            .replace(r#""end":{"kind":"complete"}"#, r#""end":{"kind":"storage_age","storage_age":4.0}"#);
        aging.insert_str(1, &format!(r#""fresh_copy":{fresh},"#));
        let policy = r#"{"kind":"ext4","release":"6.18"}"#;
        let result = live(&job(policy, 256 * MIB, "", &[aging, scan("/m/aged")])).unwrap();
        let scan = scanned(&result.steps[1]);
        (scan.counts.files, scan.counts.extent_bytes, scan.counts.extents)
    };
    let (aged, fresh) = (counts("false"), counts("true"));
    assert_eq!((aged.0, aged.1), (fresh.0, fresh.1));
    assert!(fresh.2 < aged.2, "{fresh:?} {aged:?}");
}

fn rate_of(step: &SimulatedStep) -> f64 {
    let moved = step.moved.unwrap();
    moved.size_bytes as f64 / moved.slowest_ns as f64
}

/// Four streams that have 16 requests in flight on each device: each device does what one alone does, at the same time.
#[test]
fn files_striped_over_four_devices_have_four_times_the_rate_of_one() {
    let table = r#"{"kind":"ldiskfs","prealloc_table_blocks":[256]}"#;
    let one = live(&job(table, 512 * MIB, "", &[rate(0, 4, 64 * MIB), scan("/m/rate")])).unwrap();
    let deep = rate(0, 4, 256 * MIB).replace(r#""queue_depth":4"#, r#""queue_depth":16"#);
    let four = live(&job(table, 512 * MIB, r#","devices":4"#, &[deep, scan("/m/rate")])).unwrap();
    assert_eq!(four.free_bytes, 4 * one.free_bytes);
    assert_eq!(extents(&four.steps[1]), (4, 4 * extents(&one.steps[1]).1));
    assert_eq!(four.steps[0].size_bytes, 1024 * MIB);
    let gain = rate_of(&four.steps[0]) / rate_of(&one.steps[0]);
    assert!((3.999..4.001).contains(&gain), "{gain}");
}

/// One reader who waits for each answer has one device at work at a time.
#[test]
fn one_request_at_a_time_gains_nothing_by_stripes() {
    let backup = r#"{"kind":"backup","order":"directory","block_size_bytes":1048576}"#;
    let steps = [clients(write(), 8, 4, "/m/files"), clients(backup, 8, 4, "/m/files")];
    let policy = r#"{"kind":"delayed","delay_blocks":256}"#;
    let one = live(&job(policy, 256 * MIB, "", &steps)).unwrap();
    let stripes = r#","devices":4,"stripe_bytes":262144"#;
    let four = live(&job(policy, 64 * MIB, stripes, &steps)).unwrap();
    assert!(rate_of(&four.steps[1]) <= 1.01 * rate_of(&one.steps[1]));
}

/// Files of all lengths come and go on three devices: what is free and what files have is all there is.
#[test]
fn striped_files_that_come_and_go_lose_no_block() {
    let churn = age(r#"{"kind":"churn","streams":4,"rewrite_percent":20}"#, "write", 70)
        .replace(r#""end":{"kind":"complete"}"#, r#""end":{"kind":"storage_age","storage_age":3.0}"#);
    let clear = r#"{"kind":"clear","directory":"/m/aged"}"#.to_string();
    let stripes = r#","devices":3,"stripe_bytes":65536"#;
    let policy = r#"{"kind":"next_fit"}"#;
    let result = live(&job(policy, 64 * MIB, stripes, &[churn, scan("/m/aged"), clear])).unwrap();
    let held_bytes = scanned(&result.steps[1]).counts.extent_bytes;
    assert!(held_bytes > 120 * MIB, "{held_bytes}");
    assert_eq!(result.steps[1].free_bytes + held_bytes, 192 * MIB);
    assert_eq!(result.steps[2].free_bytes, 192 * MIB);
}

/// One of the devices is full before the others: the append is undone on all, and the file is as long as it was.
#[test]
fn an_append_that_one_device_has_no_room_for_is_undone() {
    let policy = r#"{"kind":"first_fit"}"#;
    let steps = [rate(0, 1, 200 * MIB), scan("/m")];
    let stripes = r#","devices":3,"stripe_bytes":262144"#;
    let result = live(&job(policy, 64 * MIB, stripes, &steps)).unwrap();
    let fault = result.steps[0].fault.as_ref().unwrap();
    assert!(
        fault.what.contains("has 201326592 of 209715200 bytes and no space for 1048576 bytes more"),
        "{fault}"
    );
    assert!(fault.cause.starts_with("0 of 201326592 bytes are left for files"), "{fault}");
    let wrong = |more: &str| live(&job(policy, 64 * MIB, more, &[])).unwrap_err().what;
    assert_eq!(wrong(r#","devices":0"#), "there are 0 devices of 67108864 bytes");
    assert_eq!(wrong(r#","devices":2,"stripe_bytes":1000"#), "stripe_bytes is 1000");
}

/// statfs(2) said so of file systems that mkfs.ext4 and mkfs.xfs had just made with their defaults, on Linux 6.18.
#[test]
fn an_empty_file_system_has_as_much_room_as_the_kernel_says() {
    let ext4 = r#"{"kind":"ext4","release":"6.18","mke2fs":{"reserved_percent":5}}"#;
    let small = r#","block_size_bytes":1024,"group_blocks":8192"#;
    let exact = |size_mib: u64, more: &str| live(&job(ext4, size_mib * MIB, more, &[])).unwrap().free_bytes;
    assert_eq!(exact(512, ""), 115_545 * 4096);
    assert_eq!(exact(128, small), 108_015 * 1024);
    for (size_bytes, blocks) in
        [(512 * MIB, 107_269), (1 << 30, 235_783), (100 << 30, 26_007_102), (1 << 40, 266_425_462)]
    {
        let free_bytes = live(&job(r#"{"kind":"xfs"}"#, size_bytes, "", &[])).unwrap().free_bytes;
        let ratio = free_bytes as f64 / (blocks as f64 * 4096.0);
        assert!((0.999..1.001).contains(&ratio), "{size_bytes}: {ratio}");
    }
}

/// Root's files take what is left to root, as they do in a kernel; a study fills a share of what all may take.
#[test]
fn what_is_left_to_root_is_no_room_of_a_study_and_is_there_for_its_files() {
    let ext4 = r#"{"kind":"ext4","release":"6.18","mke2fs":{"reserved_percent":20}}"#;
    let ballast = r#"{"kind":"ballast","path":"/m/all","leave_bytes":0}"#.to_string();
    let result = live(&job(ext4, 512 * MIB, "", &[ballast])).unwrap();
    let taken_bytes = result.steps[0].size_bytes;
    assert!(taken_bytes > result.free_bytes + 100 * MIB, "{taken_bytes} of {}", result.free_bytes);
    assert_eq!(result.steps[0].free_bytes, 0);
}

#[test]
fn what_mke2fs_would_not_make_is_refused() {
    let said = |mke2fs: &str, size_bytes: u64, more: &str| {
        let policy = format!(r#"{{"kind":"ext4","release":"6.18","mke2fs":{mke2fs}}}"#);
        let failure = live(&job(&policy, size_bytes, more, &[])).unwrap_err();
        format!("{}: {}", failure.what, failure.cause)
    };
    let gib = 1 << 30;
    assert!(said(r#"{"reserved_percent":51}"#, gib, "").contains("from 0 to 50"));
    assert!(said(r#"{"inode_size_bytes":100}"#, gib, "").contains("a power of two from 128"));
    assert!(said(r#"{"bytes_per_inode":1024}"#, gib, "").contains("its bitmap is one block"));
    assert!(said(r#"{"inodes":50000000}"#, 1 << 50, "").contains("more than a group holds"));
    let small = r#","block_size_bytes":1024,"group_blocks":8192"#;
    assert!(said("{}", 1 << 41, small).contains("more than a group holds"));
    assert!(said("{}", gib, r#","block_size_bytes":8192,"group_blocks":65536"#).contains("65536"));
}
