//! Encryption of whole frames (MS-SMB2 3.1.4.3), in place.

use aes::Aes128;
use aes_gcm::aead::AeadInOut;
use aes_gcm::aead::inout::InOutBuf;
use aes_gcm::{Aes128Gcm, KeyInit};
use ccm::Ccm;
use ccm::consts::{U11, U16};

/// The header before an encrypted frame.
pub(super) const TRANSFORM_BYTES: usize = 52;
const PROTOCOL: [u8; 4] = [0xFD, b'S', b'M', b'B'];
const TAG: std::ops::Range<usize> = 4..20;
/// What is authenticated beside the frame: the header from here on.
const AUTHENTICATED: std::ops::Range<usize> = 20..52;
const NONCE_AT: usize = 20;

/// The ciphers that are offered; the server's choice by its number in MS-SMB2 2.2.3.1.2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CipherKind {
    Aes128Ccm = 1,
    Aes128Gcm = 2,
}

impl CipherKind {
    /// As the result names it.
    pub(super) fn name(self) -> &'static str {
        match self {
            CipherKind::Aes128Ccm => "AES-128-CCM",
            CipherKind::Aes128Gcm => "AES-128-GCM",
        }
    }
}

enum Cipher {
    Ccm(Box<Ccm<Aes128, U16, U11>>),
    Gcm(Box<Aes128Gcm>),
}

impl Cipher {
    fn new(kind: CipherKind, key: &[u8; 16]) -> Self {
        match kind {
            CipherKind::Aes128Ccm => Cipher::Ccm(Box::new(KeyInit::new(key.into()))),
            CipherKind::Aes128Gcm => Cipher::Gcm(Box::new(KeyInit::new(key.into()))),
        }
    }

    fn encrypt(&self, nonce: &[u8; 16], with: &[u8], frame: &mut [u8]) -> Option<[u8; 16]> {
        let frame = InOutBuf::from(frame);
        let tag = match self {
            Cipher::Ccm(cipher) => cipher.encrypt_inout_detached(nonce[..11].try_into().ok()?, with, frame),
            Cipher::Gcm(cipher) => cipher.encrypt_inout_detached(nonce[..12].try_into().ok()?, with, frame),
        };
        tag.ok()?.as_slice().try_into().ok()
    }

    fn decrypt(&self, nonce: &[u8], with: &[u8], tag: &[u8; 16], frame: &mut [u8]) -> bool {
        let frame = InOutBuf::from(frame);
        let done = match self {
            Cipher::Ccm(cipher) => {
                let Ok(nonce) = nonce[..11].try_into() else { return false };
                cipher.decrypt_inout_detached(nonce, with, frame, tag.into())
            }
            Cipher::Gcm(cipher) => {
                let Ok(nonce) = nonce[..12].try_into() else { return false };
                cipher.decrypt_inout_detached(nonce, with, frame, tag.into())
            }
        };
        done.is_ok()
    }
}

/// The two ciphers of a session.
pub(super) struct Seal {
    outgoing: Cipher,
    incoming: Cipher,
    session_id: u64,
    next_nonce: u64,
}

/// Keys are shown nowhere.
impl std::fmt::Debug for Seal {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Seal")
    }
}

impl Seal {
    pub(super) fn new(kind: CipherKind, outgoing: &[u8; 16], incoming: &[u8; 16], session_id: u64) -> Self {
        let (outgoing, incoming) = (Cipher::new(kind, outgoing), Cipher::new(kind, incoming));
        Seal { outgoing, incoming, session_id, next_nonce: 1 }
    }

    /// Encrypts a frame; `sealed` begins with room for the header.
    pub(super) fn close(&mut self, sealed: &mut [u8]) -> Option<()> {
        let (header, frame) = sealed.split_at_mut(TRANSFORM_BYTES);
        let mut nonce = [0; 16];
        // Never the same twice under one key: keys are of this session.
        nonce[..8].copy_from_slice(&self.next_nonce.to_le_bytes());
        self.next_nonce += 1;
        header.fill(0);
        header[..4].copy_from_slice(&PROTOCOL);
        header[NONCE_AT..NONCE_AT + 16].copy_from_slice(&nonce);
        header[36..40].copy_from_slice(&(frame.len() as u32).to_le_bytes());
        header[42] = 1;
        header[44..52].copy_from_slice(&self.session_id.to_le_bytes());
        let tag = self.outgoing.encrypt(&nonce, &header[AUTHENTICATED], frame)?;
        header[TAG].copy_from_slice(&tag);
        Some(())
    }

    /// Decrypts a frame where it lies; none when it is not what the server sealed.
    pub(super) fn open<'frame>(&self, sealed: &'frame mut [u8]) -> Option<&'frame mut [u8]> {
        if !is_sealed(sealed) || sealed.len() < TRANSFORM_BYTES {
            return None;
        }
        let (header, frame) = sealed.split_at_mut(TRANSFORM_BYTES);
        let tag: [u8; 16] = header[TAG].try_into().ok()?;
        let nonce = &header[NONCE_AT..NONCE_AT + 16];
        self.incoming.decrypt(nonce, &header[AUTHENTICATED], &tag, frame).then_some(frame)
    }
}

/// Whether a frame is an encrypted one.
#[inline]
pub(super) fn is_sealed(frame: &[u8]) -> bool {
    frame.starts_with(&PROTOCOL)
}

#[cfg(test)]
mod tests {
    use super::*;
    use smb2::crypto::encryption::{Cipher as OtherCipher, decrypt_message};

    #[test]
    fn what_is_sealed_is_opened_here_and_by_another_client() {
        let kinds = [
            (CipherKind::Aes128Ccm, OtherCipher::Aes128Ccm),
            (CipherKind::Aes128Gcm, OtherCipher::Aes128Gcm),
        ];
        for (kind, other) in kinds {
            let (mine, theirs) = ([7; 16], [9; 16]);
            let mut client = Seal::new(kind, &mine, &theirs, 77);
            let server = Seal::new(kind, &theirs, &mine, 77);
            for round in 0..2u8 {
                let mut sealed = [vec![0; TRANSFORM_BYTES], vec![round; 100]].concat();
                client.close(&mut sealed).unwrap();
                assert_ne!(sealed[TRANSFORM_BYTES..], [round; 100]);
                let (header, frame) = sealed.split_at(TRANSFORM_BYTES);
                assert_eq!(decrypt_message(header, frame, &mine, other).unwrap(), [round; 100]);
                let mut changed = sealed.clone();
                changed[TRANSFORM_BYTES + 50] ^= 1;
                assert!(server.open(&mut changed).is_none());
                assert_eq!(server.open(&mut sealed).unwrap(), [round; 100]);
            }
        }
    }
}
