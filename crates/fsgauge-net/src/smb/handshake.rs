//! The way to a session: NEGOTIATE, two of SESSION_SETUP, TREE_CONNECT (MS-SMB2 3.2.4.2).
//!
//! Exactly one dialect is offered. A client of 3.1.1 that does not sign signs its TREE_CONNECT all the same, as
//! Windows does: servers refuse it otherwise.

use std::sync::Arc;

use fsgauge_wire::SmbDialect;
use smb2::auth::{NtlmAuthenticator, NtlmCredentials};
use smb2::crypto::kdf::{PreauthHasher, derive_session_keys};
use smb2::types::Dialect;

use super::access::{SmbAccess, number_of};
use super::message::{Command, Frame, Header, u16_at, u32_at};
use super::refusal::Refusal;
use super::seal::{CipherKind, Seal};
use super::session::Session;
use super::sign::{Signer, SigningKind};
use super::status;
use super::status::Status;

const SIGNING_ENABLED: u16 = 1;
const SIGNING_REQUIRED: u16 = 2;
const CAPABILITY_LARGE: u32 = 0x4;
const CAPABILITY_ENCRYPTION: u32 = 0x40;
const SESSION_IS_GUEST: u16 = 0x1;
const SESSION_IS_NOBODY: u16 = 0x2;
const DATA_OF_ONE_CREDIT: u32 = 65536;

/// Negotiate contexts of 3.1.1.
const PREAUTH_CONTEXT: u16 = 1;
const CIPHER_CONTEXT: u16 = 2;
const SIGNING_CONTEXT: u16 = 8;
const SHA_512: u16 = 1;

/// What is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Negotiate,
    Challenge,
    Session,
    Tree,
}

/// What a reply leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// The frame is to be sent.
    Send,
    /// The session stands.
    Ready,
}

/// One client's way.
pub(super) struct Handshake {
    access: Arc<SmbAccess>,
    step: Step,
    ntlm: NtlmAuthenticator,
    preauth: PreauthHasher,
    signing: SigningKind,
    cipher: Option<CipherKind>,
}

/// What it holds is secret.
impl std::fmt::Debug for Handshake {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Handshake at {:?}", self.step)
    }
}

impl Handshake {
    pub(super) fn new(access: Arc<SmbAccess>) -> Self {
        let username = access.job.user.clone();
        let password = access.password.as_ref().map_or("", |password| password.reveal()).to_string();
        let ntlm = NtlmAuthenticator::new(NtlmCredentials { username, password, domain: String::new() });
        let signing = match access.job.dialect {
            SmbDialect::Smb202 | SmbDialect::Smb210 => SigningKind::HmacSha256,
            _ => SigningKind::AesCmac,
        };
        Handshake {
            access,
            step: Step::Negotiate,
            ntlm,
            preauth: PreauthHasher::new(),
            signing,
            cipher: None,
        }
    }

    /// Writes the first message.
    pub(super) fn begin(&mut self, frame: &mut Frame, random: &[u8; 48]) {
        let (job, (guid, salt)) = (&self.access.job, random.split_at(16));
        frame.clear();
        frame.begin(Command::Negotiate, false, 0);
        frame.put_u16(36);
        frame.put_u16(1);
        frame.put_u16(self.security_mode());
        frame.put_u16(0);
        let large = if job.dialect >= SmbDialect::Smb210 { CAPABILITY_LARGE } else { 0 };
        let encryption = if job.encryption { CAPABILITY_ENCRYPTION } else { 0 };
        frame.put_u32(large | encryption);
        // Clients of 2.0.2 have no name.
        if job.dialect == SmbDialect::Smb202 {
            frame.put_zeros(16)
        } else {
            frame.put(guid)
        }
        if job.dialect < SmbDialect::Smb311 {
            frame.put_u64(0);
            return frame.put_u16(number_of(job.dialect));
        }
        // Contexts begin at the next multiple of eight.
        frame.put_u32(104);
        frame.put_u16(if job.encryption { 3 } else { 2 });
        frame.put_u16(0);
        frame.put_u16(number_of(job.dialect));
        let words = |words: &[u16]| -> Vec<u8> { words.iter().flat_map(|word| word.to_le_bytes()).collect() };
        put_context(frame, PREAUTH_CONTEXT, &[&words(&[1, 32, SHA_512]), salt].concat());
        put_context(frame, SIGNING_CONTEXT, &words(&[3, 2, 1, 0]));
        if job.encryption {
            put_context(frame, CIPHER_CONTEXT, &words(&[2, 2, 1]));
        }
    }

