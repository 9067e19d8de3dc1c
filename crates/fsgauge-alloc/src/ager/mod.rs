//! The ager: carries out a log's operations below a directory. Every operation is a few system calls relative to
//! opened directories, and no allocation of memory.

mod apply;
mod counts;
mod descriptors;
mod directories;
mod directory_fill;
mod file_table;
mod fresh_copy;
mod mode;
mod name;
mod open_files;
mod replay;
mod source;
mod sync;

#[cfg(test)]
pub(crate) use apply::Ager;
pub(crate) use directory_fill::DirectoryFill;
#[cfg(test)]
pub(crate) use mode::Mode;
pub(crate) use mode::WRITE_PIECE_BYTES;
pub(crate) use name::{FAN_OUT, Name};
pub(crate) use replay::Replay;
pub(crate) use source::Source;
