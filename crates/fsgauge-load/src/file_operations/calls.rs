//! Operations as system calls: one dispatch each, on a file of the job that it is drawn for.

use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};

use fsgauge_door::Folder;
use fsgauge_wire::{Failure, FileOperation, LoadJob};
use rustix::fs::{FallocateFlags, Mode, OFlags, RawDir, fallocate, fdatasync, fsync, ftruncate};
use rustix::io::{Errno, pread, pwrite, retry_on_intr};

use super::file_set::FileSet;
use super::{Done, mapped};
use crate::filler::Filler;
use crate::full::is_full;
use crate::instruments::Clock;
use crate::pattern::Sizes;
use crate::random::Random;
use crate::target::{DSYNC, Geometry};

/// Files of a job that stay open, each at the place of its number.
const STAY_OPEN: usize = 64;
/// Draws of a file before all are looked at.
const DRAWS: usize = 16;
/// A file that is appended to grows by so many blocks at least before it is cut back.
const GROWN_BLOCKS: u64 = 16;
const LISTED_BYTES: usize = 32 << 10;

/// A job's files, what is open of them, and its buffer.
pub(crate) struct FileCalls {
    set: FileSet,
    /// Places in the set whose files were removed.
    removed: Vec<usize>,
    open: Vec<Option<(usize, OwnedFd)>>,
    sizes: Sizes,
    largest_bytes: u64,
    filler: Filler,
    buffer: Vec<u8>,
    names: Vec<MaybeUninit<u8>>,
    flags: OFlags,
    continue_when_full: bool,
}

impl FileCalls {
    pub(crate) fn new(load: &LoadJob, job: u32, set: FileSet) -> Result<Self, Failure> {
        if set.files.is_empty() {
            let what = format!("job {job} has no file of the set");
            return Err(Failure::job("jobs", what, "each has its own", "fewer jobs, or more files"));
        }
        let largest_bytes = load.largest_block_bytes();
        let mut filler = Filler::for_data(load.data, load.seed, job + 1);
        let mut buffer = vec![0; largest_bytes as usize];
        filler.fill(&mut buffer);
        let whole = Geometry { files: 1, file_size_bytes: u64::from(largest_bytes), base_bytes: 0 };
        let dsync = load.sync == fsgauge_wire::Sync::Dsync;
        Ok(FileCalls {
            removed: Vec::with_capacity(set.files.len()),
            set,
            open: (0..STAY_OPEN).map(|_| None).collect(),
            sizes: Sizes::of(load, &whole),
            largest_bytes: u64::from(largest_bytes),
            filler,
            buffer,
            names: vec![MaybeUninit::uninit(); LISTED_BYTES],
            flags: if dsync { DSYNC } else { OFlags::empty() },
            continue_when_full: load.continue_when_full,
        })
    }

    /// Carries an operation out; none where no file lets it be done now.
    pub(crate) fn carry_out(
        &mut self,
        operation: FileOperation,
        random: &mut Random,
        clock: &Clock,
    ) -> Result<Option<Done>, Failure> {
        let index = if operation == FileOperation::Create {
            self.take_removed(random)
        } else {
            self.drawn(operation, random)
        };
        let Some(index) = index else { return Ok(None) };
        let block_bytes = u64::from(self.sizes.next(!operation.only_reads(), random).size_bytes);
        match self.on_file(operation, index, block_bytes, random, clock) {
            Ok(done) => Ok(Some(done)),
            Err(errno) if self.continue_when_full && is_full(errno.raw_os_error()) => {
                self.refused(operation, index).map(Some)
            }
            Err(errno) => Err(self.failure(operation, index, errno)),
        }
    }

