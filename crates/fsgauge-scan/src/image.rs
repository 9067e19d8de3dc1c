//! A device or an image file, read by position: never written, never mapped, every read bounded.

use std::fmt::Display;
use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt, FileTypeExt};
use std::path::{Path, PathBuf};

use fsgauge_door::open_named;
use fsgauge_wire::Failure;
use rustix::fs::OFlags;

use crate::Problems;
use crate::error_text::error_text;
use crate::shown::{quoted, shown};

/// The first read of a window, and what it grows to while reads go on ascending.
const WINDOW_FIRST_BYTES: usize = 4 << 10;
const WINDOW_LARGEST_BYTES: usize = 1 << 20;
/// The problem of a missing end: its code and its words.
const TRUNCATED: (&str, &str) = ("truncated", "The image ends before the file system does");

/// What is scanned. May be shared by threads: there is no file position.
#[derive(Debug)]
pub struct Image {
    file: File,
    path: PathBuf,
    size_bytes: u64,
    is_device: bool,
}

impl Image {
    /// Opens a block device or an image file for reading.
    pub fn open(path: &Path) -> Result<Image, Failure> {
        // O_NONBLOCK: a FIFO given by mistake must not hang the scan.
        let file = open_named(path, OFlags::RDONLY | OFlags::NONBLOCK)
            .map(File::from)
            .map_err(|errno| refused(path, &errno.into()))?;
        let kind = file.metadata().map_err(|error| refused(path, &error))?.file_type();
        if !(kind.is_file() || kind.is_block_device()) {
            return Err(Failure::job(
                "not_an_image",
                format!("{} is neither a block device nor a file", shown(path)),
                "Only a block device or an image file holds a file system",
                format!("ls -l {}", quoted(path)),
            ));
        }
        // A block device's size is where its end is; metadata says 0.
        let size_bytes =
            rustix::fs::seek(&file, rustix::fs::SeekFrom::End(0)).map_err(|e| refused(path, &e.into()))?;
        Ok(Image { file, path: path.to_owned(), size_bytes, is_device: kind.is_block_device() })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it is a block device, not a file.
    pub(crate) fn is_device(&self) -> bool {
        self.is_device
    }

    /// How many bytes there are; a file system on it may claim more.
    pub fn size_bytes(&self) -> u64 {
        self.size_bytes
    }

    /// Adds the problem "truncated" when the file system on it is larger than it is.
    pub(crate) fn check_end(&self, file_system_bytes: u64, problems: &mut Problems) {
        if self.size_bytes < file_system_bytes {
            let place = format_args!("{} of {file_system_bytes} bytes are there", self.size_bytes);
            problems.add(TRUNCATED.0, TRUNCATED.1, place);
        }
    }

    /// Fills `buffer` from `offset` and returns how many bytes were got. When that is not all of them, a problem
    /// is added that names `what`: "truncated" at the end of the image, "read_error" where the kernel refused.
    pub fn read(&self, offset: u64, buffer: &mut [u8], problems: &mut Problems, what: impl Display) -> usize {
        let (got, error) = self.read_quietly(offset, buffer);
        if got < buffer.len() {
            let place = offset.saturating_add(got as u64);
            self.add_problem(place, error, problems, what);
        }
        got
    }

    fn read_quietly(&self, offset: u64, buffer: &mut [u8]) -> (usize, Option<io::Error>) {
        let mut got = 0;
        while let Some(rest) = buffer.get_mut(got..).filter(|rest| !rest.is_empty()) {
            let Some(place) = offset.checked_add(got as u64).filter(|&place| place < self.size_bytes) else {
                return (got, None);
            };
            match self.file.read_at(rest, place) {
                Ok(0) => return (got, None),
                Ok(bytes) => got += bytes,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return (got, Some(error)),
            }
        }
        (got, None)
    }

    fn add_problem(&self, place: u64, error: Option<io::Error>, problems: &mut Problems, what: impl Display) {
        match error {
            Some(error) => problems.add(
                "read_error",
                "The device did not return the data requested",
                format_args!("{what}, byte {place}: {}", error_text(error)),
            ),
            None => problems.add(
                TRUNCATED.0,
                TRUNCATED.1,
                format_args!("{what}, byte {place} of {}", self.size_bytes),
            ),
        }
    }
}

fn refused(path: &Path, error: &io::Error) -> Failure {
    let what = format!("{} cannot be opened: {}", shown(path), error_text(error));
    let is_device = path.metadata().is_ok_and(|found| found.file_type().is_block_device());
    match error.kind() {
        io::ErrorKind::NotFound => Failure::job(
            "no_image",
            what,
            "No such file",
            format!("ls -l {}", quoted(path.parent().unwrap_or(path))),
        ),
        io::ErrorKind::PermissionDenied => {
            let (cause, next) = not_permitted(&quoted(path), is_device);
            Failure::job("not_permitted", what, cause, next)
        }
        _ => Failure::system(
            "scan.image",
            error.raw_os_error(),
            what,
            "The device or its file system failed",
            "dmesg | tail",
        ),
    }
}

/// Why this user may not read it, and what helps: root lacks a device that its container was not given, and a file of
/// another machine or user.
fn not_permitted(word: &str, is_device: bool) -> (&'static str, String) {
    match (rustix::process::geteuid().is_root(), is_device) {
        (false, true) => {
            ("Block devices are read by root or the group disk only", format!("sudo fsgauge scan {word}"))
        }
        (false, false) => ("This user may not read it", format!("sudo fsgauge scan {word}")),
        (true, true) => (
            "Root of a container may read the devices alone that it was started with, and none below a mount with nodev",
            format!(
                "docker run --device {word}:{word}:r ... (podman too); or on the host: fsgauge scan {word}"
            ),
        ),
        (true, false) => (
            "Root may not read it here: it is on another machine (root_squash), on a user's FUSE, or outside this \
             container's users",
            format!("ls -l {word}; scan it there, or a copy"),
        ),
    }
}

/// A window on an image: small reads that go on ascending are served from larger and larger ones. Each thread
/// has its own.
#[derive(Debug)]
pub struct Window<'a> {
    image: &'a Image,
    buffer: Vec<u8>,
    /// Where the window begins, and how many of its bytes are valid.
    offset: u64,
    valid: usize,
    /// How much the next read asks for, when it goes on where this one ends.
    ahead: usize,
}

