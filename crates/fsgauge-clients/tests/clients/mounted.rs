//! A tmpfs of a test's own.

use std::path::Path;

/// A small tmpfs, unmounted with the value; none for users who may not mount.
pub(crate) struct Mounted(tempfile::TempDir);

impl Mounted {
    pub(crate) fn tmpfs(options: &str) -> Option<Self> {
        let directory = tempfile::tempdir().unwrap();
        let mut mount = std::process::Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", options, "fsgauge-test"]).arg(directory.path());
        let is_mounted = mount.output().is_ok_and(|output| output.status.success());
        is_mounted.then_some(Mounted(directory))
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg("-l").arg(self.path()).output();
    }
}
