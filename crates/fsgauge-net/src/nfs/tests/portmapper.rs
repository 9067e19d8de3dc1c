//! The port of MOUNT, as a portmapper tells it (RFC 1833, section 3: PMAPPROC_GETPORT of version 2).

use super::fake::PORTMAPPER;
use super::*;

/// A portmapper; it tells these ports one after the other, and the last for ever.
fn portmapper(ports: Vec<u32>) -> Fake {
    Fake::start(move |asked| {
        let port = ports[(asked.before as usize).min(ports.len() - 1)];
        Act::Results(port.to_be_bytes().to_vec())
    })
}

/// Two clients with a lane each that ask a portmapper.
fn asking(server: &Fake, portmapper: &Fake) -> NfsTarget {
    let export = Export { mount_port: None, ..export(server) };
    let mut target = NfsTarget::new(&export, "d", 4096, 2, 1).unwrap();
    target.portmapper = ([127, 0, 0, 1], portmapper.port).into();
    target
}

fn mounts(server: &Fake) -> usize {
    server.asked().iter().filter(|asked| asked.program == MOUNT).count()
}

#[test]
fn mount_is_where_the_portmapper_says() {
    let (server, mount) = (Fake::start(usual), Fake::start(usual));
    let portmapper = portmapper(vec![mount.port.into()]);
    let mut target = asking(&server, &portmapper);
    for client in 0..2 {
        assert_eq!(target.admit(client), Started::Pending);
        assert_eq!(answers(&mut target, 1), [(client, 0)]);
    }
    assert_eq!((mounts(&mount), mounts(&server)), (2, 0));
    // Asked once: for version 3 of MOUNT over TCP.
    let [asked] = &portmapper.asked()[..] else { panic!("{:?}", portmapper.asked()) };
    assert_eq!((asked.program, asked.procedure), (PORTMAPPER, 3));
    assert_eq!(asked.arguments, [100_005_u32, 3, 6, 0].map(u32::to_be_bytes).concat());
}

/// Whoever comes back asks again: after a restart MOUNT may be elsewhere.
#[test]
fn a_server_that_comes_back_has_mount_elsewhere() {
    let before = Fake::start(|asked| match asked.before {
        1.. if asked.program == MOUNT => Act::HangUp,
        _ => Act::Usual,
    });
    let (server, after) = (Fake::start(usual), Fake::start(usual));
    let portmapper = portmapper([before.port, before.port, after.port].map(u32::from).to_vec());
    let mut target = asking(&server, &portmapper);
    assert_eq!(ask(&mut target, Request::Null), 0);
    server.hang_up();
    let begin = Instant::now();
    while target.sessions[0].state == State::In && begin.elapsed() < PATIENCE {
        target.wait(Duration::from_millis(10), &mut |_, _| panic!("nothing was asked")).unwrap();
    }
    assert_eq!(ask(&mut target, Request::Null), 0);
    assert_eq!((mounts(&before), mounts(&after), portmapper.asked().len()), (2, 1, 3));
    assert_eq!(target.traffic().unwrap().reconnections, 1);
}

#[test]
fn a_portmapper_without_mount_is_told_as_that() {
    let server = Fake::start(usual);
    let portmapper = portmapper(vec![0]);
    let mut target = asking(&server, &portmapper);
    assert_eq!(target.admit(0), Started::Pending);
    let answer = answers(&mut target, 1)[0].1;
    let failure = target.refusal(answer);
    assert_eq!((failure.code.as_str(), failure.exit_code()), ("network.dialect", 3));
    assert!(failure.what.contains("portmapper") && failure.next.contains("rpcinfo -p"), "{failure}");
}
