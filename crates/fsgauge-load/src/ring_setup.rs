//! Making a ring with everything this kernel has, and saying what it has not.
//!
//! Features are probed by asking, newest first; the kernel's version is never looked at.
//! Unsafe code: registering the buffer region, which outlives the ring.

use std::io;
use std::os::fd::RawFd;

use fsgauge_wire::{Failure, Features, Note};
use io_uring::{CompletionQueue, IoUring, SubmissionQueue, Submitter};

use crate::buffers::Buffers;

/// The kernel takes at most this much as one registered buffer.
const REGISTERED_LIMIT_BYTES: usize = 1 << 30;

/// The three ends of a ring.
pub(crate) type Parts<'ring> = (Submitter<'ring>, SubmissionQueue<'ring>, CompletionQueue<'ring>);

/// A ring, what it can do, and notes on what it cannot.
pub struct RingSetup {
    ring: IoUring,
    /// What the kernel has of what was asked for.
    pub features: Features,
    /// What it has not.
    pub notes: Vec<Note>,
}

/// Setup flags to try, best first: each line gives up the newest feature that is left.
const ATTEMPTS: [Features; 5] = {
    const NONE: Features = Features {
        registered_files: false,
        registered_buffers: false,
        registered_ring: false,
        single_issuer: false,
        defer_taskrun: false,
        coop_taskrun: false,
        no_sqarray: false,
    };
    let coop = Features { coop_taskrun: true, ..NONE };
    let single = Features { single_issuer: true, ..coop };
    let deferred = Features { defer_taskrun: true, ..single };
    [Features { no_sqarray: true, ..deferred }, deferred, single, coop, NONE]
};

impl RingSetup {
    /// A ring for `depth` operations, for the calling thread only.
    pub fn new(depth: u32) -> io::Result<Self> {
        Self::with_completions(depth, depth.saturating_mul(2))
    }

    /// A ring that takes up to `entries` operations at a time, and has room for `completions` of them.
    pub fn with_completions(entries: u32, completions: u32) -> io::Result<Self> {
        let mut last = io::Error::from_raw_os_error(libc::EINVAL);
        for features in ATTEMPTS {
            match build(entries, completions, &features) {
                Ok(ring) => {
                    let mut setup = RingSetup { ring, features, notes: Vec::new() };
                    setup.notes.extend(notes_of_flags(&setup.features));
                    return Ok(setup);
                }
                Err(error) if error.raw_os_error() == Some(libc::EINVAL) => last = error,
                Err(error) => return Err(error),
            }
        }
        Err(last)
    }

    /// Whether waits can have a time limit (Linux 5.11), which a pace needs.
    pub fn can_wait_for(&self) -> bool {
        self.ring.params().is_feature_ext_arg()
    }

    /// The ring with nothing registered.
    pub fn into_ring(self) -> IoUring {
        self.ring
    }

    /// Registers files, buffers and the ring itself, as far as the kernel lets. Gives the ring's parts, what
    /// it can do, and notes on what it cannot. The buffers must outlive the ring's last operation.
    pub(crate) fn register(
        &mut self,
        descriptors: &[RawFd],
        buffers: &Buffers,
    ) -> (Parts<'_>, Features, Vec<Note>) {
        let (mut features, mut notes) = (self.features, self.notes.clone());
        let mut keep = |name: &str, result: io::Result<()>| {
            if let Err(error) = &result {
                notes.push(missing(name, &error.to_string()));
            }
            result.is_ok()
        };
        let (mut submitter, submission, completion) = self.ring.split();
        features.registered_ring = keep("registered_ring", submitter.register_ring_fd());
        features.registered_files = keep("registered_files", submitter.register_files(descriptors));
        features.registered_buffers = keep("registered_buffers", register_buffers(&submitter, buffers));
        ((submitter, submission, completion), features, notes)
    }
}

fn build(entries: u32, completions: u32, features: &Features) -> io::Result<IoUring> {
    let mut builder = IoUring::builder();
    builder.setup_clamp().setup_cqsize(completions);
    if features.coop_taskrun {
        builder.setup_coop_taskrun();
    }
    if features.single_issuer {
        builder.setup_single_issuer();
    }
    if features.defer_taskrun {
        builder.setup_defer_taskrun();
    }
    if features.no_sqarray {
        builder.setup_no_sqarray();
    }
    builder.build(entries)
}

fn register_buffers(submitter: &Submitter<'_>, buffers: &Buffers) -> io::Result<()> {
    let region = buffers.as_iovec();
    if region.iov_len > REGISTERED_LIMIT_BYTES {
        return Err(io::Error::other("the buffers are larger than 1 GiB"));
    }
    // SAFETY: the region is mapped, and the caller of `register` keeps it so until the ring is idle.
    unsafe { submitter.register_buffers(&[region]) }
}

/// What a result says of flags that this kernel lacks and that cost time. Without no_sqarray the
/// ring only has an array that nobody changes.
fn notes_of_flags(features: &Features) -> Vec<Note> {
    let flags = [
        (features.defer_taskrun, "defer_taskrun", "6.1"),
        (features.single_issuer, "single_issuer", "6.0"),
        (features.coop_taskrun, "coop_taskrun", "5.19"),
    ];
    let lacking = flags.iter().filter(|(has, ..)| !has);
    lacking
        .map(|(_, name, since)| missing(name, &format!("this kernel does not have it (Linux {since} has)")))
        .collect()
}

fn missing(name: &str, reason: &str) -> Note {
    let text = format!("io_uring works without {}: {reason}", name.replace('_', " "));
    Note { code: format!("io_uring.{name}_missing"), text }
}

/// Whether the kernel refuses io_uring as a whole, rather than this ring.
pub fn is_refused(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::ENOSYS | libc::EPERM | libc::EACCES))
}

/// What to tell when there is no ring.
pub fn refused(error: &io::Error) -> Failure {
    let errno = error.raw_os_error();
    let (cause, next) = match errno {
        Some(libc::ENOSYS) => (
            "this kernel has no io_uring, or a seccomp filter (a container's) hides it",
            "choose interface psync",
        ),
        Some(libc::EPERM | libc::EACCES) => (
            "io_uring is forbidden here: kernel.io_uring_disabled, or a container's seccomp filter",
            "sysctl -w kernel.io_uring_disabled=0, or choose interface psync",
        ),
        Some(libc::ENOMEM) => {
            ("the limit of locked memory is reached", "ulimit -l unlimited, or choose a smaller queue_depth")
        }
        Some(libc::EMFILE | libc::ENFILE) => ("too many files are open", "ulimit -n 65536"),
        _ => ("the kernel refused the ring", "choose interface psync"),
    };
    Failure::system("io_uring", errno, format!("io_uring cannot be set up: {error}"), cause, next)
}

#[cfg(test)]
mod tests {
    use super::{ATTEMPTS, notes_of_flags};

    /// Every run in a guest of Linux 6.1 said "io_uring works without no sqarray".
    #[test]
    fn only_what_costs_time_is_noted() {
        let codes = |at: usize| notes_of_flags(&ATTEMPTS[at]).into_iter().map(|note| note.code);
        assert_eq!(codes(0).count(), 0);
        assert_eq!(codes(1).count(), 0, "a ring with its array");
        assert_eq!(codes(2).collect::<Vec<_>>(), ["io_uring.defer_taskrun_missing"]);
        assert_eq!(codes(4).count(), 3);
    }
}
