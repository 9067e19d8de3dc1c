//! Whether a disk seeks, as the kernel says, unless it says so of every disk of its kind.
//!
//! virtio-blk calls every disk rotational, whatever the host has (BLK_FEAT_ROTATIONAL in drivers/block/virtio_blk.c of
//! Linux 6.18), and what lies over it takes that over.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Devices over devices, at most.
const LAYERS: u32 = 8;

/// `None` where it is not known.
pub(super) fn is_rotational(device: (u32, u32)) -> Option<bool> {
    below(Path::new("/sys"), device)
}

fn below(sys: &Path, (major, minor): (u32, u32)) -> Option<bool> {
    let folder = disk(&sys.join(format!("dev/block/{major}:{minor}")))?;
    let text = std::fs::read_to_string(folder.join("queue/rotational")).ok()?;
    Some(text.trim() == "1").filter(|rotational| !rotational || !is_on_virtio(sys, &folder, LAYERS))
}

/// The folder of the disk that a partition is of.
fn disk(folder: &Path) -> Option<PathBuf> {
    [folder.to_owned(), folder.join("..")].into_iter().find(|folder| folder.join("queue").exists())
}

fn is_on_virtio(sys: &Path, folder: &Path, layers: u32) -> bool {
    if std::fs::read_link(folder.join("device/subsystem")).is_ok_and(|bus| bus.ends_with("virtio")) {
        return true;
    }
    let slaves = std::fs::read_dir(folder.join("slaves")).into_iter().flatten().flatten();
    let mut lower: Vec<PathBuf> = slaves.map(|slave| slave.path()).collect();
    if let Ok(file) = std::fs::read_to_string(folder.join("loop/backing_file")) {
        let device = std::fs::metadata(file.trim_end_matches('\n')).map(|found| found.dev());
        lower.extend(device.map(|device| {
            let (major, minor) = (rustix::fs::major(device), rustix::fs::minor(device));
            sys.join(format!("dev/block/{major}:{minor}"))
        }));
    }
    let mut disks = lower.iter().filter_map(|folder| disk(folder));
    layers > 0 && disks.any(|folder| is_on_virtio(sys, &folder, layers - 1))
}

#[cfg(test)]
mod tests {
    use std::fs::{create_dir_all, write};
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn what_virtio_calls_every_disk_is_not_known() {
        let sys = tempfile::tempdir().unwrap();
        let device = |number: &str, at: &str, rotational: &str| {
            let folder = sys.path().join(at);
            create_dir_all(folder.join("queue")).unwrap();
            write(folder.join("queue/rotational"), rotational).unwrap();
            create_dir_all(sys.path().join("dev/block")).unwrap();
            symlink(&folder, sys.path().join("dev/block").join(number)).unwrap();
            folder
        };
        let known = |major, minor| below(sys.path(), (major, minor));
        for (number, rotational) in [(0, "1\n"), (16, "0\n")] {
            let virtio =
                device(&format!("4000:{number}"), &format!("virtio{number}/block/vd{number}"), rotational);
            create_dir_all(virtio.join("device")).unwrap();
            symlink("../../../bus/virtio", virtio.join("device/subsystem")).unwrap();
            create_dir_all(virtio.join("part")).unwrap();
            symlink(virtio.join("part"), sys.path().join(format!("dev/block/4000:{}", number + 1))).unwrap();
        }
        device("8:0", "sda", "1\n");
        assert_eq!((known(8, 0), known(9, 9)), (Some(true), None));
        assert_eq!(
            [known(4000, 0), known(4000, 1), known(4000, 16), known(4000, 17)],
            [None, None, Some(false), Some(false)]
        );
        // A volume over a partition of each, and a loop over a file.
        for (number, lower) in [("253:0", "4000:1"), ("253:1", "8:0")] {
            let volume = device(number, &format!("dm-{number}"), "1\n");
            create_dir_all(volume.join("slaves")).unwrap();
            let part = std::fs::read_link(sys.path().join("dev/block").join(lower)).unwrap();
            symlink(part, volume.join("slaves/lower")).unwrap();
        }
        assert_eq!((known(253, 0), known(253, 1)), (None, Some(true)));
        let host = std::fs::metadata(sys.path()).unwrap().dev();
        let over = device("7:0", "loop0", "1\n");
        create_dir_all(over.join("loop")).unwrap();
        write(over.join("loop/backing_file"), format!("{}\n", sys.path().display())).unwrap();
        assert_eq!(known(7, 0), Some(true));
        let number = format!("dev/block/{}:{}", rustix::fs::major(host), rustix::fs::minor(host));
        symlink(sys.path().join("virtio0/block/vd0"), sys.path().join(number)).unwrap();
        assert_eq!(known(7, 0), None);
    }
}
