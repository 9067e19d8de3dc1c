//! Names of directories and files below the aged directory, made in place.

use std::ffi::CStr;

/// Directories in one directory.
pub(crate) const FAN_OUT: u32 = 1024;

/// A path on the stack, relative to the aged directory or to one below it.
#[derive(Debug)]
pub(crate) struct Name {
    text: [u8; 24],
    length: usize,
}

impl Name {
    fn empty() -> Self {
        Name { text: [0; 24], length: 0 }
    }

    /// The directory that holds directory `index`, for those that do not lie at the top: g0001.
    pub(crate) fn group(index: u32) -> Option<Self> {
        let mut name = Name::empty();
        (index >= FAN_OUT).then(|| {
            name.push(b'g', index / FAN_OUT);
            name
        })
    }

    /// A directory: d0007, or g0001/d0007 from the 1025th on.
    pub(crate) fn directory(index: u32) -> Self {
        let mut name = Name::group(index).unwrap_or_else(Name::empty);
        name.push(b'd', index % FAN_OUT);
        name
    }

    /// A file in an opened directory: f0000012.
    pub(crate) fn file(number: u32) -> Self {
        let mut name = Name::empty();
        name.push(b'f', number);
        name
    }

    /// A letter and at least four digits; a slash first where there is something before.
    fn push(&mut self, letter: u8, number: u32) {
        if self.length > 0 {
            self.byte(b'/');
        }
        self.byte(letter);
        let digits = number.checked_ilog10().map_or(1, |log| log + 1).max(4);
        for place in (0..digits).rev() {
            self.byte(b'0' + (number / 10u32.pow(place) % 10) as u8);
        }
    }

    fn byte(&mut self, byte: u8) {
        self.text[self.length] = byte;
        self.length += 1;
    }

    pub(crate) fn as_c_str(&self) -> &CStr {
        // The longest, g4194303/d1023, has 14 bytes; what follows them is zero.
        CStr::from_bytes_until_nul(&self.text).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(name: &Name) -> &str {
        name.as_c_str().to_str().unwrap()
    }

    #[test]
    fn names_have_four_digits_and_more_where_needed() {
        assert_eq!(text(&Name::file(0)), "f0000");
        assert_eq!(text(&Name::file(u32::MAX)), "f4294967295");
        assert_eq!(text(&Name::directory(1023)), "d1023");
        assert_eq!(text(&Name::directory(1024)), "g0001/d0000");
        assert_eq!(text(&Name::directory(u32::MAX)), "g4194303/d1023");
        assert!(Name::group(1023).is_none());
        assert_eq!(text(&Name::group(2050).unwrap()), "g0002");
    }
}
