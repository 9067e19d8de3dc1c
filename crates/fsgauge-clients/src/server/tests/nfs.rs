//! Clients of an export whose server is gone, or silent.

use std::sync::atomic::{AtomicBool, Ordering};

use fsgauge_net::{Export, NfsTarget, ask_for};

use super::*;
use fake_nfs::{Act, FSINFO, Fake, MOUNT, READ, WRITE};

#[path = "../../../../fsgauge-net/tests/support/fake_nfs.rs"]
#[allow(unreachable_pub, reason = "another crate's tests have it, too")]
mod fake_nfs;
#[path = "../../../../fsgauge-net/tests/support/ganesha.rs"]
#[allow(dead_code, unreachable_pub, reason = "integration tests use all of it")]
mod ganesha;

/// The clients' target on an export.
fn target(named: &fsgauge_wire::NfsTarget) -> NfsTarget {
    let export = Export::of(named).unwrap();
    NfsTarget::new(&export, &named.directory, RECORD_SIZE_BYTES, CLIENTS, OUTSTANDING).unwrap()
}

fn named(fake: &Fake) -> fsgauge_wire::NfsTarget {
    fsgauge_wire::NfsTarget {
        host: "127.0.0.1".into(),
        port: fake.port,
        mount_port: Some(fake.port),
        export: "/e".into(),
        directory: "d".into(),
        user_id: 4711,
        group_id: 4712,
    }
}

fn admitted(target: &mut NfsTarget) {
    for client in 0..CLIENTS {
        let started = target.admit(client);
        assert_eq!(ask_for(target, started, &Stop::never()).unwrap(), 0);
    }
}

#[test]
fn a_server_that_is_gone_for_good_ends_its_clients_in_time() {
    for phase in phases() {
        let fake =
            Fake::start(|asked| if asked.is(READ) || asked.is(WRITE) { Act::Gone } else { Act::Usual });
        let mut target = target(&named(&fake)).with_patience(TRYING);
        admitted(&mut target);
        clients_give_up_in_time(target, ClientsTarget::Null {}, phase);
    }
}

#[test]
fn a_server_that_hangs_ends_its_clients_in_time() {
    for phase in phases() {
        let hangs = AtomicBool::new(false);
        // From the first record on it lets clients in, and that is all.
        let fake = Fake::start(move |asked| {
            hangs.fetch_or(asked.is(READ) || asked.is(WRITE), Ordering::Relaxed);
            match hangs.load(Ordering::Relaxed) && asked.program != MOUNT && !asked.is(FSINFO) {
                true => Act::Silence,
                false => Act::Usual,
            }
        });
        let target = target(&named(&fake)).with_patience(TRYING);
        clients_give_up_silence_in_time(target, ClientsTarget::Null {}, phase, Duration::ZERO);
    }
}

#[test]
fn a_real_server_that_is_stopped_ends_its_clients_in_time() {
    if let Some(why) = ganesha::missing() {
        eprintln!("skipped: {why}");
        return;
    }
    let (_kept, exported) = ganesha::exported();
    make_directories(&exported);
    let server = ganesha::Ganesha::start(&exported, "RW");
    let mut target = target(&server.target(&exported, ""));
    admitted(&mut target);
    let target = target.with_patience(TRYING);
    let [phase, ..] = phases();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            wait_for_data(&exported);
            server.signal("STOP");
        });
        clients_give_up_silence_in_time(target, ClientsTarget::Null {}, phase, UNDER_WAY_BOUND);
    });
}
