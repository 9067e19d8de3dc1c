//! External data representation (RFC 4506): big-endian words of four bytes, what is shorter filled up with zeros.

/// What was received is not what the protocol says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Malformed;

/// How many zeros follow so many bytes.
#[inline]
pub(super) fn padding(length: usize) -> usize {
    length.wrapping_neg() & 3
}

#[inline]
pub(super) fn put_u32(out: &mut Vec<u8>, value: u32) {
    out.extend_from_slice(&value.to_be_bytes());
}

#[inline]
pub(super) fn put_u64(out: &mut Vec<u8>, value: u64) {
    out.extend_from_slice(&value.to_be_bytes());
}

/// Bytes with their length before them.
#[inline]
pub(super) fn put_opaque(out: &mut Vec<u8>, bytes: &[u8]) {
    put_u32(out, bytes.len() as u32);
    out.extend_from_slice(bytes);
    out.extend_from_slice(&[0; 3][..padding(bytes.len())]);
}

/// Takes values from the front of what was received.
#[derive(Debug, Clone, Copy)]
pub(super) struct Decoder<'received> {
    rest: &'received [u8],
}

impl<'received> Decoder<'received> {
    pub(super) fn new(rest: &'received [u8]) -> Self {
        Decoder { rest }
    }

    /// How many bytes are left.
    #[inline]
    pub(super) fn left(&self) -> usize {
        self.rest.len()
    }

    #[inline]
    pub(super) fn bytes(&mut self, length: usize) -> Result<&'received [u8], Malformed> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(Malformed)?;
        self.rest = rest;
        Ok(taken)
    }

    #[inline]
    pub(super) fn u32(&mut self) -> Result<u32, Malformed> {
        let (taken, rest) = self.rest.split_first_chunk().ok_or(Malformed)?;
        self.rest = rest;
        Ok(u32::from_be_bytes(*taken))
    }

    #[inline]
    pub(super) fn u64(&mut self) -> Result<u64, Malformed> {
        let (taken, rest) = self.rest.split_first_chunk().ok_or(Malformed)?;
        self.rest = rest;
        Ok(u64::from_be_bytes(*taken))
    }

    #[inline]
    pub(super) fn is_true(&mut self) -> Result<bool, Malformed> {
        match self.u32()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Malformed),
        }
    }

    /// Bytes with their length before them, at most `limit`.
    #[inline]
    pub(super) fn opaque(&mut self, limit: usize) -> Result<&'received [u8], Malformed> {
        let length = self.u32()? as usize;
        if length > limit {
            return Err(Malformed);
        }
        let bytes = self.bytes(length)?;
        self.bytes(padding(length))?;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_is_taken() {
        let mut out = Vec::new();
        put_u32(&mut out, 7);
        put_u64(&mut out, 1 << 40);
        for length in 0..9 {
            put_opaque(&mut out, &vec![0xee; length]);
        }
        assert_eq!(out.len() % 4, 0);
        let mut decoder = Decoder::new(&out);
        assert_eq!((decoder.u32(), decoder.u64()), (Ok(7), Ok(1 << 40)));
        for length in 0..9 {
            assert_eq!(decoder.opaque(8), Ok(&vec![0xee; length][..]));
        }
        assert_eq!((decoder.left(), decoder.u32()), (0, Err(Malformed)));
    }

    #[test]
    fn lengths_beyond_the_end_and_the_limit_are_refused() {
        assert_eq!(Decoder::new(&[0, 0, 0, 5, 1, 2, 3, 4]).opaque(64), Err(Malformed));
        assert_eq!(Decoder::new(&[0, 0, 0, 5, 1, 2, 3, 4, 5, 0, 0]).opaque(64), Err(Malformed));
        assert_eq!(Decoder::new(&[0, 0, 0, 4, 1, 2, 3, 4]).opaque(3), Err(Malformed));
        assert_eq!(Decoder::new(&[0, 0, 0, 2]).is_true(), Err(Malformed));
    }
}