    /// What found no space: half a new file is removed again, and any other has the size that it came to.
    #[cold]
    fn refused(&mut self, operation: FileOperation, index: usize) -> Result<Done, Failure> {
        let refused = Done { refused: true, ..Done::default() };
        let (directory, name) = self.set.at(index);
        if operation == FileOperation::Create {
            match directory.remove_file(name) {
                Ok(()) | Err(Errno::NOENT) => {
                    self.removed.push(index);
                    return Ok(refused);
                }
                // btrfs needs space to remove a file too.
                Err(errno) if is_full(errno.raw_os_error()) => self.set.files[index].is_there = true,
                Err(errno) => return Err(self.failure(FileOperation::Unlink, index, errno)),
            }
        }
        let (directory, name) = self.set.at(index);
        let found = directory.stat(name);
        let found = found.map_err(|errno| self.failure(FileOperation::Stat, index, errno))?;
        self.set.files[index].size_bytes = found.st_size as u64;
        Ok(refused)
    }

    fn on_file(
        &mut self,
        operation: FileOperation,
        index: usize,
        block_bytes: u64,
        random: &mut Random,
        clock: &Clock,
    ) -> Result<Done, Errno> {
        let file = self.set.files[index];
        let block_bytes = match operation {
            FileOperation::Append | FileOperation::Fallocate => block_bytes,
            _ => block_bytes.min(file.size_bytes),
        };
        let offset = offset_in(file.size_bytes, block_bytes, random);
        match operation {
            FileOperation::Read => self.read(index, offset, block_bytes),
            FileOperation::Write => self.write(index, offset, block_bytes),
            FileOperation::Fsync => self.on_open(index, |file| fsync(file)),
            FileOperation::Fdatasync => self.on_open(index, |file| fdatasync(file)),
            FileOperation::Trim => self.on_open(index, |file| {
                fallocate(file, FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE, offset, block_bytes)
            }),
            FileOperation::MmapRead => self.map(index, offset, block_bytes),
            FileOperation::Append => self.append(index, block_bytes, clock),
            FileOperation::Create => self.create(index, clock),
            FileOperation::Open => self.opened(index, OFlags::RDWR, clock, |_, _| Ok(0)),
            FileOperation::ReadFile => self.opened(index, OFlags::RDONLY, clock, Self::read_whole),
            FileOperation::WriteFile => self.opened(index, OFlags::WRONLY, clock, Self::write_whole),
            FileOperation::Stat => {
                let (directory, name) = self.set.at(index);
                directory.stat(name).map(|_| Done::default())
            }
            FileOperation::List => self.list(index),
            FileOperation::Rename => {
                let (directory, name, second) = self.set.both_names(index);
                directory.rename(name, second)?;
                let file = &mut self.set.files[index];
                file.has_second_name = !file.has_second_name;
                Ok(Done::default())
            }
            FileOperation::Unlink => self.unlink(index),
            FileOperation::Truncate => self.on_open(index, |open| {
                ftruncate(open, file.size_bytes / 2)?;
                ftruncate(open, file.size_bytes)
            }),
            FileOperation::Fallocate => self.on_open(index, |open| {
                fallocate(open, FallocateFlags::KEEP_SIZE, file.size_bytes, block_bytes)
            }),
            FileOperation::Close => Ok(Done::default()),
        }
    }

    /// A file that is there, and holds something where the operation needs that; none if there is none.
    fn drawn(&self, operation: FileOperation, random: &mut Random) -> Option<usize> {
        use FileOperation::{MmapRead, Read, Trim, Truncate, Write};
        let needs_contents = matches!(operation, Read | Write | Trim | MmapRead | Truncate);
        let count = self.set.files.len();
        let fits = |index: &usize| {
            let file = self.set.files[*index];
            file.is_there && (file.size_bytes > 0 || !needs_contents)
        };
        let mut draw = || ((u128::from(random.next()) * count as u128) >> 64) as usize;
        let found = (0..DRAWS).map(|_| draw()).find(fits);
        found.or_else(|| (0..count).find(fits))
    }

    fn take_removed(&mut self, random: &mut Random) -> Option<usize> {
        let count = self.removed.len();
        let at = ((u128::from(random.next()) * count as u128) >> 64) as usize;
        (count > 0).then(|| self.removed.swap_remove(at))
    }

