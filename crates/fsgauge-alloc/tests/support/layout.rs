//! What a layout is judged by, of the model and of a device that the kernel has written.

use fsgauge_scan::{FileExtents, Image, OnDisk, Piece, PieceKind, Problems, Sink};

/// Lengths in blocks.
#[derive(Debug, Default)]
pub struct Layout {
    /// Of the extents of all files; neighbours are one.
    pub extents: Vec<u64>,
    /// First blocks and lengths of free runs.
    pub free: Vec<(u64, u64)>,
    pub files: usize,
    /// Files in several pieces.
    pub fragmented: usize,
    /// Of a device that is read.
    block_bytes: u64,
}

impl Layout {
    /// A file's extents: where each begins in the file and on the device, and its blocks.
    pub fn add_file(&mut self, extents: impl Iterator<Item = (u64, u64, u64)>) {
        let mut pieces: Vec<(u64, u64, u64)> = Vec::new();
        for (logical, physical, blocks) in extents {
            match pieces.last_mut() {
                Some(last) if last.0 + last.2 == logical && last.1 + last.2 == physical => last.2 += blocks,
                _ => pieces.push((logical, physical, blocks)),
            }
        }
        self.files += usize::from(!pieces.is_empty());
        self.fragmented += usize::from(pieces.len() > 1);
        self.extents.extend(pieces.iter().map(|piece| piece.2));
    }

    pub fn of_device(disk: &dyn OnDisk) -> Self {
        let block_bytes = disk.info().block_size_bytes.into();
        let (mut layout, mut problems) = (Layout { block_bytes, ..Layout::default() }, Problems::new());
        disk.read(&mut layout, &|| false, &mut problems);
        layout.free.sort_unstable();
        layout
    }

    /// Free runs end at the borders of groups of so many blocks.
    pub fn cut_free(&mut self, group_blocks: u64) {
        let mut cut = Vec::new();
        for (start, blocks) in self.free.drain(..) {
            let (mut at, end) = (start, start + blocks);
            while at < end {
                let border = end.min((at / group_blocks + 1) * group_blocks);
                cut.push((at, border - at));
                at = border;
            }
        }
        self.free = cut;
    }

    /// How far apart two are.
    pub fn distances(&self, other: &Layout) -> Distances {
        let free = |layout: &Layout| layout.free.iter().map(|run| run.1).collect::<Vec<_>>();
        let (extents, free) = (distance(&self.extents, &other.extents), distance(&free(self), &free(other)));
        let share = |layout: &Layout| layout.fragmented as f64 / layout.files as f64;
        let text = format!(
            "{} files; in several pieces {:.4} and {:.4}; extents {} and {}, their lengths {extents:.4} apart; \
             free runs {} and {}, {free:.4} apart",
            self.files,
            share(self),
            share(other),
            self.extents.len(),
            other.extents.len(),
            self.free.len(),
            other.free.len()
        );
        Distances { extents, free, fragmented: share(self) / share(other), text }
    }
}

/// How far apart the model and the kernel are.
#[derive(Debug)]
pub struct Distances {
    pub extents: f64,
    pub free: f64,
    /// Files in several pieces, of those in the kernel's layout.
    pub fragmented: f64,
    /// All of it in words, the model's first.
    pub text: String,
}

impl Sink for Layout {
    fn file(&mut self, file: &FileExtents<'_>) {
        let blocks = |bytes: u64| bytes.div_ceil(self.block_bytes);
        let extents = file
            .extents
            .iter()
            .map(|is| (blocks(is.logical_bytes), blocks(is.physical_bytes), blocks(is.length_bytes)))
            .collect::<Vec<_>>();
        self.add_file(extents.into_iter());
    }

    fn piece(&mut self, piece: &Piece) {
        if piece.kind == PieceKind::Free {
            self.free.push((piece.offset_bytes / self.block_bytes, piece.length_bytes / self.block_bytes));
        }
    }
}

/// An image or a device.
pub fn image(path: &std::path::Path) -> Image {
    Image::open(path).unwrap()
}

/// The shares of values up to any length differ by so much at most (Kolmogorov and Smirnov).
fn distance(one: &[u64], other: &[u64]) -> f64 {
    let sorted = |all: &[u64]| {
        let mut all = all.to_vec();
        all.sort_unstable();
        all
    };
    let (one, other) = (sorted(one), sorted(other));
    let share = |all: &[u64], value: u64| all.partition_point(|&is| is <= value) as f64 / all.len() as f64;
    let values = one.iter().chain(&other);
    values.map(|&value| (share(&one, value) - share(&other, value)).abs()).fold(0.0, f64::max)
}
