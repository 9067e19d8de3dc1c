//! One program for the tests of this crate: to link one for each file takes longer than to run them.

mod lives;
mod mke2fs;
