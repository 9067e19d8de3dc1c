//! The walk: every regular file below a folder that is in the same mount, read by several threads.

use std::ffi::{CStr, OsStr};
use std::mem::MaybeUninit;
use std::ops::Range;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{FileType, Mode, OFlags, Stat, fstat, openat};
use rustix::io::Errno;

use super::emptied_folders::{EmptiedFolders, Names};
use super::extents::{ExtentReader, Read};
use super::folder::{Folder, MountedAs, PORTION_BYTES, Portion, taken_bytes};
use super::full_folders::LargeFolders;
use super::hard_links::{Links, Meeting};
use super::refusal;
use super::work_queue::{Work, WorkQueue};
use crate::extent::{FileExtents, FileName, Sink};
use crate::measure::Measure;
use crate::problems::Problems;
use crate::progress::Progress;
use crate::reader_threads::IsStopped;

/// Files that are given away together.
const BATCH: usize = 128;
/// So many files without FIEMAP and not one with it: the whole tree has none.
const HOPELESS: u64 = 1000;

/// What the threads of one walk share.
#[derive(Debug)]
pub(super) struct Walk {
    work_queue: WorkQueue,
    links: Links,
    mount: MountedAs,
    file_system: String,
    /// From how many bytes on a folder is kept.
    large_folder_bytes: u64,
    /// The tree has no FIEMAP.
    hopeless: AtomicBool,
}

/// What one thread found.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) measure: Measure,
    pub(super) problems: Problems,
    /// Folders and files that are mounted from elsewhere.
    pub(super) left_out: u64,
    /// What the files and folders take.
    pub(super) taken_bytes: u64,
    /// Folders so large that their index may be full.
    pub(super) large_folders: LargeFolders,
    /// Folders with far more room than names.
    pub(super) emptied_folders: EmptiedFolders,
}

impl Walk {
    pub(super) fn new(
        root: Folder,
        (path, file_system): (&Path, &str),
        large_folder_bytes: u64,
        threads: usize,
    ) -> Result<Walk, Errno> {
        let mount = root.mount()?;
        let work_queue =
            WorkQueue::new(threads, Work::Begin(Arc::new(root), path.as_os_str().as_bytes().to_vec()));
        Ok(Walk {
            work_queue,
            links: Links::default(),
            mount,
            file_system: file_system.to_owned(),
            large_folder_bytes,
            hopeless: AtomicBool::new(false),
        })
    }

    /// Works until all is done or the scan is stopped.
    pub(super) fn work(&self, measure: Measure, progress: &Progress, is_stopped: IsStopped<'_>) -> Found {
        let (large_folders, emptied_folders) = (LargeFolders::default(), EmptiedFolders::default());
        let problems = Problems::new();
        let found = Found { measure, problems, left_out: 0, taken_bytes: 0, large_folders, emptied_folders };
        let mut walker = Walker {
            walk: self,
            progress,
            is_stopped,
            reader: ExtentReader::new(&self.file_system),
            room: vec![MaybeUninit::uninit(); PORTION_BYTES],
            path: Vec::new(),
            found,
        };
        self.work_queue.enter();
        while let Some(work) = self.work_queue.take() {
            walker.work(work);
        }
        walker.found
    }
}

/// One thread.
struct Walker<'a> {
    walk: &'a Walk,
    progress: &'a Progress,
    is_stopped: IsStopped<'a>,
    reader: ExtentReader,
    room: Vec<MaybeUninit<u8>>,
    /// Of the folder or file at hand: a folder that kept its own would make memory grow with the depth squared.
    path: Vec<u8>,
    found: Found,
}

/// A folder that is being walked, with the portion at hand.
struct Step {
    folder: Arc<Folder>,
    portion: Arc<Portion>,
    next_folder: usize,
    path_bytes: usize,
    /// In the portions so far.
    names: Names,
}

