//! Seeded mutations of images that go deep: whole blocks in other places, records repeated over a block, numbers at their
//! limits, and checksums put right afterwards; with the memory and the time that a scan of each takes.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::{Duration, Instant};

use super::Range;
use super::damage::Random;

/// No scan of a small damaged image may take longer, or more memory: it takes milliseconds and some megabytes.
const TIME_LIMIT: Duration = Duration::from_secs(20);
const MEMORY_LIMIT_BYTES: u64 = 256 << 20;

/// Sizes of records, keys and pointers of the trees of ext, XFS and btrfs.
const RECORD_BYTES: [u64; 9] = [4, 8, 12, 16, 24, 25, 32, 33, 64];
const NUMBERS: [u64; 8] = [0, 1, 0x7F, 0xFF, 0x7FFF, u32::MAX as u64, i64::MAX as u64, u64::MAX];

/// How many examples, and the seed: FSGAUGE_FUZZ_EXAMPLES and FSGAUGE_FUZZ_SEED for whoever looks for what is rare.
pub fn budget(usual: u64) -> (u64, u64) {
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse().ok());
    (number("FSGAUGE_FUZZ_EXAMPLES").unwrap_or(usual), number("FSGAUGE_FUZZ_SEED").unwrap_or(1))
}

/// A file whose changes can be taken back.
pub struct Patch {
    file: File,
    undo: Vec<(u64, Vec<u8>)>,
}

impl Patch {
    fn new(path: &Path) -> Patch {
        let file = OpenOptions::new().read(true).write(true).open(path).unwrap();
        Patch { file, undo: Vec::new() }
    }

    pub fn read(&self, offset: u64, length: u64) -> Vec<u8> {
        let mut bytes = vec![0; length as usize];
        self.file.read_exact_at(&mut bytes, offset).unwrap();
        bytes
    }

    pub fn write(&mut self, offset: u64, bytes: &[u8]) {
        self.undo.push((offset, self.read(offset, bytes.len() as u64)));
        self.file.write_all_at(bytes, offset).unwrap();
    }

    fn take_back(&mut self) {
        for (offset, bytes) in self.undo.drain(..).rev() {
            self.file.write_all_at(&bytes, offset).unwrap();
        }
    }
}

/// An image, where its metadata lies, the size of its blocks, and what puts its checksums right.
pub struct Target<'a> {
    pub path: &'a Path,
    pub places: Vec<Range>,
    pub block_bytes: u64,
    pub seal: &'a dyn Fn(&mut Patch),
}

/// Calls `each` with every mutation of an image; fails where one takes too long or too much memory.
pub fn fuzz(target: &Target<'_>, name: &str, examples: u64, seed: u64, each: &mut dyn FnMut()) {
    let mut patch = Patch::new(target.path);
    for example in 0..examples {
        let mut random = Random((seed << 32 | (example + 1)).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        for _ in 0..1 + random.below(6) {
            mutate(target, &mut patch, &mut random);
        }
        (target.seal)(&mut patch);
        let (start, before_bytes) = (Instant::now(), forget_peak());
        let unwound = std::panic::catch_unwind(std::panic::AssertUnwindSafe(&mut *each));
        let (elapsed, bytes) = (start.elapsed(), peak_bytes().saturating_sub(before_bytes));
        let what = format!("{name}, example {example} of seed {seed}");
        assert!(unwound.is_ok(), "{what}: panicked");
        assert!(elapsed < TIME_LIMIT, "{what}: took {elapsed:?}");
        assert!(bytes < MEMORY_LIMIT_BYTES, "{what}: took {bytes} bytes of memory");
        patch.take_back();
    }
}

fn mutate(target: &Target<'_>, patch: &mut Patch, random: &mut Random) {
    let block = target.block_bytes;
    let pick = |random: &mut Random| target.places[random.below(target.places.len() as u64) as usize];
    let (start, length) = pick(random);
    match random.below(5) {
        // Another block of metadata in the place of this one.
        0 => {
            let (other, other_length) = pick(random);
            let bytes = patch.read(other, block.min(other_length).min(length));
            patch.write(start, &bytes);
        }
        // One record again and again, to the end of the block: many ways to one place.
        1 => {
            let record_bytes = RECORD_BYTES[random.below(RECORD_BYTES.len() as u64) as usize].min(length);
            let at = random.below(length - record_bytes + 1) & !3;
            let record = patch.read(start + at, record_bytes.min(length - at));
            let room = (block - at % block).min(length - at) as usize;
            let bytes: Vec<u8> = record.iter().copied().cycle().take(room).collect();
            patch.write(start + at, &bytes);
        }
        // A number at its limit, in either order of bytes.
        2 => {
            let width = [1, 2, 4, 8][random.below(4) as usize].min(length);
            let at = random.below(length - width + 1) & !(width - 1);
            let number = NUMBERS[random.below(NUMBERS.len() as u64) as usize].to_le_bytes();
            let mut bytes = number[..width as usize].to_vec();
            if random.below(2) == 1 {
                bytes.reverse();
            }
            patch.write(start + at, &bytes);
        }
        // A number a little larger or smaller.
        3 => {
            let at = random.below(length);
            let mut bytes = patch.read(start + at, 1);
            bytes[0] = bytes[0].wrapping_add(random.below(17) as u8).wrapping_sub(8);
            patch.write(start + at, &bytes);
        }
        // Anything.
        _ => {
            let at = random.below(length);
            let bytes: Vec<u8> =
                (0..(1 + random.below(16)).min(length - at)).map(|_| random.below(256) as u8).collect();
            patch.write(start + at, &bytes);
        }
    }
}

/// Lets the kernel count the peak from here; what is resident now.
fn forget_peak() -> u64 {
    // Refused in some sandboxes: then the peak is that of all examples, which is bounded too.
    let _ = fs::write("/proc/self/clear_refs", "5");
    status_bytes("VmRSS:")
}

fn peak_bytes() -> u64 {
    status_bytes("VmHWM:")
}

fn status_bytes(name: &str) -> u64 {
    let text = fs::read_to_string("/proc/self/status").unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() << 10
}
