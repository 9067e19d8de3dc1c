//! A real NFS server of a test's own: nfs-ganesha over a directory, in a network of its own, gone with its value.
//!
//! Version 3 of ganesha ends itself without an rpcbind to register with. Here it has one that listens on no port:
//! it finds only local transports in its /etc/netconfig, and its socket lies in a /run that nobody else sees.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use fsgauge_wire::NfsTarget;

#[path = "own_network.rs"]
#[allow(clippy::duplicate_mod, reason = "the tests of one target need it without those of the other")]
mod own_network;

const PATIENCE: Duration = Duration::from_secs(20);
const START: &str = r#"
set -e
own=$1
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -p /run/ganesha /run/rpcbind
mount -t tmpfs -o mode=755 tmpfs /var/lib/nfs
mkdir -p /var/lib/nfs/ganesha
unshare --mount --propagation private sh -c 'mount --bind "$1/netconfig" /etc/netconfig; exec rpcbind -f' sh "$own" &
tries=100; until [ -S /run/rpcbind.sock ]; do tries=$((tries-1)); [ $tries -gt 0 ] || exit 1; sleep 0.05; done
exec ganesha.nfsd -F -L "$own/log" -f "$own/conf" -p /run/ganesha.pid -N NIV_EVENT
"#;

/// A server.
pub struct Ganesha {
    own: tempfile::TempDir,
    pub port: u16,
    pub mount_port: u16,
    child: Option<Child>,
}

/// Why there is no server here.
pub fn missing() -> Option<String> {
    let is_there = |program: &str| {
        ["/usr/bin", "/usr/sbin", "/sbin", "/bin"].iter().any(|way| Path::new(way).join(program).exists())
    };
    if let Some(program) = ["ganesha.nfsd", "rpcbind", "unshare"].into_iter().find(|name| !is_there(name)) {
        return Some(format!(
            "{program} is not installed (apt-get install nfs-ganesha nfs-ganesha-vfs rpcbind)"
        ));
    }
    if !is_root() {
        return Some("a private server needs root".into());
    }
    let own_mounts = Command::new("unshare").args(["--mount", "--propagation", "private", "true"]).output();
    if !own_mounts.is_ok_and(|output| output.status.success()) {
        return Some(
            "the root is no mount point (a chroot), so a server cannot have mounts of its own".into(),
        );
    }
    None
}

fn is_root() -> bool {
    // The owner of a process's own directory is its effective user.
    std::os::unix::fs::MetadataExt::uid(&std::fs::metadata("/proc/self").unwrap()) == 0
}

impl Ganesha {
    /// A server whose export `directory` is; `access` is RW or RO.
    pub fn start(directory: &Path, access: &str) -> Self {
        own_network::enter();
        let own = beside_this_test("its own ");
        let (port, mount_port) = (free_port(), free_port());
        std::fs::write(
            own.path().join("netconfig"),
            "local tpi_cots_ord - loopback - - -\nunix tpi_cots_ord - loopback - - -\n",
        )
        .unwrap();
        let conf = format!(
            "NFS_CORE_PARAM {{ Protocols = 3; NFS_Port = {port}; MNT_Port = {mount_port}; \
             Enable_NLM = false; Enable_RQUOTA = false; Enable_UDP = false; RPC_Max_Connections = 4096; }}\n\
             NFSV4 {{ Graceless = true; RecoveryBackend = fs; }}\nNFS_KRB5 {{ Active_krb5 = false; }}\n\
             EXPORT {{ Export_Id = 1; Path = \"{path}\"; Pseudo = /e; Protocols = 3; Access_Type = {access}; \
             Squash = None; SecType = sys; FSAL {{ Name = VFS; }} }}\n\
             LOG {{ Default_Log_Level = EVENT; }}\n",
            path = directory.display()
        );
        std::fs::write(own.path().join("conf"), conf).unwrap();
        let mut server = Ganesha { own, port, mount_port, child: None };
        server.start_again();
        server
    }

    /// Starts it again after it was killed, on the same ports.
    pub fn start_again(&mut self) {
        let out = || std::fs::File::create(self.own.path().join("out")).unwrap();
        let child = Command::new("unshare")
            .args(["--mount", "--propagation", "private", "--pid", "--fork", "--kill-child", "--mount-proc"])
            .args(["sh", "-c", START, "sh"])
            .arg(self.own.path())
            .stdin(Stdio::null())
            .stdout(out())
            .stderr(out())
            .spawn()
            .unwrap();
        self.child = Some(child);
        let begin = Instant::now();
        while !(answers(self.port, 100_003) && answers(self.mount_port, 100_005)) {
            assert!(begin.elapsed() < PATIENCE, "ganesha does not answer: {}", self.told());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Kills it in the middle of whatever it does.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
            let begin = Instant::now();
            while TcpStream::connect(local(self.port)).is_ok() && begin.elapsed() < PATIENCE {
                std::thread::sleep(Duration::from_millis(5));
            }
        }
    }

    /// Stops it where it is (`STOP`), or lets it go on (`CONT`).
    pub fn signal(&self, signal: &str) {
        let unshare = self.child.as_ref().unwrap().id();
        let children = std::fs::read_to_string(format!("/proc/{unshare}/task/{unshare}/children")).unwrap();
        let status =
            Command::new("kill").arg(format!("-{signal}")).args(children.split_whitespace()).status();
        assert!(status.unwrap().success());
    }

    /// The target of a job: `directory` below the export, as root.
    pub fn target(&self, export: &Path, directory: &str) -> NfsTarget {
        NfsTarget {
            host: "127.0.0.1".into(),
            port: self.port,
            mount_port: Some(self.mount_port),
            export: export.display().to_string(),
            directory: directory.into(),
            user_id: 0,
            group_id: 0,
        }
    }

    fn told(&self) -> String {
        let read = |name: &str| std::fs::read_to_string(self.own.path().join(name)).unwrap_or_default();
        let log = read("log");
        let last: Vec<&str> = log.lines().rev().take(5).collect();
        format!("{} {}", read("out"), last.join("\n"))
    }
}

impl Drop for Ganesha {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A directory where this test was built: on a disk, which /tmp may not be. Its name has a space, as the path of
/// a clone may have: ganesha takes only a quoted one.
fn beside_this_test(name: &str) -> tempfile::TempDir {
    let built = std::env::current_exe().unwrap();
    tempfile::Builder::new().prefix(name).tempdir_in(built.parent().unwrap()).unwrap()
}

/// A directory for an export: on this machine's disk, since ganesha takes file systems with file handles only.
pub fn exported() -> (tempfile::TempDir, PathBuf) {
    let directory = beside_this_test("an export ");
    let path = directory.path().canonicalize().unwrap();
    (directory, path)
}

pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn local(port: u16) -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], port))
}

/// Whether version 3 of a program answers to nothing.
fn answers(port: u16, program: u32) -> bool {
    let null = [0x8000_0028, 1, 0, 2, program, 3, 0, 0, 0, 0, 0];
    let call: Vec<u8> = null.iter().flat_map(|word: &u32| word.to_be_bytes()).collect();
    let Ok(mut stream) = TcpStream::connect(local(port)) else { return false };
    stream.set_read_timeout(Some(Duration::from_secs(1))).unwrap();
    let mut reply = [0; 28];
    stream.write_all(&call).is_ok() && stream.read_exact(&mut reply).is_ok() && reply[24..] == [0; 4]
}
