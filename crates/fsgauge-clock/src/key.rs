//! The secret that engines share: whoever has it may ask, and is believed.

use std::fmt;

use fsgauge_wire::{ClockKey, Failure, Outcome};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

const KEY_BYTES: usize = 32;
/// Length of what authenticates a message.
pub(crate) const MAC_BYTES: usize = 32;

/// A key, with its part of HMAC-SHA256 done.
#[derive(Clone)]
pub struct Key(Hmac<Sha256>);

/// Keys are shown nowhere.
impl fmt::Debug for Key {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Key")
    }
}

impl Key {
    /// The key of a job.
    pub fn new(key: &ClockKey) -> Outcome<Self> {
        let digits = key.0.as_bytes();
        let mut bytes = [0; KEY_BYTES];
        if digits.len() != 2 * KEY_BYTES {
            return Err(wrong(format!("it has {} characters", digits.len())));
        }
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            let digit = |at: usize| char::from(pair[at]).to_digit(16);
            let (Some(high), Some(low)) = (digit(0), digit(1)) else {
                return Err(wrong("a character is not a hexadecimal digit".into()));
            };
            *byte = (high << 4 | low) as u8;
        }
        Hmac::new_from_slice(&bytes).map(Key).map_err(|error| wrong(error.to_string()))
    }

    /// What authenticates a message.
    pub(crate) fn sign(&self, message: &[u8]) -> [u8; MAC_BYTES] {
        let mut mac = self.0.clone();
        mac.update(message);
        mac.finalize().into_bytes().into()
    }

    /// Whether a message comes from who has the key; the comparison takes the same time for all.
    pub(crate) fn is_signed(&self, message: &[u8], signature: &[u8]) -> bool {
        let mut mac = self.0.clone();
        mac.update(message);
        mac.verify_slice(signature).is_ok()
    }
}

fn wrong(cause: String) -> Failure {
    Failure::job("key", "the key is not 64 hexadecimal digits", cause, "openssl rand -hex 32")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(digits: &str) -> Outcome<Key> {
        Key::new(&ClockKey(digits.into()))
    }

    #[test]
    fn a_key_signs_as_hmac_sha256_does() {
        // RFC 4231 has no key of 32 bytes; python3: hmac.new(bytes(range(32)), b"fsgauge", "sha256").hexdigest()
        let digits: String = (0..32).map(|byte| format!("{byte:02x}")).collect();
        let signature = key(&digits).unwrap().sign(b"fsgauge");
        let shown: String = signature.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(shown, "04a49cd246925f34dcd7bc149519ed16b8957eca27d4ec4e135cc1a83469e56c");
        assert!(key(&digits.to_uppercase()).unwrap().is_signed(b"fsgauge", &signature));
        assert!(!key(&"0".repeat(64)).unwrap().is_signed(b"fsgauge", &signature));
    }

    #[test]
    fn a_key_of_another_length_or_other_digits_is_refused_and_never_shown() {
        for digits in ["", "00", &"0".repeat(63), &"0".repeat(66), &"x".repeat(64), &"é".repeat(32)] {
            let failure = key(digits).unwrap_err();
            assert_eq!(failure.code, "job.key");
            assert!(digits.is_empty() || !failure.to_string().contains(digits), "{failure}");
        }
        assert_eq!(format!("{:?}", key(&"a".repeat(64)).unwrap()), "Key");
    }
}