    /// The open file at `index`, opened now where it was not.
    fn stays_open(&mut self, index: usize) -> Result<&OwnedFd, Errno> {
        let place = index % STAY_OPEN;
        if self.open[place].as_ref().is_none_or(|(held, _)| *held != index) {
            self.open[place] = None;
            let flags = OFlags::RDWR | self.flags;
            let (directory, name) = self.set.at(index);
            let file = retry_on_intr(|| directory.open(name, flags, Mode::empty()))?;
            self.open[place] = Some((index, file));
        }
        self.open[place].as_ref().map(|(_, file)| file).ok_or(Errno::BADF)
    }

    fn on_open(&mut self, index: usize, call: impl Fn(&OwnedFd) -> Result<(), Errno>) -> Result<Done, Errno> {
        let file = self.stays_open(index)?;
        retry_on_intr(|| call(file)).map(|()| Done::default())
    }

    fn read(&mut self, index: usize, offset: u64, block_bytes: u64) -> Result<Done, Errno> {
        let mut buffer = std::mem::take(&mut self.buffer);
        let file = self.stays_open(index);
        let read = file.and_then(|file| read_all(file, &mut buffer[..block_bytes as usize], offset));
        self.buffer = buffer;
        read.map(|()| Done { size_bytes: block_bytes, ..Done::default() })
    }

    fn write(&mut self, index: usize, offset: u64, block_bytes: u64) -> Result<Done, Errno> {
        self.stays_open(index)?;
        self.stamp(block_bytes as usize);
        let Some((_, file)) = &self.open[index % STAY_OPEN] else { return Err(Errno::BADF) };
        write_all(file, &self.buffer[..block_bytes as usize], offset)?;
        Ok(Done { size_bytes: block_bytes, ..Done::default() })
    }

    fn map(&mut self, index: usize, offset: u64, block_bytes: u64) -> Result<Done, Errno> {
        let mut buffer = std::mem::take(&mut self.buffer);
        let file = self.stays_open(index);
        let read =
            file.and_then(|file| mapped::read(file.as_fd(), offset, &mut buffer[..block_bytes as usize]));
        self.buffer = buffer;
        read.map(|()| Done { size_bytes: block_bytes, ..Done::default() })
    }

    /// Opens a file by its name, does something with it, closes it.
    fn opened(
        &mut self,
        index: usize,
        flags: OFlags,
        clock: &Clock,
        work: impl FnOnce(&mut Self, (usize, &OwnedFd)) -> Result<u64, Errno>,
    ) -> Result<Done, Errno> {
        let flags = flags | self.flags;
        let (directory, name) = self.set.at(index);
        let begin_ns = clock.now_ns();
        let file = retry_on_intr(|| directory.open(name, flags, Mode::RUSR | Mode::WUSR))?;
        let open_ns = clock.now_ns() - begin_ns;
        let size_bytes = work(self, (index, &file))?;
        let begin_ns = clock.now_ns();
        drop(file);
        let close_ns = clock.now_ns() - begin_ns;
        Ok(Done { size_bytes, open_ns, close_ns, ..Done::default() })
    }

    fn create(&mut self, index: usize, clock: &Clock) -> Result<Done, Errno> {
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY;
        let file = &mut self.set.files[index];
        (file.size_bytes, file.has_second_name) = (file.set_bytes, false);
        let done = self.opened(index, flags, clock, Self::write_whole)?;
        self.set.files[index].is_there = true;
        Ok(done)
    }

    fn append(&mut self, index: usize, block_bytes: u64, clock: &Clock) -> Result<Done, Errno> {
        let file = self.set.files[index];
        let most = file.set_bytes + file.set_bytes.max(GROWN_BLOCKS * self.largest_bytes);
        let from = if file.size_bytes + block_bytes > most { file.set_bytes } else { file.size_bytes };
        let done = self.opened(index, OFlags::WRONLY, clock, |calls, (_, open)| {
            if from != file.size_bytes {
                ftruncate(open, from)?;
            }
            calls.stamp(block_bytes as usize);
            write_all(open, &calls.buffer[..block_bytes as usize], from)?;
            Ok(block_bytes)
        })?;
        self.set.files[index].size_bytes = from + block_bytes;
        Ok(done)
    }

