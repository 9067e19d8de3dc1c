//! Another client of NFS, which shares no code with the engine: nfs3_client, over sockets that wait.

use std::future::Future;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use nfs3_client::io::{AsyncRead, AsyncWrite};
use nfs3_client::nfs3_types::mount::dirpath;
use nfs3_client::nfs3_types::nfs3::{LOOKUP3args, READ3args, diropargs3, filename3, nfs_fh3};
use nfs3_client::nfs3_types::rpc::{auth_unix, opaque_auth};
use nfs3_client::nfs3_types::xdr_codec::Opaque;
use nfs3_client::{MountClient, Nfs3Client};

struct Waiting(TcpStream);

impl AsyncRead for Waiting {
    async fn async_read(&mut self, room: &mut [u8]) -> std::io::Result<usize> {
        self.0.read(room)
    }
}

impl AsyncWrite for Waiting {
    async fn async_write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.write(bytes)
    }
}

/// What never waits for anything but its socket is ready when it is looked at.
fn now<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("it waits for something else"),
    }
}

fn connect(port: u16) -> Waiting {
    Waiting(TcpStream::connect(("127.0.0.1", port)).unwrap())
}

/// The contents of a file below an export.
pub fn contents(port: u16, mount_port: u16, export: &Path, path: &str) -> Vec<u8> {
    let export = dirpath(Opaque::owned(export.display().to_string().into_bytes()));
    let mounted = now(MountClient::new(connect(mount_port)).mnt(export)).unwrap();
    let mut file = nfs_fh3 { data: Opaque::owned(mounted.fhandle.0.to_vec()) };
    let user = opaque_auth::auth_unix(&auth_unix::default());
    let mut client = Nfs3Client::new_with_auth(connect(port), user, opaque_auth::default());
    for name in path.split('/') {
        let what = diropargs3 { dir: file, name: filename3::from(name.as_bytes()) };
        file = now(client.lookup(&LOOKUP3args { what })).unwrap().unwrap().object;
    }
    let mut contents = Vec::new();
    loop {
        let args = READ3args { file: file.clone(), offset: contents.len() as u64, count: 65536 };
        let read = now(client.read(&args)).unwrap().unwrap();
        contents.extend_from_slice(&read.data);
        if read.eof {
            return contents;
        }
        assert!(read.count > 0);
    }
}
