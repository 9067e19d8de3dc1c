//! One program for the tests of this crate: to link one for each file takes longer than to run them.

mod age;
mod clock;
mod common_start;
mod device;
mod engine;
mod held_places;
mod integrity;
mod lease;
mod privileges;
mod scan;
mod support;
mod workers;
