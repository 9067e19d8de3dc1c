//! What only a ring can do: many operations at once, and an end before they are answered.

use std::fs::File;
use std::io::{IoSliceMut, Write};
use std::os::fd::AsRawFd;

use rustix::fs::{Advice, CWD, FileType, Mode, fadvise, mknodat};
use rustix::io::{ReadWriteFlags, preadv2};

use super::*;

#[test]
fn calls_say_what_carried_them_and_why() {
    let directory = on_disk();
    let mut auto = ring_target(directory.path(), 2, ClientsInterface::Auto);
    make_file(&mut auto, 0, "file", 1);
    let handle = ask(&mut auto, 0, Request::Open { path: c"file", write: false }) as Handle;
    assert_eq!(ask(&mut auto, 0, Request::Close { handle }), 0);
    ask(&mut auto, 0, Request::List { path: c"." });
    assert_eq!(call_of(&auto, ClientOperation::Open), ("io_uring openat".into(), None));
    assert_eq!(call_of(&auto, ClientOperation::Write), ("pwrite".into(), None));
    let reason = Some("io_uring has no getdents".into());
    assert_eq!(call_of(&auto, ClientOperation::List), ("getdents64".into(), reason));

    let mut all = ring_target(directory.path(), 2, ClientsInterface::IoUring);
    make_file(&mut all, 0, "another", 1);
    assert_eq!(call_of(&all, ClientOperation::Write), ("io_uring write".into(), None));
    assert_eq!(call_of(&all, ClientOperation::Create), ("io_uring openat".into(), None));

    let mut plain = ring_target(directory.path(), 2, ClientsInterface::Plain);
    ask(&mut plain, 0, Request::List { path: c"." });
    assert_eq!(call_of(&plain, ClientOperation::List), ("getdents64".into(), None));
}

/// Where nothing waits, nothing is handed to the ring.
#[test]
fn in_memory_calls_are_plain_unless_asked_for() {
    let directory = tempfile::tempdir_in("/dev/shm").unwrap();
    let mut auto = ring_target(directory.path(), 1, ClientsInterface::Auto);
    make_file(&mut auto, 0, "file", 1);
    let open = Request::Open { path: c"file", write: false };
    let Started::Done(handle) = auto.start(0, &open) else { panic!("open is pending") };
    assert_eq!(ask(&mut auto, 0, Request::Close { handle: handle as Handle }), 0);
    let reason = Some("the files are in memory: there is no device to wait for".into());
    assert_eq!(call_of(&auto, ClientOperation::Open), ("openat".into(), reason));
    assert_eq!(call_of(&auto, ClientOperation::Write), ("pwrite".into(), None));

    let mut all = ring_target(directory.path(), 1, ClientsInterface::IoUring);
    assert_eq!(all.start(0, &open), Started::Pending);
    all.wait(Duration::from_secs(5), &mut |_, _| {}).unwrap();
    assert_eq!(call_of(&all, ClientOperation::Open), ("io_uring openat".into(), None));
}

/// Whether a file's first record comes without a wait.
fn is_at_once(path: &Path) -> bool {
    let (file, mut record) = (File::open(path).unwrap(), vec![0; RECORD_BYTES as usize]);
    let read = preadv2(&file, &mut [IoSliceMut::new(&mut record)], 0, ReadWriteFlags::NOWAIT);
    read == Ok(RECORD_BYTES as usize)
}

