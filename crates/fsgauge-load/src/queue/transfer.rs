//! How a block gets from the job's memory to the file, or back: each way is a type, and the queue is compiled for it.
//!
//! Unsafe code: pread(2), pwrite(2) and pwritev2(2), and bytes of the slot's own buffer.

use std::io;
use std::os::fd::RawFd;

use crate::buffers::Buffers;
use crate::operation::{DIFFERS, Operation};

/// A way to move a block.
pub(crate) trait Mover {
    /// Moves the operation's bytes between `address` and the file. Gives how many, or a negative error number.
    ///
    /// # Safety
    ///
    /// The operation's bytes at `address` are mapped, writable and unused by others.
    unsafe fn transfer(&mut self, file: RawFd, operation: &Operation, address: *mut u8) -> i32;
}

/// In one call.
#[derive(Debug)]
pub(crate) struct Whole;

impl Mover for Whole {
    #[inline]
    unsafe fn transfer(&mut self, file: RawFd, operation: &Operation, address: *mut u8) -> i32 {
        let Operation { write, size_bytes, offset_bytes, .. } = *operation;
        // SAFETY: as the caller promised.
        unsafe { call(write, file, address, size_bytes as usize, offset_bytes) }
    }
}

/// In one call, and one byte at a time through a buffer of the program's own, as putc(3) and getc(3) do.
#[derive(Debug)]
pub(crate) struct Characters {
    buffer: Box<[u8]>,
}

impl Characters {
    /// Through a buffer of so many bytes: a block.
    pub(crate) fn new(buffer_bytes: u32) -> Self {
        Characters { buffer: vec![0; buffer_bytes as usize].into() }
    }

    /// Fills the buffer. Each byte is fetched and stored by itself: the volatile read keeps the compiler from moving
    /// many at once.
    #[inline(never)]
    unsafe fn put(&mut self, from: *const u8, size: usize) {
        let mut from = from;
        for place in &mut self.buffer[..size] {
            // SAFETY: the buffer has `size` places, and so many bytes are mapped from the first on.
            *place = unsafe { from.read_volatile() };
            from = from.wrapping_add(1);
        }
    }

    /// Takes all out of the buffer, in the same way.
    #[inline(never)]
    unsafe fn take(&self, to: *mut u8, size: usize) {
        let mut to = to;
        for byte in &self.buffer[..size] {
            // SAFETY: as in `put`.
            unsafe { to.write_volatile(*byte) };
            to = to.wrapping_add(1);
        }
    }
}

impl Mover for Characters {
    #[inline]
    unsafe fn transfer(&mut self, file: RawFd, operation: &Operation, address: *mut u8) -> i32 {
        let Operation { write, size_bytes, offset_bytes, .. } = *operation;
        let size = size_bytes as usize;
        // SAFETY: `size` bytes at `address`, as the caller promised, and in the buffer, whose length is a block.
        unsafe {
            if write {
                self.put(address, size);
                return call(true, file, self.buffer.as_mut_ptr(), size, offset_bytes);
            }
            let moved = call(false, file, self.buffer.as_mut_ptr(), size, offset_bytes);
            self.take(address, moved.max(0) as usize);
            moved
        }
    }
}

/// In one call for each byte.
#[derive(Debug)]
pub(crate) struct Bytes;

impl Mover for Bytes {
    #[inline]
    unsafe fn transfer(&mut self, file: RawFd, operation: &Operation, address: *mut u8) -> i32 {
        for moved in 0..operation.size_bytes {
            let (at, offset_bytes) =
                (address.wrapping_add(moved as usize), operation.offset_bytes + u64::from(moved));
            // SAFETY: one of the operation's bytes.
            match unsafe { call(operation.write, file, at, 1, offset_bytes) } {
                1 => {}
                // An error, or the end of the file.
                error if error < 0 => return error,
                _ => return moved as i32,
            }
        }
        operation.size_bytes as i32
    }
}

/// Writes read their block first, change one byte of it, and write it back.
#[derive(Debug, Default)]
pub(crate) struct Rewrite {
    /// Which byte is changed: the next one each time.
    byte: usize,
}