impl<'a> Window<'a> {
    /// An empty window on `image`.
    pub fn new(image: &'a Image) -> Self {
        Window { image, buffer: Vec::new(), offset: 0, valid: 0, ahead: WINDOW_FIRST_BYTES }
    }

    /// The `length` bytes at `offset`; `None`, and a problem that names `what`, when they cannot all be read.
    /// At most 1 MiB, else `None`.
    pub fn get(
        &mut self,
        offset: u64,
        length: usize,
        problems: &mut Problems,
        what: impl Display,
    ) -> Option<&[u8]> {
        if length > WINDOW_LARGEST_BYTES {
            return None;
        }
        let end = offset.checked_add(length as u64)?;
        if offset < self.offset || end > self.offset.saturating_add(self.valid as u64) {
            self.load(offset, length, problems, what)?;
        }
        self.last(offset, length)
    }

    /// Bytes that the last `get` gave, again.
    pub fn last(&self, offset: u64, length: usize) -> Option<&[u8]> {
        let at = usize::try_from(offset.checked_sub(self.offset)?).ok()?;
        let end = at.checked_add(length).filter(|&end| end <= self.valid)?;
        self.buffer.get(at..end)
    }

    fn load(
        &mut self,
        offset: u64,
        length: usize,
        problems: &mut Problems,
        what: impl Display,
    ) -> Option<()> {
        let old_end = self.offset.saturating_add(self.valid as u64);
        // Reading ahead must not fetch more than twice what is wanted, as far as can be known.
        let near = offset >= self.offset && offset.saturating_sub(old_end) <= length as u64;
        self.ahead = if near { (self.ahead * 2).min(WINDOW_LARGEST_BYTES) } else { WINDOW_FIRST_BYTES };
        let wanted = length.max(self.ahead);
        if self.buffer.len() < wanted {
            self.buffer.resize(wanted, 0);
        }
        self.offset = offset;
        let (got, error) = self.image.read_quietly(offset, self.buffer.get_mut(..wanted)?);
        self.valid = got;
        if got >= length {
            return Some(());
        }
        // What was asked for may be readable though what lies behind it is not.
        let (got, error) = match error {
            None => (got, None),
            Some(_) => self.image.read_quietly(offset, self.buffer.get_mut(..length)?),
        };
        self.valid = got;
        if got >= length {
            return Some(());
        }
        self.image.add_problem(offset.saturating_add(got as u64), error, problems, what);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(bytes: &[u8]) -> (tempfile::NamedTempFile, Image) {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), bytes).unwrap();
        let image = Image::open(file.path()).unwrap();
        (file, image)
    }

    #[test]
    fn a_read_beyond_the_end_gives_what_there_is_and_a_problem() {
        let (_file, image) = image(&[7; 100]);
        let mut problems = Problems::new();
        let mut buffer = [0; 64];
        assert_eq!(image.read(60, &mut buffer, &mut problems, "table"), 40);
        assert_eq!(image.read(u64::MAX - 3, &mut buffer, &mut problems, "table"), 0);
        assert_eq!(problems.count("truncated"), 2);
        assert_eq!(problems.into_list()[0].examples[0], "table, byte 100 of 100");
    }

    #[test]
    fn a_window_gives_the_same_bytes_as_the_image_in_any_order() {
        let bytes: Vec<u8> = (0..200_000u32).map(|i| (i * 7 + i / 251) as u8).collect();
        let (_file, image) = image(&bytes);
        let mut problems = Problems::new();
        let mut window = Window::new(&image);
        let ascending = (0..195).map(|i| i * 1024);
        let jumping = (0..195).map(|i| (i * 7919) % 195 * 1024 + 3);
        for offset in ascending.chain(jumping) {
            let got = window.get(offset as u64, 257, &mut problems, "x").unwrap();
            assert_eq!(got, &bytes[offset..offset + 257]);
        }
        assert!(problems.is_empty());
        assert_eq!(window.get(199_900, 101, &mut problems, "x"), None);
        assert_eq!(window.get(199_900, 100, &mut problems, "x"), Some(&bytes[199_900..]));
        assert_eq!(window.get(0, (1 << 20) + 1, &mut problems, "x"), None);
        assert_eq!(problems.count("truncated"), 1);
    }

    #[test]
    fn only_devices_and_files_are_opened() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Image::open(folder.path()).unwrap_err().code, "job.not_an_image");
        assert_eq!(Image::open(&folder.path().join("none")).unwrap_err().code, "job.no_image");
        assert_eq!(Image::open(Path::new("/dev/null")).unwrap_err().code, "job.not_an_image");
    }
}