/// What is in memory is read at once, the rest is waited for, and each lane is given its own.
#[test]
fn reads_wait_only_for_the_device() {
    let directory = on_disk();
    let mut auto = ring_target(directory.path(), 2, ClientsInterface::Auto);
    for path in ["near", "far"] {
        make_file(&mut auto, 0, path, 2);
    }
    let open = |target: &mut RingTarget, path: &str| {
        ask(target, 0, Request::Open { path: &name(path), write: false }) as Handle
    };
    let (near, far) = (open(&mut auto, "near"), open(&mut auto, "far"));
    let file = File::open(directory.path().join("far")).unwrap();
    file.sync_all().unwrap();
    let is_fast = is_at_once(&directory.path().join("near"));
    for record in [1, 0] {
        let offset_bytes = u64::from(record) * u64::from(RECORD_BYTES);
        let read = |handle| Request::Read { handle, offset_bytes, size_bytes: RECORD_BYTES };
        fadvise(&file, 0, None, Advice::DontNeed).unwrap();
        // Lane 1 is pending, as a rule, while lane 0 is served in between.
        let of_far = auto.start(1, &read(far));
        if of_far == Started::Pending {
            let of_near = auto.start(0, &read(near));
            if is_fast {
                assert_eq!(of_near, Started::Done(Answer::from(RECORD_BYTES)));
                assert!(auto.incoming(0).iter().copied().eq(contents(record)));
            }
            let (begin, mut left) = (Instant::now(), if is_fast { 1 } else { 2 });
            while left > 0 {
                assert!(begin.elapsed() < PATIENCE);
                auto.wait(Duration::from_millis(100), &mut |_, answer| {
                    assert_eq!(answer, Answer::from(RECORD_BYTES));
                    left -= 1;
                })
                .unwrap();
            }
        }
        assert!(auto.incoming(1).iter().copied().eq(contents(record)), "record {record}");
    }
    let call = if is_fast { "preadv2 (RWF_NOWAIT), io_uring read" } else { "io_uring read" };
    assert_eq!(call_of(&auto, ClientOperation::Read), (call.into(), None));
    for handle in [near, far] {
        assert_eq!(ask(&mut auto, 0, Request::Close { handle }), 0);
    }

    let mut all = ring_target(directory.path(), 2, ClientsInterface::IoUring);
    let near = open(&mut all, "near");
    let read = Request::Read { handle: near, offset_bytes: 0, size_bytes: RECORD_BYTES };
    assert_eq!(all.start(0, &read), Started::Pending);
    all.wait(PATIENCE, &mut |_, _| {}).unwrap();
    assert_eq!(call_of(&all, ClientOperation::Read), ("io_uring read".into(), None));
    assert_eq!(ask(&mut all, 0, Request::Close { handle: near }), 0);
}

/// Files of /proc have no reads without waiting: that is asked once.
#[test]
fn reads_at_once_are_given_up_where_there_are_none() {
    let directory = on_disk();
    let mut auto = ring_target(directory.path(), 1, ClientsInterface::Auto);
    make_file(&mut auto, 0, "file", 1);
    let open = |target: &mut RingTarget, path| ask(target, 0, Request::Open { path, write: false }) as Handle;
    let (strange, handle) = (open(&mut auto, c"/proc/self/status"), open(&mut auto, c"file"));
    for handle in [strange, handle] {
        let read = Request::Read { handle, offset_bytes: 0, size_bytes: RECORD_BYTES };
        assert_eq!(auto.start(0, &read), Started::Pending);
        let mut answer = None;
        auto.wait(PATIENCE, &mut |_, given| answer = Some(given)).unwrap();
        assert!(answer.is_some_and(|answer| answer > 0), "{answer:?}");
        assert_eq!(ask(&mut auto, 0, Request::Close { handle }), 0);
    }
    assert_eq!(call_of(&auto, ClientOperation::Read), ("io_uring read".into(), None));
}

/// More lanes than the ring has entries; each reads a record of its own, time and again.
#[test]
fn thousands_of_lanes_read_at_once() {
    const LANES: u32 = 2500;
    for (directory, interface) in directories().iter().zip(INTERFACES) {
        let mut target = ring_target(directory.path(), LANES, interface);
        make_file(&mut target, 0, "file", LANES);
        let handle = ask(&mut target, 0, Request::Open { path: c"file", write: false }) as Handle;
        for shift in [0, 1, 77] {
            let record_of = |lane: u32| (lane + shift) % LANES;
            let check = |target: &RingTarget, lane: u32, answer: Answer| {
                assert_eq!(answer, Answer::from(RECORD_BYTES));
                let found = target.incoming(lane).iter().copied();
                assert!(found.eq(contents(record_of(lane))), "lane {lane}");
            };
            let mut answered = vec![None; LANES as usize];
            let mut is_done = vec![false; LANES as usize];
            for lane in 0..LANES {
                let offset_bytes = u64::from(record_of(lane)) * u64::from(RECORD_BYTES);
                let read = Request::Read { handle, offset_bytes, size_bytes: RECORD_BYTES };
                match target.start(lane, &read) {
                    Started::Pending => {}
                    // Looked at before anything else is started.
                    Started::Done(answer) => {
                        assert_eq!(interface, ClientsInterface::Auto);
                        check(&target, lane, answer);
                        is_done[lane as usize] = true;
                    }
                }
            }
            let begin = Instant::now();
            while answered.iter().zip(&is_done).any(|(answer, is_done)| answer.is_none() && !is_done) {
                assert!(begin.elapsed() < PATIENCE);
                let each = &mut |lane: u32, answer: Answer| {
                    assert_eq!(answered[lane as usize].replace(answer), None, "lane {lane}");
                };
                target.wait(Duration::from_millis(100), each).unwrap();
            }
            for lane in 0..LANES {
                match answered[lane as usize] {
                    Some(answer) => check(&target, lane, answer),
                    None => assert!(is_done[lane as usize], "lane {lane}"),
                }
            }
        }
        assert_eq!(ask(&mut target, 0, Request::Close { handle }), 0);
    }
}

