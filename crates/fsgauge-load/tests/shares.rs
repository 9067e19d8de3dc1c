//! Loads on a share: what a server is asked, how much of it at a time, and what becomes of its faults.

use fsgauge_wire::{
    Access, BlockSize, Descriptors, Interface, LoadJob, NfsTarget, PasswordSource, Ranges, ShareTarget,
    SmbDialect, SmbTarget, Sync, Target, Workers,
};
use nfs3_client::nfs3_types::nfs3::stable_how;

use crate::fake_nfs;
use crate::fake_nfs::{Act, COMMIT, Fake, READ, WRITE, written};
use crate::support::run;

/// What the fake server says the size of every file is.
const FILE_BYTES: u64 = 4096;

fn share(port: u16) -> ShareTarget {
    ShareTarget::Nfs(NfsTarget {
        host: "127.0.0.1".into(),
        port,
        mount_port: Some(port),
        export: "/e".into(),
        directory: "d".into(),
        user_id: 4711,
        group_id: 4712,
    })
}

fn target(share: ShareTarget, size_bytes: u64) -> Target {
    Target::ShareFile { share, name: "data.bin".into(), size_bytes }
}

/// Two writers that write every 16 KiB of 128 KiB once.
fn writers(fake: &Fake) -> LoadJob {
    LoadJob {
        target: target(share(fake.port), 128 << 10),
        interface: Interface::Sockets,
        access: Access::Random {},
        read_percent: 0,
        block_sizes: vec![BlockSize { size_bytes: 16384, weight: 1 }],
        queue_depth: 2,
        jobs: 2,
        ranges: Some(Ranges::Interleaved {}),
        passes: Some(1),
        ..LoadJob::plain()
    }
}

fn readers(fake: &Fake) -> LoadJob {
    LoadJob {
        target: target(share(fake.port), FILE_BYTES),
        interface: Interface::Sockets,
        block_sizes: vec![BlockSize { size_bytes: 512, weight: 1 }],
        queue_depth: 8,
        ..LoadJob::plain()
    }
}

#[test]
fn every_write_is_one_operation_however_many_messages_the_server_wants_it_in() {
    let fake = Fake::start(|_| Act::Usual);
    let result = run(writers(&fake)).unwrap();
    let write = result.write.unwrap();
    assert_eq!((write.operations, write.size_bytes), (8, 128 << 10));
    // It takes 8192 bytes at a time, and nobody asked it to make anything durable.
    assert_eq!((fake.count(WRITE), fake.count(COMMIT), result.sync), (16, 0, None));
    assert!(fake.stabilities().iter().all(|stability| *stability == stable_how::UNSTABLE));
    assert!(result.notes.iter().any(|note| note.code == "share.protocol" && note.text.contains("NFS 3")));
}

#[test]
fn a_sync_is_a_commit_and_a_durable_write_says_so_itself() {
    let fake = Fake::start(|_| Act::Usual);
    let result = run(LoadJob { sync: Sync::Fdatasync { every: 2 }, ..writers(&fake) }).unwrap();
    assert_eq!((result.sync.unwrap().calls, fake.count(COMMIT)), (4, 4));
    let fake = Fake::start(|_| Act::Usual);
    run(LoadJob { sync: Sync::Dsync, ..writers(&fake) }).unwrap();
    assert_eq!((fake.stabilities(), fake.count(COMMIT)), (vec![stable_how::FILE_SYNC; 16], 0));
}

#[test]
fn a_server_that_keeps_a_durable_write_in_memory_is_a_fault() {
    let lax =
        |asked: &fake_nfs::Asked| if asked.is(WRITE) { Act::Results(written(8192)) } else { Act::Usual };
    let fake = Fake::start(lax);
    let failure = run(LoadJob { sync: Sync::Dsync, ..writers(&fake) }).unwrap_err();
    assert_eq!((failure.code.as_str(), failure.errno), ("io.failed", Some(libc::EPROTO)), "{failure}");
}

#[test]
fn as_many_requests_are_under_way_as_the_queue_is_deep() {
    let fake = Fake::start(|asked| match asked.is(READ) {
        true if asked.before == 7 => Act::HangUp,
        true => Act::Silence,
        false => Act::Usual,
    });
    let failure = run(readers(&fake)).unwrap_err();
    // Eight were asked before one was answered, and the end of the connection is the end of the load.
    assert_eq!((fake.count(READ), failure.errno), (8, Some(libc::ECONNRESET)), "{failure}");
    assert!(failure.what.contains("127.0.0.1:/e/d/data.bin"), "{failure}");
}

#[test]
fn a_file_that_ends_too_early_is_told() {
    let fake = Fake::start(|_| Act::Usual);
    // It says that the file has 4096 bytes, and has none for a reader.
    let failure = run(readers(&fake)).unwrap_err();
    assert_eq!((failure.code.as_str(), failure.exit_code()), ("io.short", 3));
    let larger = LoadJob { target: target(share(fake.port), 2 * FILE_BYTES), ..readers(&fake) };
    let failure = run(larger).unwrap_err();
    assert_eq!(failure.what, "127.0.0.1:/e/d/data.bin has 4096 bytes, the job says 8192");
}

#[test]
fn what_a_share_does_not_have_is_refused_before_its_server_is_asked() {
    let fake = Fake::start(|_| Act::Usual);
    let plain = || writers(&fake);
    let smb = ShareTarget::Smb(SmbTarget {
        host: "127.0.0.1".into(),
        port: fake.port,
        share: "s".into(),
        directory: "d".into(),
        user: "u".into(),
        password: Some(PasswordSource::Environment { name: "NONE_IS_HERE".into() }),
        dialect: SmbDialect::default(),
        signing: false,
        encryption: false,
        oplocks: false,
    });
    let named =
        |name: &str| Target::ShareFile { share: share(fake.port), name: name.into(), size_bytes: 128 << 10 };
    let refused = [
        ("interface", LoadJob { interface: Interface::IoUring, ..plain() }),
        ("interface", LoadJob { interface: Interface::Sockets, ..LoadJob::plain() }),
        ("queue_depth", LoadJob { queue_depth: 513, ..plain() }),
        ("descriptors", LoadJob { descriptors: Descriptors::Shared, ..plain() }),
        ("noatime", LoadJob { noatime: true, ..plain() }),
        ("preallocate", LoadJob { extend: true, preallocate: true, ..plain() }),
        ("target", LoadJob { target: named("a/b"), ..plain() }),
        ("target", LoadJob { target: named(""), ..plain() }),
        ("workers", LoadJob { target: target(smb, 128 << 10), workers: Workers::Processes, ..plain() }),
    ];
    for (key, load) in refused {
        let failure = run(load).unwrap_err();
        assert_eq!((failure.code.as_str(), failure.exit_code()), (format!("job.{key}").as_str(), 2));
        assert!(!failure.cause.is_empty() && !failure.next.is_empty(), "{failure}");
    }
    assert!(fake.asked().is_empty());
}

#[test]
fn direct_changes_nothing_and_says_so() {
    let fake = Fake::start(|_| Act::Usual);
    let odd = vec![BlockSize { size_bytes: 1000, weight: 1 }];
    let load = LoadJob { direct: true, block_sizes: odd, passes: Some(1), ..writers(&fake) };
    let result = run(load).unwrap();
    assert!(result.notes.iter().any(|note| note.code == "share.direct"));
}