impl Mover for Rewrite {
    #[inline]
    unsafe fn transfer(&mut self, file: RawFd, operation: &Operation, address: *mut u8) -> i32 {
        let Operation { write, size_bytes, offset_bytes, .. } = *operation;
        let size = size_bytes as usize;
        // SAFETY: `size` bytes at `address`, as the caller promised; the byte is one of them.
        unsafe {
            let found = call(false, file, address, size, offset_bytes);
            if !write || found != size as i32 {
                return found;
            }
            let changed = address.wrapping_add(self.byte % size);
            changed.write(changed.read().wrapping_add(1));
            self.byte += 1;
            call(true, file, address, size, offset_bytes)
        }
    }
}

/// In one call; what is read is compared with what the job's writes have put there, in the same order.
#[derive(Debug)]
pub(crate) struct Compared {
    written: Buffers,
}

impl Compared {
    /// With buffers that a job which writes has at its start.
    pub(crate) fn new(written: Buffers) -> Self {
        Compared { written }
    }
}

impl Mover for Compared {
    #[inline]
    unsafe fn transfer(&mut self, file: RawFd, operation: &Operation, address: *mut u8) -> i32 {
        let size = operation.size_bytes as usize;
        // SAFETY: as the caller promised.
        let moved = unsafe { call(false, file, address, size, operation.offset_bytes) };
        if moved != size as i32 {
            return moved;
        }
        self.written.refresh(0, operation);
        // SAFETY: `size` bytes each, of the caller and of a buffer that nobody else uses.
        let (found, written) = unsafe {
            let written = self.written.address(0, true);
            (std::slice::from_raw_parts(address, size), std::slice::from_raw_parts(written, size))
        };
        if found == written { moved } else { DIFFERS }
    }
}

/// In one call, that returns once the data and what is needed to find them are durable: RWF_DSYNC.
#[derive(Debug)]
pub(crate) struct Durable;

impl Mover for Durable {
    #[inline]
    unsafe fn transfer(&mut self, file: RawFd, operation: &Operation, address: *mut u8) -> i32 {
        let Operation { write, size_bytes, offset_bytes, .. } = *operation;
        if !write {
            // SAFETY: as the caller promised.
            return unsafe { call(false, file, address, size_bytes as usize, offset_bytes) };
        }
        let block = libc::iovec { iov_base: address.cast(), iov_len: size_bytes as usize };
        let offset = offset_bytes as libc::off_t;
        // SAFETY: one buffer, of the bytes that the caller promised.
        let bytes = unsafe { libc::pwritev2(file, &raw const block, 1, offset, libc::RWF_DSYNC) };
        if bytes < 0 { -io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO) } else { bytes as i32 }
    }
}

