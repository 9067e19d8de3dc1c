//! A server for faults that a real one does not have: it hears and speaks with another's messages (nfs3_types), and
//! answers as a test says.

#![allow(dead_code, reason = "the tests of each crate use their part")]

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use nfs3_client::nfs3_types::mount::{fhandle3, mountres3, mountres3_ok};
use nfs3_client::nfs3_types::nfs3::{
    ACCESS3res, ACCESS3resok, COMMIT3res, COMMIT3resok, CREATE3args, CREATE3res, CREATE3resok, FSINFO3res,
    FSINFO3resok, GETATTR3res, GETATTR3resok, LOOKUP3args, LOOKUP3res, LOOKUP3resok, MKDIR3args, MKDIR3res,
    MKDIR3resok, Nfs3Option, READ3args, READ3res, READ3resok, READDIR3args, READDIR3res, READDIR3resok,
    REMOVE3res, REMOVE3resok, RENAME3args, RENAME3res, RENAME3resok, WRITE3args, WRITE3res, WRITE3resok,
    cookieverf3, createhow3, dirlist3, entry3, fattr3, filename3, ftype3, nfs_fh3, nfstime3, specdata3,
    stable_how, wcc_data, writeverf3,
};
use nfs3_client::nfs3_types::rpc::{auth_flavor, auth_unix, msg_body, rpc_msg};
use nfs3_client::nfs3_types::xdr_codec::{List, Opaque, Pack, Unpack};

pub const MOUNT: u32 = 100_005;
/// Procedures of NFS.
pub const READ: u32 = 6;
pub const WRITE: u32 = 7;
pub const FSINFO: u32 = 19;
pub const COMMIT: u32 = 21;
const NFS: u32 = 100_003;
pub const PORTMAPPER: u32 = 100_000;

/// A call that has come.
#[derive(Debug, Clone)]
pub struct Asked {
    pub program: u32,
    pub procedure: u32,
    /// How many of the same came before it.
    pub before: u32,
    pub user_id: u32,
    pub arguments: Vec<u8>,
}

impl Asked {
    pub fn is(&self, procedure: u32) -> bool {
        (self.program, self.procedure) == (NFS, procedure)
    }
}

/// What the server does with it.
#[derive(Debug, Clone)]
pub enum Act {
    /// What a server does that has no faults.
    Usual,
    /// Other results.
    Results(Vec<u8>),
    /// The usual reply, in so many pieces.
    Pieces(usize),
    /// An answer to nobody, and then the usual one.
    Stranger,
    /// The usual reply, and these bytes with it.
    Followed(Vec<u8>),
    /// Bytes as they are.
    Bytes(Vec<u8>),
    Silence,
    HangUp,
    /// The same, and the server takes nobody in any more.
    Gone,
}

/// A server.
pub struct Fake {
    pub port: u16,
    asked: Arc<Mutex<Vec<Asked>>>,
    open: Arc<Mutex<Vec<TcpStream>>>,
}

type Script = dyn Fn(&Asked) -> Act + Send + Sync;
/// Makes of a reply what goes over the wire; an end of the connection where it is none.
type Change = dyn Fn(Vec<u8>) -> Option<Vec<u8>> + Send + Sync;

impl Fake {
    pub fn start(script: impl Fn(&Asked) -> Act + Send + Sync + 'static) -> Self {
        Fake::start_changing(script, |reply| Some(record(&reply)))
    }

    /// One that changes its usual replies.
    pub fn start_changing(
        script: impl Fn(&Asked) -> Act + Send + Sync + 'static,
        change: impl Fn(Vec<u8>) -> Option<Vec<u8>> + Send + Sync + 'static,
    ) -> Self {
        let change: Arc<Change> = Arc::new(change);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let open = Arc::new(Mutex::new(Vec::<TcpStream>::new()));
        let (script, given): (Arc<Script>, _) = (Arc::new(script), (asked.clone(), open.clone()));
        // It ends with the test's process.
        std::thread::spawn(move || {
            let door = Arc::new(listener);
            for stream in door.incoming().map_while(Result::ok) {
                given.1.lock().unwrap().push(stream.try_clone().unwrap());
                let (script, change, asked) = (script.clone(), change.clone(), given.0.clone());
                let door = door.clone();
                std::thread::spawn(move || serve(stream, &door, &*script, &*change, &asked));
            }
        });
        Fake { port, asked, open }
    }

