//! Signatures of messages (MS-SMB2 3.1.4.1). The key's part of the work is done once.

use aes::Aes128;
use aes_gcm::aead::AeadInOut;
use aes_gcm::aead::inout::InOutBuf;
use aes_gcm::{Aes128Gcm, KeyInit};
use cmac::{Cmac, Mac};
use hmac::Hmac;
use sha2::Sha256;

use super::message::{FLAG_SIGNED, HEADER_BYTES, field, u32_at, u64_at};

/// The ways to sign; of 3.1.1 by their number in MS-SMB2 2.2.3.1.7.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SigningKind {
    HmacSha256 = 0,
    AesCmac = 1,
    AesGmac = 2,
}

impl SigningKind {
    /// As the result names it.
    pub(super) fn name(self) -> &'static str {
        match self {
            SigningKind::HmacSha256 => "HMAC-SHA256",
            SigningKind::AesCmac => "AES-128-CMAC",
            SigningKind::AesGmac => "AES-128-GMAC",
        }
    }
}

/// Signs and checks the messages of a session.
#[derive(Clone)]
pub(super) enum Signer {
    HmacSha256(Box<Hmac<Sha256>>),
    AesCmac(Box<Cmac<Aes128>>),
    AesGmac(Box<Aes128Gcm>),
}

/// Keys are shown nowhere.
impl std::fmt::Debug for Signer {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Signer")
    }
}

impl Signer {
    pub(super) fn new(kind: SigningKind, key: &[u8; 16]) -> Option<Self> {
        Some(match kind {
            SigningKind::HmacSha256 => Signer::HmacSha256(Box::new(KeyInit::new_from_slice(key).ok()?)),
            SigningKind::AesCmac => Signer::AesCmac(Box::new(KeyInit::new(key.into()))),
            SigningKind::AesGmac => Signer::AesGmac(Box::new(KeyInit::new(key.into()))),
        })
    }

    /// Signs a message of this client's, padding included.
    #[inline]
    pub(super) fn sign(&self, message: &mut [u8]) {
        let flags = u32_at(message, field::FLAGS) | FLAG_SIGNED;
        message[field::FLAGS..][..4].copy_from_slice(&flags.to_le_bytes());
        message[field::SIGNATURE..HEADER_BYTES].fill(0);
        let signature = self.signature(message, false);
        message[field::SIGNATURE..HEADER_BYTES].copy_from_slice(&signature);
    }

    /// Whether a message is signed by the server. The signature is gone afterwards.
    #[inline]
    pub(super) fn is_signed(&self, message: &mut [u8]) -> bool {
        let mut found = [0; 16];
        found.copy_from_slice(&message[field::SIGNATURE..HEADER_BYTES]);
        message[field::SIGNATURE..HEADER_BYTES].fill(0);
        u32_at(message, field::FLAGS) & FLAG_SIGNED != 0 && self.signature(message, true) == found
    }

    fn signature(&self, message: &[u8], is_servers: bool) -> [u8; 16] {
        let mut signature = [0; 16];
        match self {
            Signer::HmacSha256(keyed) => {
                let mut mac = Hmac::clone(keyed);
                mac.update(message);
                signature.copy_from_slice(&mac.finalize().into_bytes()[..16]);
            }
            Signer::AesCmac(keyed) => {
                let mut mac = Cmac::clone(keyed);
                mac.update(message);
                signature.copy_from_slice(&mac.finalize().into_bytes());
            }
            Signer::AesGmac(keyed) => {
                let mut nonce = [0; 12];
                nonce[..8].copy_from_slice(&u64_at(message, field::MESSAGE_ID).to_le_bytes());
                nonce[8] = u8::from(is_servers);
                let nothing = InOutBuf::from(&mut [][..]);
                if let Ok(tag) = keyed.encrypt_inout_detached((&nonce).into(), message, nothing) {
                    signature.copy_from_slice(&tag);
                }
            }
        }
        signature
    }
}

#[cfg(test)]
mod tests {
    use super::super::message::{Command, Frame};
    use super::*;
    use smb2::crypto::signing::{SigningAlgorithm, sign_message};

    #[test]
    fn signatures_are_those_of_another_client() {
        let kinds = [
            (SigningKind::HmacSha256, SigningAlgorithm::HmacSha256),
            (SigningKind::AesCmac, SigningAlgorithm::AesCmac),
            (SigningKind::AesGmac, SigningAlgorithm::AesGmac),
        ];
        for (kind, other) in kinds {
            let key = [5; 16];
            let mut frame = Frame::new();
            frame.begin(Command::Write, false, 1);
            frame.put(&[3; 77]);
            let mut mine = frame.body().to_vec();
            mine[field::MESSAGE_ID] = 9;
            let mut theirs = mine.clone();
            theirs[field::FLAGS] |= FLAG_SIGNED as u8;
            let signer = Signer::new(kind, &key).unwrap();
            for _ in 0..2 {
                signer.sign(&mut mine);
                sign_message(&mut theirs, &key, other, 9, false).unwrap();
                assert_eq!(mine, theirs, "{kind:?}");
            }
        }
    }

    #[test]
    fn a_changed_message_is_not_the_servers() {
        let signer = Signer::new(SigningKind::AesCmac, &[1; 16]).unwrap();
        let mut frame = Frame::new();
        frame.begin(Command::Read, false, 1);
        let mut message = frame.body().to_vec();
        signer.sign(&mut message);
        assert!(signer.is_signed(&mut message.clone()));
        let mut unsigned = message.clone();
        unsigned[field::FLAGS] = 0;
        assert!(!signer.is_signed(&mut unsigned));
        message[40] ^= 1;
        assert!(!signer.is_signed(&mut message));
    }
}
