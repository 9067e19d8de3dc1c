//! A private smbd: in a network of the test's own, its own folders, gone with the test.

#![allow(dead_code, reason = "each test file uses its part")]

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use fsgauge_wire::{PasswordSource, SmbDialect, SmbTarget};
use rustix::process::{Pid, Signal, kill_process_group};

#[path = "own_network.rs"]
#[allow(clippy::duplicate_mod, reason = "the tests of one target need it without those of the other")]
mod own_network;

const SMBD: &str = "/usr/sbin/smbd";
/// A user of every Debian system; the share's files are root's whoever logs in.
pub const USER: &str = "daemon";
pub const PASSWORD: &str = "correct horse";
const PATIENCE: Duration = Duration::from_secs(20);

/// The server; its share is called "share".
pub struct Smbd {
    child: Child,
    directory: tempfile::TempDir,
    pub port: u16,
}

impl Smbd {
    /// Starts a server with more options of its own, and more of its share. None, and a word why, where this
    /// machine cannot.
    pub fn start(global: &str, share: &str) -> Option<Smbd> {
        if !Path::new(SMBD).exists() || !rustix::process::geteuid().is_root() {
            let why = format!("this test needs root and {SMBD} (apt-get install samba)");
            assert!(std::env::var_os("FSGAUGE_TEST_SERVERS").is_none(), "{why}");
            eprintln!("skipped: {why}");
            return None;
        }
        own_network::enter();
        let directory = tempfile::tempdir_in("/dev/shm").unwrap();
        std::fs::set_permissions(directory.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        configure(directory.path(), port, global, share);
        let child = spawn(directory.path());
        let mut smbd = Smbd { child, directory, port };
        smbd.wait();
        Some(smbd)
    }

    /// Where the share's files lie.
    pub fn files(&self) -> PathBuf {
        self.directory.path().join("files")
    }

    /// Kills the server and every process of it.
    pub fn kill(&mut self) {
        // The group is the server's own: it was made for it.
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        let _ = self.child.wait();
    }

    /// Processes that the server has begun, for sessions and for its own work.
    pub fn children(&self) -> Vec<u32> {
        let server = self.child.id();
        let of =
            std::fs::read_to_string(format!("/proc/{server}/task/{server}/children")).unwrap_or_default();
        of.split_whitespace().map(|process| process.parse().unwrap()).collect()
    }

    /// Stops the server and every process of it where they are; only killing them ends that.
    pub fn freeze(&self) {
        kill_process_group(Pid::from_child(&self.child), Signal::STOP).unwrap();
    }

    /// Starts it again, on the same port with the same files.
    pub fn start_again(&mut self) {
        self.child = spawn(self.directory.path());
        self.wait();
    }

    fn wait(&mut self) {
        let begin = Instant::now();
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            assert!(begin.elapsed() < PATIENCE, "smbd does not listen: {}", self.log());
            assert!(self.child.try_wait().unwrap().is_none(), "smbd ended: {}", self.log());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    pub fn log(&self) -> String {
        let read = |name: &str| std::fs::read_to_string(self.directory.path().join(name)).unwrap_or_default();
        read("log.smbd") + &read("output")
    }

    /// The share, for the server's user.
    pub fn target(&self, dialect: SmbDialect) -> SmbTarget {
        let path = self.directory.path().join("password").display().to_string();
        SmbTarget {
            host: "127.0.0.1".into(),
            port: self.port,
            share: "share".into(),
            directory: "below/deeper".into(),
            user: USER.into(),
            password: Some(PasswordSource::File { path }),
            dialect,
            signing: false,
            encryption: false,
            oplocks: false,
        }
    }

    pub fn password_file(&self) -> PathBuf {
        self.directory.path().join("password")
    }
}

impl Drop for Smbd {
    fn drop(&mut self) {
        self.kill();
    }
}

fn configure(directory: &Path, port: u16, global: &str, share: &str) {
    let base = directory.display();
    for name in ["files", "private", "state", "cache", "lock", "pid", "rpc", "log"] {
        std::fs::create_dir(directory.join(name)).unwrap();
    }
    std::fs::write(directory.join("password"), format!("{PASSWORD}\n")).unwrap();
    let owner_only = std::fs::Permissions::from_mode(0o600);
    std::fs::set_permissions(directory.join("password"), owner_only).unwrap();
    let text = format!(
        "[global]\n\
         server role = standalone server\nmap to guest = Bad User\nguest account = {USER}\n\
         smb ports = {port}\nbind interfaces only = yes\ninterfaces = lo\ndisable netbios = yes\n\
         private dir = {base}/private\nstate directory = {base}/state\ncache directory = {base}/cache\n\
         lock directory = {base}/lock\npid directory = {base}/pid\nncalrpc dir = {base}/rpc\n\
         passdb backend = tdbsam:{base}/private/passdb.tdb\nlog file = {base}/log.smbd\n\
         rpc start on demand helpers = no\nload printers = no\nprintcap name = /dev/null\n\
         disable spoolss = yes\nusershare max shares = 0\n{global}\n\
         [share]\npath = {base}/files\nread only = no\nguest ok = yes\nforce user = root\n{share}\n"
    );
    std::fs::write(directory.join("smb.conf"), text).unwrap();
    let mut smbpasswd = Command::new("smbpasswd")
        .arg("-c")
        .arg(directory.join("smb.conf"))
        .args(["-s", "-a", USER])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    writeln!(smbpasswd.stdin.take().unwrap(), "{PASSWORD}\n{PASSWORD}").unwrap();
    assert!(smbpasswd.wait().unwrap().success(), "smbpasswd");
}

fn spawn(directory: &Path) -> Child {
    let output = std::fs::File::create(directory.join("output")).unwrap();
    // Each session asks for the address of the host's name: one that no resolver knows takes it seconds.
    Command::new("unshare")
        .args(["--uts", "sh", "-c", "hostname localhost; exec \"$@\"", "sh", SMBD])
        .args(["-F", "--no-process-group", "-s"])
        .arg(directory.join("smb.conf"))
        .arg("-l")
        .arg(directory.join("log"))
        .stdin(Stdio::null())
        .stdout(output.try_clone().unwrap())
        .stderr(output)
        .process_group(0)
        .spawn()
        .unwrap()
}
