//! A file system that ends at a quota of 8 MiB, for root as well: a subvolume of a btrfs; gone with its value.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

pub const QUOTA_BYTES: u64 = 8 << 20;

pub struct UnderQuota {
    mounted: PathBuf,
    _image: tempfile::NamedTempFile,
}

impl UnderQuota {
    /// Mounts it over a directory; none, and a word why, where this machine cannot.
    pub fn mount(directory: &Path) -> Option<UnderQuota> {
        let image = tempfile::NamedTempFile::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        image.as_file().set_len(600 << 20).unwrap();
        let (image_path, mounted) = (image.path().to_str()?.to_string(), directory.to_str()?);
        let folder = format!("{mounted}/limited");
        if !(done("mkfs.btrfs", &["--quiet", "--force", &image_path])
            && done("mount", &["-o", "loop", &image_path, mounted]))
        {
            eprintln!("skipped: this test needs root, a loop device and btrfs (apt-get install btrfs-progs)");
            return None;
        }
        let limited = UnderQuota { mounted: directory.into(), _image: image };
        assert!(done("btrfs", &["quota", "enable", mounted]));
        assert!(done("btrfs", &["subvolume", "create", &folder]));
        assert!(done("btrfs", &["qgroup", "limit", &QUOTA_BYTES.to_string(), &folder]));
        assert!(done("umount", &[mounted]));
        // A server exports what is mounted, not a part of it.
        assert!(done("mount", &["-o", "loop,subvol=limited", &image_path, mounted]));
        Some(limited)
    }
}

impl Drop for UnderQuota {
    fn drop(&mut self) {
        let mounted = self.mounted.display().to_string();
        let begin = Instant::now();
        // A server's own view of it goes a moment after the server.
        while !done("umount", &[&mounted]) && begin.elapsed() < Duration::from_secs(5) {
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

fn done(program: &str, arguments: &[&str]) -> bool {
    Command::new(program).args(arguments).output().is_ok_and(|out| out.status.success())
}
