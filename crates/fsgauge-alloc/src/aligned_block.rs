//! A block at an address that direct I/O takes.

/// The largest logical block of common devices, and of memory's pages here.
pub(crate) const BLOCK_BYTES: u64 = 4096;

/// One block to try direct I/O with.
pub(crate) struct AlignedBlock {
    bytes: Vec<u8>,
}

impl AlignedBlock {
    pub(crate) fn new() -> Self {
        AlignedBlock { bytes: vec![0; 2 * BLOCK_BYTES as usize] }
    }

    pub(crate) fn bytes(&mut self) -> &[u8] {
        let begin = self.bytes.as_ptr().align_offset(BLOCK_BYTES as usize);
        &self.bytes[begin..begin + BLOCK_BYTES as usize]
    }
}
