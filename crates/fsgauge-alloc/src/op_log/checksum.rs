//! A checksum of a log: two logs with the same are the same operations. It guards against mistakes, not malice.

use crate::operation::Operation;

/// Multiply and rotate over the words of each operation, finished as in MurmurHash3.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Checksum {
    state: u64,
}

impl Checksum {
    pub(crate) fn add(&mut self, operation: &Operation) {
        let who = (operation.kind as u64) << 32 | u64::from(operation.stream);
        for word in [
            operation.virtual_time_ns,
            who,
            u64::from(operation.file),
            operation.offset_bytes,
            operation.size_bytes,
        ] {
            self.state = (self.state ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
        }
    }

    /// 16 hexadecimal digits.
    pub(crate) fn text(&self) -> String {
        let mixed = (self.state ^ (self.state >> 33)).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
        let mixed = (mixed ^ (mixed >> 33)).wrapping_mul(0xC4CE_B9FE_1A85_EC53);
        format!("{:016x}", mixed ^ (mixed >> 33))
    }
}