/// Opens, each of a path of its own: more than the room for paths holds.
#[test]
fn thousands_of_lanes_open_at_once() {
    const LANES: u32 = 2000;
    let directory = on_disk();
    let long = "l".repeat(200);
    let path = |lane: u32| name(&format!("{long}-{lane:06}"));
    for interface in [ClientsInterface::Auto, ClientsInterface::IoUring] {
        let mut target = ring_target(directory.path(), LANES, interface);
        descriptor_limit(u64::from(LANES)).unwrap();
        for lane in 0..LANES {
            // Sizes tell whether each lane got its own file.
            std::fs::write(directory.path().join(path(lane).to_str().unwrap()), [7].repeat(lane as usize))
                .unwrap();
        }
        let mut handles = vec![None; LANES as usize];
        for lane in 0..LANES {
            assert_eq!(
                target.start(lane, &Request::Open { path: &path(lane), write: false }),
                Started::Pending
            );
        }
        let begin = Instant::now();
        while handles.iter().any(Option::is_none) {
            assert!(begin.elapsed() < PATIENCE);
            let each = &mut |lane: u32, answer: Answer| handles[lane as usize] = Some(answer);
            target.wait(Duration::from_millis(100), each).unwrap();
        }
        for lane in 0..LANES {
            let handle = handles[lane as usize].filter(|handle| *handle >= 0).unwrap() as Handle;
            let read = Request::Read { handle, offset_bytes: 0, size_bytes: RECORD_BYTES };
            assert_eq!(ask(&mut target, lane, read), Answer::from(lane));
            assert_eq!(ask(&mut target, lane, Request::Close { handle }), 0);
        }
    }
}

#[test]
#[should_panic(expected = "has an operation pending")]
fn a_pending_record_is_nobody_elses() {
    let directory = tempfile::tempdir_in("/dev/shm").unwrap();
    let mut target = ring_target(directory.path(), 2, ClientsInterface::IoUring);
    make_file(&mut target, 0, "file", 1);
    let handle = ask(&mut target, 0, Request::Open { path: c"file", write: false }) as Handle;
    target.start(0, &Request::Read { handle, offset_bytes: 0, size_bytes: RECORD_BYTES });
    assert_eq!(target.incoming(1).len(), RECORD_BYTES as usize);
    target.incoming(0);
}

/// A pipe into which nobody writes, and a handle of it: a read never answers.
fn silent_pipe(directory: &Path) -> (File, Handle) {
    let path = directory.join("pipe");
    mknodat(CWD, &path, FileType::Fifo, Mode::RWXU, 0).unwrap();
    let pipe = File::options().read(true).write(true).open(&path).unwrap();
    let handle = pipe.as_raw_fd() as Handle;
    (pipe, handle)
}

#[test]
fn an_end_does_not_wait_for_ever() {
    let directory = tempfile::tempdir().unwrap();
    let (_pipe, handle) = silent_pipe(directory.path());
    let mut target = ring_target(directory.path(), 3, ClientsInterface::IoUring);
    let read = Request::Read { handle, offset_bytes: 0, size_bytes: RECORD_BYTES };
    assert_eq!(target.start(0, &read), Started::Pending);
    target.wait(Duration::from_millis(20), &mut |_, _| panic!("nobody has written")).unwrap();
    // Queued, and never given to the kernel.
    assert_eq!(target.start(1, &Request::Unlink { path: c"pipe" }), Started::Pending);
    let begin = Instant::now();
    drop(target);
    assert!(begin.elapsed() < PATIENCE);
    assert!(directory.path().join("pipe").exists());
}

/// The limit of a wait holds while something is pending.
#[test]
fn a_wait_ends_in_time() {
    let directory = tempfile::tempdir().unwrap();
    let (mut pipe, handle) = silent_pipe(directory.path());
    let mut target = ring_target(directory.path(), 1, ClientsInterface::Auto);
    let read = Request::Read { handle, offset_bytes: 0, size_bytes: RECORD_BYTES };
    assert_eq!(target.start(0, &read), Started::Pending);
    let begin = Instant::now();
    for limit in [Duration::ZERO, Duration::from_millis(30), Duration::ZERO, Duration::from_millis(30)] {
        target.wait(limit, &mut |_, _| panic!("nobody has written")).unwrap();
    }
    assert!(begin.elapsed() >= Duration::from_millis(60));
    pipe.write_all(b"now").unwrap();
    let mut answer = None;
    target.wait(PATIENCE, &mut |_, given| answer = Some(given)).unwrap();
    assert_eq!((answer, &target.incoming(0)[..3]), (Some(3), b"now".as_slice()));
    assert!(begin.elapsed() < PATIENCE);
}
