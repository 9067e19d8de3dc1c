//! Numbers in bytes that came from a device: every read is checked, none can panic.

/// Reads the `at`-th byte and on as a number; `None` where it would end beyond the bytes.
pub(crate) trait Bytes {
    /// The `N` bytes at `at`.
    fn array<const N: usize>(&self, at: usize) -> Option<[u8; N]>;

    /// One byte.
    #[inline]
    fn u8(&self, at: usize) -> Option<u8> {
        self.array::<1>(at).map(|[byte]| byte)
    }
    /// Little-endian, as ext and btrfs write.
    #[inline]
    fn le16(&self, at: usize) -> Option<u16> {
        self.array(at).map(u16::from_le_bytes)
    }
    /// Little-endian, as ext and btrfs write.
    #[inline]
    fn le32(&self, at: usize) -> Option<u32> {
        self.array(at).map(u32::from_le_bytes)
    }
    /// Little-endian, as ext and btrfs write.
    #[inline]
    fn le64(&self, at: usize) -> Option<u64> {
        self.array(at).map(u64::from_le_bytes)
    }
    /// Big-endian, as XFS writes.
    #[inline]
    fn be16(&self, at: usize) -> Option<u16> {
        self.array(at).map(u16::from_be_bytes)
    }
    /// Big-endian, as XFS writes.
    #[inline]
    fn be32(&self, at: usize) -> Option<u32> {
        self.array(at).map(u32::from_be_bytes)
    }
    /// Big-endian, as XFS writes.
    #[inline]
    fn be64(&self, at: usize) -> Option<u64> {
        self.array(at).map(u64::from_be_bytes)
    }
}

impl Bytes for [u8] {
    #[inline]
    fn array<const N: usize>(&self, at: usize) -> Option<[u8; N]> {
        self.get(at..)?.first_chunk::<N>().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::Bytes;

    #[test]
    fn numbers_are_read_in_both_orders_and_never_beyond_the_end() {
        let bytes: &[u8] = &[1, 2, 3, 4, 5, 6, 7, 8, 9];
        assert_eq!(bytes.le16(0), Some(0x0201));
        assert_eq!(bytes.be16(7), Some(0x0809));
        assert_eq!(bytes.le32(1), Some(0x0504_0302));
        assert_eq!(bytes.be32(5), Some(0x0607_0809));
        assert_eq!(bytes.le64(0), Some(0x0807_0605_0403_0201));
        assert_eq!(bytes.be64(1), Some(0x0203_0405_0607_0809));
        assert_eq!(bytes.u8(8), Some(9));
        assert_eq!((bytes.u8(9), bytes.be64(2), bytes.le32(usize::MAX)), (None, None, None));
    }
}
