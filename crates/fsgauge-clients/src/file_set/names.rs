//! The names of a file set's files and directories, written into memory that is used again.
//!
//! Own directories: `c00012/c00012-f000045`; a shared tree: `d003/d017/c00012-f000045`. Numbers have leading
//! zeros, so that names sort as numbers do until there are very many.

use std::ffi::CStr;

use fsgauge_wire::{FileSet, Tree};

use super::FileNumber;
use super::tree::{Directory, leaves};

const CLIENT_DIGITS: usize = 5;
const FILE_DIGITS: usize = 6;
const DIRECTORY_DIGITS: usize = 3;
/// Eight levels of eleven bytes and a name of thirty fit well.
const PATH_BYTES: usize = 192;

/// Where paths of one file set are written.
#[derive(Debug, Clone)]
pub(crate) struct PathBuffer {
    bytes: [u8; PATH_BYTES],
    length: usize,
    /// A client whose files' paths all begin with what is written up to this length.
    stem: Option<(u32, usize)>,
}

impl PathBuffer {
    pub(crate) fn new() -> Self {
        PathBuffer { bytes: [0; PATH_BYTES], length: 0, stem: None }
    }

    fn clear(&mut self) {
        (self.length, self.stem) = (0, None);
    }

    fn push(&mut self, text: &[u8]) {
        self.bytes[self.length..self.length + text.len()].copy_from_slice(text);
        self.length += text.len();
    }

    /// A letter and a number of at least `digits` digits.
    fn push_number(&mut self, letter: u8, number: u64, digits: usize) {
        let mut text = [b'0'; 21];
        let (mut begin, mut rest) = (text.len(), number);
        while rest > 0 {
            begin -= 1;
            text[begin] = b'0' + (rest % 10) as u8;
            rest /= 10;
        }
        begin = begin.min(text.len() - digits) - 1;
        text[begin] = letter;
        self.push(&text[begin..]);
    }

    /// The end of a file's name.
    #[inline(always)]
    fn push_file(&mut self, file: u32) {
        if file >= 10_u32.pow(FILE_DIGITS as u32) {
            return self.push_number(b'f', u64::from(file), FILE_DIGITS);
        }
        let digit = |of: u32| b'0' + (file / of % 10) as u8;
        let [a, b, c] = [digit(100_000), digit(10_000), digit(1000)];
        self.push(&[b'f', a, b, c, digit(100), digit(10), digit(1)]);
    }

    fn end(&mut self) -> &CStr {
        self.bytes[self.length] = 0;
        CStr::from_bytes_with_nul(&self.bytes[..=self.length]).unwrap_or_default()
    }
}

/// The names of a file set; paths are relative to its directory.
#[derive(Debug, Clone)]
pub(crate) struct Names {
    tree: Tree,
    files_per_client: u64,
    leaves: u64,
}

impl Names {
    pub(crate) fn new(set: &FileSet) -> Self {
        Names { tree: set.tree, files_per_client: u64::from(set.files_per_client), leaves: leaves(&set.tree) }
    }

    /// A file.
    #[inline(always)]
    pub(crate) fn file<'path>(&self, number: FileNumber, path: &'path mut PathBuffer) -> &'path CStr {
        self.write_file(number, path);
        path.end()
    }

    /// What is to replace a file, beside it.
    pub(crate) fn replacement<'path>(&self, number: FileNumber, path: &'path mut PathBuffer) -> &'path CStr {
        self.write_file(number, path);
        path.push(b".new");
        path.end()
    }

    /// The directory that a file lies in.
    pub(crate) fn directory_of<'path>(&self, number: FileNumber, path: &'path mut PathBuffer) -> &'path CStr {
        path.clear();
        self.write_directory_of(number, path);
        path.end()
    }

    /// A directory.
    pub(crate) fn directory<'path>(&self, which: Directory, path: &'path mut PathBuffer) -> &'path CStr {
        path.clear();
        match which {
            Directory::Client { client } => path.push_number(b'c', u64::from(client), CLIENT_DIGITS),
            Directory::Shared { level, index } => self.write_shared(level, index, path),
        }
        path.end()
    }

    #[inline]
    fn write_file(&self, number: FileNumber, path: &mut PathBuffer) {
        match path.stem {
            Some((client, length)) if client == number.client => path.length = length,
            _ => self.write_stem(number, path),
        }
        path.push_file(number.file);
    }

    fn write_stem(&self, number: FileNumber, path: &mut PathBuffer) {
        path.clear();
        self.write_directory_of(number, path);
        path.push(b"/");
        path.push_number(b'c', u64::from(number.client), CLIENT_DIGITS);
        path.push(b"-");
        path.stem = (self.leaves == 1).then_some((number.client, path.length));
    }

    fn write_directory_of(&self, number: FileNumber, path: &mut PathBuffer) {
        match self.tree {
            Tree::Own {} => path.push_number(b'c', u64::from(number.client), CLIENT_DIGITS),
            Tree::Shared { depth, .. } => {
                let dealt = u64::from(number.client) * self.files_per_client + u64::from(number.file);
                self.write_shared(depth, dealt % self.leaves, path);
            }
        }
    }

    /// Directory `index` of those on `level`, counted from 1: its digits to the base of the fan-out.
    fn write_shared(&self, level: u32, index: u64, path: &mut PathBuffer) {
        let Tree::Shared { fan_out, .. } = self.tree else { return };
        let fan_out = u64::from(fan_out);
        for above in (0..level).rev() {
            path.push_number(b'd', index / fan_out.pow(above) % fan_out, DIRECTORY_DIGITS);
            if above > 0 {
                path.push(b"/");
            }
        }
    }
}