    fn unlink(&mut self, index: usize) -> Result<Done, Errno> {
        let (directory, name) = self.set.at(index);
        directory.remove_file(name)?;
        if self.open[index % STAY_OPEN].as_ref().is_some_and(|(held, _)| *held == index) {
            self.open[index % STAY_OPEN] = None;
        }
        self.set.files[index].is_there = false;
        self.removed.push(index);
        Ok(Done::default())
    }

    fn list(&mut self, index: usize) -> Result<Done, Errno> {
        let (directory, _) = self.set.at(index);
        let opened = open_directory(directory)?;
        let mut names = RawDir::new(opened, &mut self.names);
        while let Some(entry) = names.next() {
            std::hint::black_box(entry?);
        }
        Ok(Done::default())
    }

    fn read_whole(&mut self, (index, file): (usize, &OwnedFd)) -> Result<u64, Errno> {
        let size_bytes = self.set.files[index].size_bytes;
        for (offset, length) in blocks(size_bytes, self.largest_bytes) {
            read_all(file, &mut self.buffer[..length], offset)?;
        }
        Ok(size_bytes)
    }

    fn write_whole(&mut self, (index, file): (usize, &OwnedFd)) -> Result<u64, Errno> {
        let size_bytes = self.set.files[index].size_bytes;
        for (offset, length) in blocks(size_bytes, self.largest_bytes) {
            self.stamp(length);
            write_all(file, &self.buffer[..length], offset)?;
        }
        Ok(size_bytes)
    }

    /// Makes the next bytes that are written unlike all before.
    fn stamp(&mut self, length: usize) {
        for (at, word) in self.filler.stamps(length as u32).filter(|(at, _)| at + 8 <= length) {
            self.buffer[at..at + 8].copy_from_slice(&word.to_le_bytes());
        }
    }

    #[cold]
    fn failure(&mut self, operation: FileOperation, index: usize, errno: Errno) -> Failure {
        let (directory, name) = self.set.at(index);
        let path = directory.path().join(name);
        let what = format!("{operation:?} of {} failed: {errno}", path.display());
        let (cause, next) = match errno {
            Errno::NOSPC | Errno::DQUOT => {
                ("the file system or the quota is full, of bytes or of inodes", "df -h; df -i")
            }
            Errno::NOENT => ("something else removed the file", "a folder that nothing else uses"),
            Errno::OPNOTSUPP => ("its file system does not have this operation", "leave it out"),
            _ => ("the device or the file system reported an error", "dmesg | tail"),
        };
        Failure::system("file.failed", Some(errno.raw_os_error()), what, cause, next)
    }
}

fn open_directory(directory: &Folder) -> Result<OwnedFd, Errno> {
    retry_on_intr(|| directory.open(".", OFlags::DIRECTORY | OFlags::RDONLY, Mode::empty()))
}

/// A multiple of the block where a whole one fits, else the start.
fn offset_in(size_bytes: u64, block_bytes: u64, random: &mut Random) -> u64 {
    let places = size_bytes.checked_div(block_bytes).unwrap_or(0);
    ((u128::from(random.next()) * u128::from(places)) >> 64) as u64 * block_bytes
}

/// Offsets and lengths of the blocks of a whole file; the last may be shorter.
fn blocks(size_bytes: u64, block_bytes: u64) -> impl Iterator<Item = (u64, usize)> {
    (0..size_bytes.div_ceil(block_bytes)).map(move |block| {
        let offset = block * block_bytes;
        (offset, block_bytes.min(size_bytes - offset) as usize)
    })
}

fn read_all(file: &OwnedFd, buffer: &mut [u8], offset: u64) -> Result<(), Errno> {
    let mut done = 0;
    while done < buffer.len() {
        let read = retry_on_intr(|| pread(file, &mut buffer[done..], offset + done as u64))?;
        if read == 0 {
            return Err(Errno::IO);
        }
        done += read;
    }
    Ok(())
}

fn write_all(file: &OwnedFd, buffer: &[u8], offset: u64) -> Result<(), Errno> {
    let mut done = 0;
    while done < buffer.len() {
        let written = retry_on_intr(|| pwrite(file, &buffer[done..], offset + done as u64))?;
        if written == 0 {
            return Err(Errno::NOSPC);
        }
        done += written;
    }
    Ok(())
}