    fn security_mode(&self) -> u16 {
        SIGNING_ENABLED | if self.access.job.signing { SIGNING_REQUIRED } else { 0 }
    }

    /// A message was completed and goes out.
    pub(super) fn sent(&mut self, message: &[u8]) {
        if self.step != Step::Tree {
            self.preauth.update(message);
        }
    }

    /// Takes a reply, and writes what is sent next.
    pub(super) fn take(
        &mut self,
        reply: &mut [u8],
        session: &mut Session,
        frame: &mut Frame,
    ) -> Result<Next, Refusal> {
        let header = Header::of(reply).ok_or(Refusal::Protocol("no message of SMB 2"))?;
        session.take_credits(header.credits);
        frame.clear();
        match self.step {
            Step::Negotiate => self.negotiated(header, reply, session, frame),
            Step::Challenge => self.challenged(header, reply, session, frame),
            Step::Session => self.logged_in(header, reply, session, frame),
            Step::Tree => self.connected(header, reply, session),
        }
    }

    fn negotiated(
        &mut self,
        header: Header,
        reply: &[u8],
        session: &mut Session,
        frame: &mut Frame,
    ) -> Result<Next, Refusal> {
        if header.status == status::NOT_SUPPORTED {
            return Err(Refusal::Dialect(None));
        }
        if header.status != status::SUCCESS || reply.len() < 128 {
            return Err(Refusal::Protocol("a refusal of NEGOTIATE"));
        }
        self.preauth.update(reply);
        let access = self.access.clone();
        let (job, found) = (&access.job, u16_at(reply, 68));
        if found != number_of(job.dialect) {
            return Err(Refusal::Dialect(Some(found)));
        }
        let wants_signing = u16_at(reply, 66) & SIGNING_REQUIRED != 0;
        if wants_signing && !(job.signing || job.encryption || access.is_guest()) {
            return Err(Refusal::WantsSigning);
        }
        session.has_charges = job.dialect >= SmbDialect::Smb210;
        let is_large = session.has_charges && u32_at(reply, 88) & CAPABILITY_LARGE != 0;
        let limit =
            |offered: u32| if is_large { offered.max(1) } else { offered.clamp(1, DATA_OF_ONE_CREDIT) };
        (session.read_limit_bytes, session.write_limit_bytes) =
            (limit(u32_at(reply, 96)), limit(u32_at(reply, 100)));
        if job.dialect == SmbDialect::Smb311 {
            self.read_contexts(reply);
        } else if job.encryption && u32_at(reply, 88) & CAPABILITY_ENCRYPTION != 0 {
            self.cipher = Some(CipherKind::Aes128Ccm);
        }
        if job.encryption && self.cipher.is_none() {
            return Err(Refusal::NoEncryption);
        }
        let token = self.ntlm.negotiate();
        self.put_setup(frame, &token);
        self.step = Step::Challenge;
        Ok(Next::Send)
    }