/// pread(2) or pwrite(2): the bytes that were moved, or a negative error number. Asked for by number: the C library's
/// functions are points at which a thread may be cancelled, and say so with two atomic exchanges a call.
///
/// # Safety
///
/// `size` bytes at `address` are mapped, writable and unused by others.
#[inline]
unsafe fn call(write: bool, file: RawFd, address: *mut u8, size: usize, offset_bytes: u64) -> i32 {
    let offset = offset_bytes as libc::off_t;
    // SAFETY: as the caller promised.
    let bytes = unsafe {
        if write {
            libc::syscall(libc::SYS_pwrite64, file, address, size, offset)
        } else {
            libc::syscall(libc::SYS_pread64, file, address, size, offset)
        }
    };
    if bytes < 0 { -io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO) } else { bytes as i32 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::io::{Read, Seek};
    use std::os::fd::AsRawFd;

    use fsgauge_wire::Data;

    use crate::filler::Filler;

    const BLOCK: u32 = 512;

    /// Moves one block at `offset_bytes` of a file that holds `before`; gives the file and the memory afterwards.
    fn moved(
        mover: &mut impl Mover,
        write: bool,
        before: &[u8],
        offset_bytes: u64,
    ) -> (i32, Vec<u8>, Vec<u8>) {
        let mut file = tempfile::tempfile().unwrap();
        std::io::Write::write_all(&mut file, before).unwrap();
        let mut memory: Vec<u8> = (0..BLOCK).map(|number| number as u8 ^ 0x5a).collect();
        let operation = Operation { write, file: 0, size_bytes: BLOCK, offset_bytes };
        // SAFETY: a block of memory of its own.
        let result = unsafe { mover.transfer(file.as_raw_fd(), &operation, memory.as_mut_ptr()) };
        (result, contents(&mut file), memory)
    }

    fn contents(file: &mut File) -> Vec<u8> {
        let mut found = Vec::new();
        file.rewind().unwrap();
        file.read_to_end(&mut found).unwrap();
        found
    }

    /// Every way that writes what the memory holds puts exactly that on the disk, and nothing beside it.
    fn assert_moves(mut mover: impl Mover) {
        let before = vec![7; 3 * BLOCK as usize];
        let (result, file, memory) = moved(&mut mover, true, &before, u64::from(BLOCK));
        assert_eq!(result, BLOCK as i32);
        assert_eq!(file[BLOCK as usize..2 * BLOCK as usize], memory[..]);
        assert!(file.len() == before.len() && file[..BLOCK as usize] == before[..BLOCK as usize]);
        assert_eq!(file[2 * BLOCK as usize..], before[2 * BLOCK as usize..]);
        let counted: Vec<u8> = (0..3 * BLOCK).map(|number| (number % 251) as u8).collect();
        let (result, file, memory) = moved(&mut mover, false, &counted, u64::from(BLOCK));
        assert!(result == BLOCK as i32 && file == counted);
        assert_eq!(memory[..], counted[BLOCK as usize..2 * BLOCK as usize]);
        // A file that ends too early gives what it has.
        assert_eq!(moved(&mut mover, false, &counted[..700], u64::from(BLOCK)).0, 700 - BLOCK as i32);
    }

    #[test]
    fn the_bytes_are_those_of_the_memory_whatever_the_way() {
        assert_moves(Whole);
        assert_moves(Characters::new(BLOCK));
        assert_moves(Bytes);
        assert_moves(Durable);
    }

    #[test]
    fn a_rewrite_changes_one_byte_of_each_block_and_another_one_each_time() {
        let before = vec![0xff; 2 * BLOCK as usize];
        let mut mover = Rewrite::default();
        for byte in 0..BLOCK as usize + 1 {
            let (result, file, _) = moved(&mut mover, true, &before, u64::from(BLOCK));
            assert_eq!(result, BLOCK as i32);
            let changed: Vec<usize> = (0..file.len()).filter(|at| file[*at] != before[*at]).collect();
            assert_eq!(changed, [BLOCK as usize + byte % BLOCK as usize]);
            assert_eq!(file[changed[0]], 0);
        }
        let (result, file, _) = moved(&mut mover, false, &before, 0);
        assert!(result == BLOCK as i32 && file == before);
    }

    #[test]
    fn what_is_read_is_compared_with_what_was_written_in_the_same_order() {
        let buffers = || Buffers::new(1, BLOCK, (false, true), Filler::for_data(Data::Incompressible, 7, 0));
        let (mut writes, mut on_disk) = (buffers().unwrap(), Vec::new());
        for offset_bytes in [0, u64::from(BLOCK)] {
            writes.refresh(0, &Operation { write: true, file: 0, size_bytes: BLOCK, offset_bytes });
            // SAFETY: a block of the buffer's own.
            let block = unsafe { std::slice::from_raw_parts(writes.address(0, true), BLOCK as usize) };
            on_disk.extend_from_slice(block);
        }
        let compared = |on_disk: &[u8], places: [u64; 2]| {
            let mut mover = Compared::new(buffers().unwrap());
            places.map(|place| moved(&mut mover, false, on_disk, place * u64::from(BLOCK)).0)
        };
        assert_eq!(compared(&on_disk, [0, 1]), [BLOCK as i32; 2]);
        assert_eq!(compared(&on_disk, [1, 1]), [DIFFERS, BLOCK as i32], "the first was written elsewhere");
        on_disk[700] ^= 1;
        assert_eq!(compared(&on_disk, [0, 1]), [BLOCK as i32, DIFFERS]);
        assert_eq!(compared(&on_disk[..700], [0, 1]), [BLOCK as i32, 700 - BLOCK as i32]);
    }

    #[test]
    fn a_rewrite_of_half_a_block_writes_nothing() {
        let (result, file, _) = moved(&mut Rewrite::default(), true, &[1; 100], 0);
        assert_eq!((result, file), (100, vec![1; 100]));
    }
}