    /// How the writes were to be kept, each.
    pub fn stabilities(&self) -> Vec<stable_how> {
        let all = self.asked();
        let writes = all.iter().filter(|asked| asked.is(WRITE));
        writes.map(|asked| unpacked::<WRITE3args<'_>>(asked).stable).collect()
    }

    /// How often a procedure of NFS was called.
    pub fn count(&self, procedure: u32) -> usize {
        self.asked.lock().unwrap().iter().filter(|asked| asked.is(procedure)).count()
    }

    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    /// Forgets what was asked, and lets go of connections.
    pub fn forget(&self) {
        self.asked.lock().unwrap().clear();
        self.open.lock().unwrap().clear();
    }

    /// Ends every connection.
    pub fn hang_up(&self) {
        self.open.lock().unwrap().drain(..).for_each(|stream| drop(stream.shutdown(Shutdown::Both)));
    }
}

/// Serves one connection. Whatever goes wrong ends it.
fn serve(
    mut stream: TcpStream,
    door: &TcpListener,
    script: &Script,
    change: &Change,
    asked: &Mutex<Vec<Asked>>,
) -> Option<()> {
    let mut files: HashMap<Vec<u8>, Vec<u8>> = HashMap::new();
    loop {
        let mut mark = [0; 4];
        stream.read_exact(&mut mark).ok()?;
        let length = u32::from_be_bytes(mark);
        assert!(length >> 31 == 1, "a call in pieces");
        let mut call = vec![0; (length & !(1 << 31)) as usize];
        stream.read_exact(&mut call).ok()?;
        let (message, begin) = rpc_msg::unpack(&mut &call[..]).unwrap();
        let msg_body::CALL(body) = message.body else { panic!("no call") };
        assert_eq!(body.cred.flavor, auth_flavor::AUTH_UNIX);
        let (user, _) = auth_unix::unpack(&mut body.cred.body.as_ref()).unwrap();
        let arguments = call[begin..].to_vec();
        let now = {
            let mut all = asked.lock().unwrap();
            let is_same = |other: &&Asked| (other.program, other.procedure) == (body.prog, body.proc);
            let before = all.iter().filter(is_same).count() as u32;
            let (program, procedure) = (body.prog, body.proc);
            all.push(Asked { program, procedure, before, user_id: user.uid, arguments });
            all.last().unwrap().clone()
        };
        let mut usual = || reply(message.xid, &results(&now, &mut files));
        let bytes = match script(&now) {
            Act::Usual => change(usual())?,
            Act::Results(results) => record(&reply(message.xid, &results)),
            Act::Pieces(count) => pieces(&usual(), count),
            Act::Stranger => [record(&reply(message.xid ^ (5 << 11), &[0; 4])), record(&usual())].concat(),
            Act::Followed(bytes) => [record(&usual()), bytes].concat(),
            Act::Bytes(bytes) => bytes,
            Act::Silence => continue,
            Act::HangUp => return stream.shutdown(Shutdown::Both).ok(),
            Act::Gone => {
                // Whoever comes from now on is refused.
                let _ = rustix::net::shutdown(door, rustix::net::Shutdown::Read);
                return stream.shutdown(Shutdown::Both).ok();
            }
        };
        stream.write_all(&bytes).ok()?;
    }
}

fn reply(xid: u32, results: &[u8]) -> Vec<u8> {
    let head = [xid, 1, 0, 0, 0, 0].map(u32::to_be_bytes).concat();
    [head, results.to_vec()].concat()
}

pub fn record(reply: &[u8]) -> Vec<u8> {
    pieces(reply, 1)
}

pub fn pieces(reply: &[u8], count: usize) -> Vec<u8> {
    let length = (reply.len() / count).max(1).next_multiple_of(4);
    if reply.is_empty() {
        return (1_u32 << 31).to_be_bytes().to_vec();
    }
    let (mut bytes, last) = (Vec::new(), reply.len().div_ceil(length) - 1);
    for (at, piece) in reply.chunks(length).enumerate() {
        let mark = piece.len() as u32 | if at == last { 1 << 31 } else { 0 };
        bytes.extend(mark.to_be_bytes());
        bytes.extend(piece);
    }
    bytes
}

pub fn packed(value: &impl Pack) -> Vec<u8> {
    let mut bytes = Vec::new();
    value.pack(&mut bytes).unwrap();
    bytes
}

fn unpacked<T: Unpack>(asked: &Asked) -> T {
    let (value, length) = T::unpack(&mut &asked.arguments[..]).unwrap();
    assert_eq!(length, asked.arguments.len(), "more arguments than the procedure has");
    value
}

pub fn handle(name: &[u8]) -> nfs_fh3 {
    nfs_fh3 { data: Opaque::owned(name.to_vec()) }
}

pub fn attributes(is_directory: bool, size: u64) -> fattr3 {
    let zero = || nfstime3 { seconds: 0, nseconds: 0 };
    fattr3 {
        type_: if is_directory { ftype3::NF3DIR } else { ftype3::NF3REG },
        mode: 0o644,
        nlink: 1,
        uid: 0,
        gid: 0,
        size,
        used: size,
        rdev: specdata3::default(),
        fsid: 1,
        fileid: 1,
        atime: zero(),
        mtime: zero(),
        ctime: zero(),
    }
}

/// Names without a full stop are directories, all others files, of which every one is there. What is written can be
/// read on the same connection.
fn results(asked: &Asked, files: &mut HashMap<Vec<u8>, Vec<u8>>) -> Vec<u8> {
    let around = wcc_data::default;
    if asked.program == MOUNT {
        let fhandle = fhandle3(Opaque::borrowed(b"root"));
        return packed(&mountres3::Ok(mountres3_ok { fhandle, auth_flavors: vec![1] }));
    }
    if asked.program == PORTMAPPER {
        return vec![0; 4];
    }
    match asked.procedure {
        0 => Vec::new(),
        1 => packed(&GETATTR3res::Ok(GETATTR3resok { obj_attributes: attributes(false, 77) })),
        3 => {
            let name = unpacked::<LOOKUP3args<'_>>(asked).what.name.0.to_vec();
            let is_directory = !name.contains(&b'.');
            let obj_attributes = Nfs3Option::Some(attributes(is_directory, 4096));
            let (object, dir_attributes) = (handle(&name), Nfs3Option::None);
            packed(&LOOKUP3res::Ok(LOOKUP3resok { object, obj_attributes, dir_attributes }))
        }
        4 => packed(&ACCESS3res::Ok(ACCESS3resok { obj_attributes: Nfs3Option::None, access: 0x3f })),
        6 => {
            let wanted = unpacked::<READ3args>(asked);
            let none = Vec::new();
            let file = files.get(wanted.file.data.as_ref()).unwrap_or(&none);
            let begin = (wanted.offset as usize).min(file.len());
            let data = &file[begin..(begin + wanted.count as usize).min(file.len())];
            packed(&READ3res::Ok(READ3resok {
                file_attributes: Nfs3Option::Some(attributes(false, file.len() as u64)),
                count: data.len() as u32,
                eof: begin + data.len() == file.len(),
                data: Opaque::borrowed(data),
            }))
        }
        7 => {
            let given = unpacked::<WRITE3args<'_>>(asked);
            assert_eq!(given.count as usize, given.data.len());
            let file = files.entry(given.file.data.to_vec()).or_default();
            let end = given.offset as usize + given.data.len();
            file.resize(file.len().max(end), 0);
            file[given.offset as usize..end].copy_from_slice(&given.data);
            written_as(given.count, given.stable)
        }
        8 => {
            let given = unpacked::<CREATE3args<'_>>(asked);
            let createhow3::GUARDED(how) = given.how else { panic!("not guarded") };
            assert_eq!(how.mode, Nfs3Option::Some(0o644));
            let obj = Nfs3Option::Some(handle(&given.where_.name.0));
            let obj_attributes = Nfs3Option::None;
            packed(&CREATE3res::Ok(CREATE3resok { obj, obj_attributes, dir_wcc: around() }))
        }
        9 => {
            let given = unpacked::<MKDIR3args<'_>>(asked);
            assert_eq!(given.attributes.mode, Nfs3Option::Some(0o755));
            let (obj, obj_attributes) = (Nfs3Option::None, Nfs3Option::None);
            packed(&MKDIR3res::Ok(MKDIR3resok { obj, obj_attributes, dir_wcc: around() }))
        }
        12 => packed(&REMOVE3res::Ok(REMOVE3resok { dir_wcc: around() })),
        14 => {
            let given = unpacked::<RENAME3args<'_, '_>>(asked);
            assert_ne!(given.from.name, given.to.name);
            packed(&RENAME3res::Ok(RENAME3resok { fromdir_wcc: around(), todir_wcc: around() }))
        }
        16 => {
            let given = unpacked::<READDIR3args>(asked);
            // Two names at a time, of five; the verifier is to be said again.
            assert_eq!(given.cookieverf.0, if given.cookie == 0 { [0; 8] } else { [7; 8] });
            let names = [".", "..", "a.1", "b.1", "c.1"];
            let begin = given.cookie as usize;
            let end = (begin + 2).min(names.len());
            let entry = |at: usize| entry3 {
                fileid: 1,
                name: filename3::from(names[at].as_bytes()),
                cookie: at as u64 + 1,
            };
            let entries = List((begin..end).map(entry).collect());
            packed(&READDIR3res::Ok(READDIR3resok {
                dir_attributes: Nfs3Option::Some(attributes(true, 0)),
                cookieverf: cookieverf3([7; 8]),
                reply: dirlist3 { entries, eof: end == names.len() },
            }))
        }
        19 => packed(&FSINFO3res::Ok(FSINFO3resok {
            obj_attributes: Nfs3Option::None,
            rtmax: 65536,
            rtpref: 65536,
            rtmult: 1,
            wtmax: 8192,
            wtpref: 8192,
            wtmult: 1,
            dtpref: 8192,
            maxfilesize: 1 << 40,
            time_delta: nfstime3 { seconds: 0, nseconds: 1 },
            properties: 0,
        })),
        21 => committed(1),
        other => panic!("procedure {other} is not called"),
    }
}

pub fn written(count: u32) -> Vec<u8> {
    written_as(count, stable_how::UNSTABLE)
}

fn written_as(count: u32, committed: stable_how) -> Vec<u8> {
    let verf = writeverf3([1; 8]);
    packed(&WRITE3res::Ok(WRITE3resok { file_wcc: wcc_data::default(), count, committed, verf }))
}

pub fn committed(state: u8) -> Vec<u8> {
    packed(&COMMIT3res::Ok(COMMIT3resok { file_wcc: wcc_data::default(), verf: writeverf3([state; 8]) }))
}