impl FileNumber {
    /// The file that a name (without directories) belongs to; none when a file set gives no such name.
    pub(crate) fn of_name(name: &[u8]) -> Option<Self> {
        let at = name.iter().position(|byte| *byte == b'-')?;
        let client = number_of(&name[..at], b'c', CLIENT_DIGITS)?;
        Some(FileNumber { client, file: number_of(&name[at + 1..], b'f', FILE_DIGITS)? })
    }
}

fn number_of(text: &[u8], letter: u8, digits: usize) -> Option<u32> {
    let text = text.strip_prefix(&[letter])?;
    let is_padded_right = text.len() == digits || text.len() > digits && text[0] != b'0';
    if !is_padded_right {
        return None;
    }
    text.iter().try_fold(0_u32, |number, byte| {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 { None } else { number.checked_mul(10)?.checked_add(u32::from(digit)) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsgauge_wire::FileSizes;

    fn names(tree: Tree) -> Names {
        let sizes = FileSizes::Cycle { sizes_bytes: vec![1] };
        Names::new(&FileSet { clients: 20, files_per_client: 10, sizes, record_size_bytes: 1, tree })
    }

    fn file(client: u32, file: u32) -> FileNumber {
        FileNumber { client, file }
    }

    #[test]
    fn each_client_has_its_directory() {
        let (names, mut path) = (names(Tree::Own {}), PathBuffer::new());
        assert_eq!(names.file(file(12, 45), &mut path), c"c00012/c00012-f000045");
        assert_eq!(names.replacement(file(12, 45), &mut path), c"c00012/c00012-f000045.new");
        assert_eq!(names.directory_of(file(12, 45), &mut path), c"c00012");
        assert_eq!(names.directory(Directory::Client { client: 7 }, &mut path), c"c00007");
        assert_eq!(names.file(file(0, 0), &mut path), c"c00000/c00000-f000000");
        let (client, number) = (u32::MAX, 12_345_678);
        assert_eq!(names.file(file(client, number), &mut path), c"c4294967295/c4294967295-f12345678");
    }

    #[test]
    fn a_path_does_not_depend_on_what_was_written_before() {
        let all = [(3, 7), (3, 999_999), (3, 1_000_000), (3, 0), (4, 0), (3, 123_456), (u32::MAX, 42)];
        for tree in [Tree::Own {}, Tree::Shared { depth: 1, fan_out: 3 }] {
            let (names, mut used) = (names(tree), PathBuffer::new());
            for (client, number) in all {
                let number = file(client, number);
                assert_eq!(names.file(number, &mut used), names.file(number, &mut PathBuffer::new()));
                names.replacement(number, &mut used);
                assert_eq!(names.file(number, &mut used), names.file(number, &mut PathBuffer::new()));
                names.directory_of(number, &mut used);
            }
        }
    }

    #[test]
    fn shared_files_are_dealt_to_the_lowest_directories_in_turn() {
        let (names, mut path) = (names(Tree::Shared { depth: 2, fan_out: 3 }), PathBuffer::new());
        // Number 12 of all: 12 mod 9 is 3, which is 10 to the base of 3.
        assert_eq!(names.file(file(1, 2), &mut path), c"d001/d000/c00001-f000002");
        assert_eq!(names.directory_of(file(0, 8), &mut path), c"d002/d002");
        assert_eq!(names.directory(Directory::Shared { level: 1, index: 2 }, &mut path), c"d002");
    }

    #[test]
    fn the_deepest_and_the_widest_tree_fit() {
        for (depth, fan_out) in [(8, 5), (1, 1_000_000)] {
            let names = names(Tree::Shared { depth, fan_out });
            let mut path = PathBuffer::new();
            let last = file(u32::MAX, u32::MAX);
            assert!(names.replacement(last, &mut path).to_bytes().ends_with(b"f4294967295.new"));
        }
    }

    #[test]
    fn a_name_says_its_file() {
        for number in [file(0, 0), file(12, 45), file(123_456, 7), file(1, 12_345_678), file(u32::MAX, 1)] {
            let mut path = PathBuffer::new();
            let path = names(Tree::Own {}).file(number, &mut path).to_bytes().to_vec();
            let name = path.rsplit(|byte| *byte == b'/').next().unwrap();
            assert_eq!(FileNumber::of_name(name), Some(number));
        }
    }

    #[test]
    fn other_names_belong_to_no_file() {
        let others = [
            "",
            "c00012",
            "c00012-",
            "c00012-f00045",
            "c0012-f000045",
            "c000012-f000045",
            "c00012-f000045.new",
            "c00012-f0000a5",
            "c+0012-f000045",
            "d00012-f000045",
            "c99999999999-f000045",
            "lost+found",
        ];
        for name in others {
            assert_eq!(FileNumber::of_name(name.as_bytes()), None, "{name}");
        }
    }
}