impl Walker<'_> {
    fn is_over(&self) -> bool {
        (self.is_stopped)() || self.walk.hopeless.load(Ordering::Relaxed)
    }

    fn work(&mut self, work: Work) {
        match work {
            Work::Begin(folder, path) => {
                self.path = path;
                self.walk_tree(folder);
            }
            Work::Walk(parent, name, path) => {
                self.path = path;
                if let Some(folder) = self.open(&parent, &name) {
                    self.walk_tree(folder);
                }
            }
            Work::Files(folder, portion, range, path) => {
                self.path = path;
                self.read_files(&folder, &portion, range);
            }
        }
    }

    /// Walks the folder at hand, depth first: memory grows with the depth, not with the number of folders.
    fn walk_tree(&mut self, folder: Arc<Folder>) {
        let begin = |folder, path_bytes| {
            let (portion, names) = (Arc::default(), Names::default());
            Step { folder, portion, next_folder: 0, path_bytes, names }
        };
        let path_bytes = self.path.len();
        let mut steps = vec![begin(folder, path_bytes)];
        while let Some(step) = steps.last_mut().filter(|_| !self.is_over()) {
            self.path.truncate(step.path_bytes);
            if let Some(name) = step.portion.folder(step.next_folder) {
                step.next_folder += 1;
                if self.walk.work_queue.has_space() {
                    let path = self.path.clone();
                    self.walk.work_queue.give(Work::Walk(step.folder.clone(), name.to_owned(), path));
                } else if let Some(folder) = self.open(&step.folder, name) {
                    steps.push(begin(folder, self.path.len()));
                }
                continue;
            }
            let folder = step.folder.clone();
            match folder.portion(&mut self.room) {
                Ok(Some(portion)) => {
                    let portion = Arc::new(portion);
                    (step.portion, step.next_folder) = (portion.clone(), 0);
                    step.names.join(portion.names_of_all);
                    self.share_files(&folder, &portion);
                }
                Ok(None) => {
                    let names = step.names;
                    self.add_folder(&folder, names);
                    steps.pop();
                }
                Err(errno) => {
                    self.refused(errno);
                    steps.pop();
                }
            }
        }
        self.path.truncate(path_bytes);
    }

    fn add_folder(&mut self, folder: &Folder, names: Names) {
        self.found.measure.folder();
        self.found.taken_bytes = self.found.taken_bytes.saturating_add(folder.taken_bytes);
        let Folder { inode, size_bytes, .. } = *folder;
        let path = Path::new(OsStr::from_bytes(&self.path));
        if size_bytes >= self.walk.large_folder_bytes {
            self.found.large_folders.add(inode, size_bytes, path);
        }
        self.found.emptied_folders.add(path, size_bytes, names);
    }

    /// Opens a folder of the one at hand when it is in the same mount, and has its path then.
    fn open(&mut self, parent: &Folder, name: &CStr) -> Option<Arc<Folder>> {
        let path_bytes = self.path.len();
        self.enter(name);
        let opened =
            Folder::open(parent, name).and_then(|folder| folder.mount().map(|mount| (folder, mount)));
        match opened {
            Ok((folder, mount)) if mount == self.walk.mount => return Some(Arc::new(folder)),
            Ok(_) => self.found.left_out += 1,
            Err(errno) => self.refused(errno),
        }
        self.path.truncate(path_bytes);
        None
    }

    /// Adds a name to the path of the folder at hand.
    fn enter(&mut self, name: &CStr) {
        if self.path.last() != Some(&b'/') {
            self.path.push(b'/');
        }
        self.path.extend_from_slice(name.to_bytes());
    }

    fn refused(&mut self, errno: Errno) {
        let path = Path::new(OsStr::from_bytes(&self.path)).display();
        refusal::add(&mut self.found.problems, errno, path);
    }

    /// Gives batches to other threads while they have too little to do, and reads the others.
    fn share_files(&mut self, folder: &Arc<Folder>, portion: &Arc<Portion>) {
        let files = portion.files();
        for first in (0..files).step_by(BATCH) {
            let batch = first..files.min(first + BATCH);
            if self.walk.work_queue.has_space() {
                let path = self.path.clone();
                self.walk.work_queue.give(Work::Files(folder.clone(), portion.clone(), batch, path));
            } else {
                self.read_files(folder, portion, batch);
            }
        }
    }

    fn read_files(&mut self, folder: &Folder, portion: &Portion, range: Range<usize>) {
        let path_bytes = self.path.len();
        for at in range {
            if self.is_over() {
                return;
            }
            let Some(name) = portion.file(at) else { continue };
            self.enter(name);
            if let Err(errno) = self.read_file(folder, name) {
                self.refused(errno);
                self.give_up_if_hopeless();
            }
            self.path.truncate(path_bytes);
        }
        let counts = self.found.measure.counts();
        self.progress.set(counts.files, counts.extents);
    }

    /// Four system calls: open, status, extents, close.
    fn read_file(&mut self, folder: &Folder, name: &CStr) -> Result<(), Errno> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = openat(&folder.fd, name, flags, Mode::empty())?;
        let stat = fstat(&file)?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return self.not_a_file(folder, name, &stat);
        }
        if stat.st_dev != folder.device {
            self.found.left_out += 1;
            return Ok(());
        }
        if stat.st_nlink > 1 && !self.is_first_name(&stat) {
            return Ok(());
        }
        let read = self.reader.read(file.as_fd(), &stat)?;
        self.add_file(&stat, read);
        Ok(())
    }

    /// A folder whose kind its parent does not tell (some file systems) is walked; other things are no files.
    fn not_a_file(&mut self, folder: &Folder, name: &CStr, stat: &Stat) -> Result<(), Errno> {
        if FileType::from_raw_mode(stat.st_mode) == FileType::Directory {
            self.path.truncate(self.path.len() - name.to_bytes().len());
            if let Some(folder) = self.open(folder, name) {
                self.walk_tree(folder);
            }
        }
        Ok(())
    }

    fn is_first_name(&mut self, stat: &Stat) -> bool {
        let meeting = self.walk.links.meet(stat.st_dev, stat.st_ino, stat.st_nlink);
        if meeting == Meeting::Unsure {
            let text = "Too many files have several links; some may be counted more than once";
            let path = Path::new(OsStr::from_bytes(&self.path)).display();
            self.found.problems.add("hard_links", text, path);
        }
        meeting != Meeting::Again
    }

    fn add_file(&mut self, stat: &Stat, read: Read) {
        let path = Path::new(OsStr::from_bytes(&self.path));
        self.found.measure.file(&FileExtents {
            name: FileName::Path(path),
            size_bytes: stat.st_size as u64,
            extents: &self.reader.extents,
        });
        self.found.taken_bytes = self.found.taken_bytes.saturating_add(taken_bytes(stat));
        add_reading(&mut self.found.problems, read, path);
    }

    /// A tree on a file system without FIEMAP is not walked to its end.
    fn give_up_if_hopeless(&self) {
        if self.found.measure.counts().files == 0 && self.found.problems.count("no_fiemap") >= HOPELESS {
            self.walk.hopeless.store(true, Ordering::Relaxed);
        }
    }
}

/// Counts a file whose extents are not those of one moment, or not all of them.
pub(super) fn add_reading(problems: &mut Problems, read: Read, path: &Path) {
    match read {
        Read::Whole => {}
        Read::Changed => {
            let text = "They changed during the scan: their extents are not of one moment";
            problems.add("changed", text, path.display());
        }
        Read::TooMany => problems.add_too_many_extents(path.display()),
    }
}