    /// What the server chose of what 3.1.1 offers.
    fn read_contexts(&mut self, reply: &[u8]) {
        let offers_ciphers = self.access.job.encryption;
        let (count, mut at) = (u16_at(reply, 70).min(16), u32_at(reply, 124) as usize);
        for _ in 0..count {
            let Some(context) = reply.get(at..) else { return };
            let (kind, length) = (u16_at(context, 0), usize::from(u16_at(context, 2)));
            let chosen = u16_at(context, 10);
            match (kind, chosen) {
                // Chosen without having been offered: what was to be measured is not encrypted.
                (CIPHER_CONTEXT, _) if !offers_ciphers => {}
                (CIPHER_CONTEXT, 1) => self.cipher = Some(CipherKind::Aes128Ccm),
                (CIPHER_CONTEXT, 2) => self.cipher = Some(CipherKind::Aes128Gcm),
                (SIGNING_CONTEXT, 0) => self.signing = SigningKind::HmacSha256,
                (SIGNING_CONTEXT, 1) => self.signing = SigningKind::AesCmac,
                (SIGNING_CONTEXT, 2) => self.signing = SigningKind::AesGmac,
                _ => {}
            }
            at += (8 + length).next_multiple_of(8);
        }
    }

    fn put_setup(&self, frame: &mut Frame, token: &[u8]) {
        frame.begin(Command::SessionSetup, false, 0);
        frame.put_u16(25);
        frame.put(&[0, self.security_mode() as u8]);
        frame.put_zeros(8);
        frame.put_u16(88);
        frame.put_u16(token.len() as u16);
        frame.put_u64(0);
        frame.put(token);
    }

    fn challenged(
        &mut self,
        header: Header,
        reply: &[u8],
        session: &mut Session,
        frame: &mut Frame,
    ) -> Result<Next, Refusal> {
        if header.status != status::MORE_PROCESSING_REQUIRED {
            return Err(self.login_refusal(header.status));
        }
        self.preauth.update(reply);
        session.id = header.session_id;
        let (at, length) = (usize::from(u16_at(reply, 68)), usize::from(u16_at(reply, 70)));
        let token = reply.get(at..at + length).ok_or(Refusal::Protocol("a challenge that is cut short"))?;
        let token = challenge_of(token).ok_or(Refusal::Protocol("a challenge that is not NTLM's"))?;
        let token =
            self.ntlm.authenticate(token).map_err(|_| Refusal::Protocol("a challenge with a mistake"))?;
        self.put_setup(frame, &token);
        self.step = Step::Session;
        Ok(Next::Send)
    }

    /// A server that wants encryption refuses whoever offers none (MS-SMB2 3.3.5.5: at once; Samba: once it knows
    /// the user), with a status that others have for users who may not log in.
    fn login_refusal(&self, status: Status) -> Refusal {
        match status {
            status::ACCESS_DENIED if !self.access.job.encryption => Refusal::WantsEncryption,
            status => Refusal::Login(status),
        }
    }

    fn logged_in(
        &mut self,
        header: Header,
        reply: &mut [u8],
        session: &mut Session,
        frame: &mut Frame,
    ) -> Result<Next, Refusal> {
        if header.status != status::SUCCESS {
            return Err(self.login_refusal(header.status));
        }
        let is_guest = u16_at(reply, 66) & (SESSION_IS_GUEST | SESSION_IS_NOBODY) != 0;
        if is_guest && !self.access.is_guest() {
            return Err(Refusal::TakenForGuest);
        }
        if !is_guest {
            self.take_keys(session)?;
            if let Some(signer) = session.signer.as_ref().filter(|_| self.access.job.signing)
                && !signer.is_signed(reply)
            {
                return Err(Refusal::Protocol("a session that is not signed"));
            }
        }
        let share = format!("\\\\{}\\{}", self.access.job.host, self.access.job.share);
        frame.begin(Command::TreeConnect, false, 0);
        frame.put_u16(9);
        frame.put_u16(0);
        frame.put_u16(72);
        frame.put_u16(2 * share.encode_utf16().count() as u16);
        share.encode_utf16().for_each(|unit| frame.put_u16(unit));
        self.step = Step::Tree;
        Ok(Next::Send)
    }

