//! Damaged copies of an image: each case changes some bytes of the metadata, reads everything, and puts them back.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::{Duration, Instant};

use fsgauge_scan::{FileExtents, FileName, Image, OnDisk, Piece, Problems, Sink};

/// No case may take longer; one takes about a millisecond when the machine is not busy.
const CASE_LIMIT: Duration = Duration::from_secs(20);

/// A sink that only checks what no damage may break.
#[derive(Default)]
struct Bounds {
    files: u64,
    extents: u64,
    pieces: u64,
    names: Vec<u64>,
}

impl Sink for Bounds {
    fn file(&mut self, file: &FileExtents<'_>) {
        self.files += 1;
        self.extents += file.extents.len() as u64;
        let mut next = 0;
        for extent in file.extents {
            assert!(extent.logical_bytes >= next && extent.length_bytes > 0);
            next = extent.logical_bytes.checked_add(extent.length_bytes).unwrap();
            extent.physical_bytes.checked_add(extent.length_bytes).unwrap();
        }
        if let FileName::Inode(inode) = file.name
            && self.names.len() < 20
        {
            self.names.push(inode);
        }
    }

    fn piece(&mut self, piece: &Piece) {
        self.pieces += 1;
        assert!(piece.length_bytes > 0);
        piece.offset_bytes.checked_add(piece.length_bytes).unwrap();
    }
}

/// Opens a file system and hands it to the last argument; false when it is refused.
pub type Open<'a> = &'a dyn Fn(&Image, &mut Problems, Each<'_>) -> bool;
pub type Each<'a> = &'a mut dyn FnMut(&dyn OnDisk, &mut Problems);

/// How cases went.
#[derive(Debug, Default)]
pub struct Cases {
    pub cases: u32,
    pub refused: u32,
    pub with_problems: u32,
    pub as_if_whole: u32,
}

/// xorshift64*: the same cases for the same seed everywhere.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) % limit
    }
}

/// Runs `cases` cases on the image at `path`. `places` are the ranges of metadata, as offset and length in bytes.
/// `open` reads the superblock and hands the file system on.
pub fn damage(path: &Path, places: &[(u64, u64)], cases: u32, seed: u64, open: Open<'_>) -> Cases {
    let image = Image::open(path).unwrap();
    let mut done = Cases::default();
    each_case(path, places, cases, seed, &mut |start| {
        let mut problems = Problems::new();
        let opened = open(&image, &mut problems, &mut |source, problems| {
            let mut bounds = Bounds::default();
            let stop = || start.elapsed() > CASE_LIMIT;
            source.read(&mut bounds, &stop, problems);
            source.names(&bounds.names, &stop, problems);
            let info = source.info();
            assert!(info.groups.len() as u64 <= image.size_bytes() / 16, "groups without end");
            assert!(bounds.extents <= image.size_bytes() / 4, "extents without end");
        });
        done.cases += 1;
        match (opened, problems.is_empty()) {
            (false, _) => done.refused += 1,
            (true, false) => done.with_problems += 1,
            (true, true) => done.as_if_whole += 1,
        }
    });
    done
}

/// Calls `each` with the moment of each case's begin while the image at `path` is damaged; it is whole again at the end.
pub fn each_case(path: &Path, places: &[(u64, u64)], cases: u32, seed: u64, each: &mut dyn FnMut(Instant)) {
    let file = OpenOptions::new().read(true).write(true).open(path).unwrap();
    // More rounds, for whoever looks for what is rare.
    let rounds =
        std::env::var("FSGAUGE_DAMAGE_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(1);
    let mut random = Random(seed);
    for case in 0..cases * rounds {
        let undo = change(&file, places, &mut random);
        let start = Instant::now();
        each(start);
        let elapsed = start.elapsed();
        assert!(elapsed < CASE_LIMIT, "case {case} of seed {seed} took {elapsed:?}");
        for (offset, bytes) in undo.into_iter().rev() {
            file.write_all_at(&bytes, offset).unwrap();
        }
    }
}

/// One to eight changes; returns what was there before, in order.
fn change(file: &File, places: &[(u64, u64)], random: &mut Random) -> Vec<(u64, Vec<u8>)> {
    let mut undo = Vec::new();
    for _ in 0..1 + random.below(8) {
        let (start, length) = places[random.below(places.len() as u64) as usize];
        let at = random.below(length);
        // Numbers lie at multiples of two: hit whole ones more often than by chance.
        let (at, most) = match random.below(4) {
            0 => (at, 1),
            1 => (at & !1, 2),
            2 => (at & !3, 4),
            _ => (at & !7, 64),
        };
        let mut before = vec![0; most.min(length - at) as usize];
        file.read_exact_at(&mut before, start + at).unwrap();
        let mut after = before.clone();
        match random.below(5) {
            0 => after.fill(0),
            1 => after.fill(0xFF),
            2 => after[0] ^= 1 << random.below(8),
            3 => after.iter_mut().for_each(|byte| *byte = random.below(256) as u8),
            // Another place's bytes: well formed, and wrong here; this is how circles come about.
            _ => {
                let (other, other_length) = places[random.below(places.len() as u64) as usize];
                let other_at = random.below(other_length) & !3;
                let length = after.len().min((other_length - other_at) as usize);
                file.read_exact_at(&mut after[..length], other + other_at).unwrap();
            }
        }
        file.write_all_at(&after, start + at).unwrap();
        undo.push((start + at, before));
    }
    undo
}