    /// Makes the keys of a session whose user is known.
    fn take_keys(&mut self, session: &mut Session) -> Result<(), Refusal> {
        let missing = Refusal::Protocol("a session without a key");
        let secret: [u8; 16] =
            self.ntlm.session_key().and_then(|key| key.get(..16)?.try_into().ok()).ok_or(missing)?;
        let job = &self.access.job;
        let dialect = match job.dialect {
            SmbDialect::Smb202 | SmbDialect::Smb210 => {
                session.signer = if job.signing { Signer::new(self.signing, &secret) } else { None };
                return Ok(());
            }
            SmbDialect::Smb300 => Dialect::Smb3_0,
            SmbDialect::Smb302 => Dialect::Smb3_0_2,
            SmbDialect::Smb311 => Dialect::Smb3_1_1,
        };
        let keys = derive_session_keys(&secret, dialect, Some(self.preauth.value()), 128);
        let key = |key: &[u8]| -> Result<[u8; 16], Refusal> { key.try_into().map_err(|_| missing) };
        if job.signing || job.dialect == SmbDialect::Smb311 {
            session.signer = Signer::new(self.signing, &key(&keys.signing_key)?);
        }
        if let Some(cipher) = self.cipher {
            let (outgoing, incoming) = (key(&keys.encryption_key)?, key(&keys.decryption_key)?);
            session.seal = Some(Seal::new(cipher, &outgoing, &incoming, session.id));
            session.cipher = Some(cipher);
        }
        Ok(())
    }

    fn connected(&self, header: Header, reply: &mut [u8], session: &mut Session) -> Result<Next, Refusal> {
        if header.status != status::SUCCESS {
            return Err(Refusal::Share(header.status));
        }
        if let (Some(signer), None) = (&session.signer, &session.seal)
            && !signer.is_signed(reply)
        {
            return Err(Refusal::Protocol("a share that is not signed"));
        }
        session.tree_id = header.tree_id;
        session.signing = (session.signer.is_some() && self.access.job.signing).then_some(self.signing);
        if !self.access.job.signing {
            session.signer = None;
        }
        Ok(Next::Ready)
    }
}

fn put_context(frame: &mut Frame, kind: u16, data: &[u8]) {
    frame.put_zeros(frame.length().next_multiple_of(8) - frame.length());
    frame.put_u16(kind);
    frame.put_u16(data.len() as u16);
    frame.put_u32(0);
    frame.put(data);
}

/// The challenge of NTLM, with or without SPNEGO around it.
fn challenge_of(token: &[u8]) -> Option<&[u8]> {
    let begin = token.windows(8).position(|found| found == b"NTLMSSP\0")?;
    Some(&token[begin..])
}

#[cfg(test)]
mod tests {
    use fsgauge_wire::SmbTarget as Job;

    use super::*;
    use crate::address::Address;

    fn chosen(offers: bool, context: &[u8]) -> Option<CipherKind> {
        let job = Job {
            host: "127.0.0.1".into(),
            port: 1,
            share: "s".into(),
            directory: "d".into(),
            user: "u".into(),
            password: None,
            dialect: SmbDialect::Smb311,
            signing: false,
            encryption: offers,
            oplocks: false,
        };
        let address = Address::resolve("127.0.0.1", 1).unwrap();
        let mut handshake = Handshake::new(Arc::new(SmbAccess { job, address, password: None }));
        let mut reply = vec![0; 128];
        (reply[70], reply[124]) = (1, 128);
        reply.extend(context);
        handshake.read_contexts(&reply);
        handshake.cipher
    }

    /// A server that chose a cipher of its own had the session encrypted although the study said otherwise.
    #[test]
    fn a_cipher_is_chosen_of_those_that_were_offered() {
        let context = [2, 0, 4, 0, 0, 0, 0, 0, 1, 0, 2, 0];
        assert_eq!(chosen(true, &context), Some(CipherKind::Aes128Gcm));
        assert_eq!(chosen(false, &context), None);
    }
}
