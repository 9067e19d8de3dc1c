//! Clients that go on with all they do against a server that lies, and what they must hold to.

use std::time::{Duration, Instant};

use super::fuzz::Fuzz;
use crate::target::{Answer, Handle, Request, Started, Target};

/// The most that is read and written at a time.
pub(crate) const RECORD_BYTES: u32 = 8192;
/// Longer than any wait of a test's target, with all it has to wait for on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a lane has under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    Open,
    /// Of at most so many bytes.
    Read(u32),
    Write(u32),
    Other,
}

/// Has lanes ask for so many things. Every one is answered, once; no answer tells of more than was asked for, and
/// what was read is there. `look` is called between, and makes the target look at what waits too long.
pub(crate) fn clients_hold<T: Target>(
    target: &mut T,
    lanes: u32,
    count: usize,
    fuzz: &mut Fuzz,
    mut look: impl FnMut(&mut T),
) {
    let mut under_way: Vec<Option<Asked>> = vec![None; lanes as usize];
    let mut handles: Vec<Option<Handle>> = vec![None; lanes as usize];
    let data = [7; RECORD_BYTES as usize];
    let (mut started, mut begin) = (0, Instant::now());
    while started < count || under_way.iter().any(Option::is_some) {
        for lane in 0..lanes as usize {
            if under_way[lane].is_some() || started >= count {
                continue;
            }
            started += 1;
            let (request, asked) = request(fuzz, handles[lane], &data);
            if matches!(request, Request::Close { .. }) {
                handles[lane] = None;
            }
            match target.start(lane as u32, &request) {
                Started::Pending => under_way[lane] = Some(asked),
                Started::Done(answer) => check(target, lane, asked, answer, &mut handles, false),
            }
        }
        look(target);
        let mut answers = Vec::new();
        target
            .wait(Duration::from_millis(5), &mut |lane, answer| answers.push((lane as usize, answer)))
            .unwrap();
        for (lane, answer) in answers {
            let asked = under_way[lane].take().unwrap_or_else(|| panic!("lane {lane} asked for nothing"));
            check(target, lane, asked, answer, &mut handles, true);
            begin = Instant::now();
        }
        assert!(begin.elapsed() < PATIENCE, "no answer: {under_way:?}");
    }
}

fn request<'given>(fuzz: &mut Fuzz, handle: Option<Handle>, data: &'given [u8]) -> (Request<'given>, Asked) {
    let size_bytes = 1 + fuzz.below(RECORD_BYTES as usize) as u32;
    let offset_bytes = fuzz.below(1 << 14) as u64;
    match (fuzz.below(16), handle) {
        (0..5, Some(handle)) => (Request::Read { handle, offset_bytes, size_bytes }, Asked::Read(size_bytes)),
        (5..8, Some(handle)) => {
            let data = &data[..size_bytes as usize];
            (Request::Write { handle, offset_bytes, data }, Asked::Write(size_bytes))
        }
        (8, Some(handle)) => (Request::Fsync { handle }, Asked::Other),
        (9, Some(handle)) => (Request::Close { handle }, Asked::Other),
        (0..6, None) => (Request::Create { path: c"c1/f.1" }, Asked::Open),
        (6..10, None) => (Request::Open { path: c"c1/f.2", write: true }, Asked::Open),
        (10, _) => (Request::Stat { path: c"c2/f.1" }, Asked::Other),
        (11..13, _) => (Request::List { path: c"c1" }, Asked::Other),
        (13, _) => (Request::Rename { from: c"c1/f.1", to: c"c2/f.2" }, Asked::Other),
        (14, _) => (Request::MakeDirectory { path: c"c3" }, Asked::Other),
        _ => (Request::Null, Asked::Other),
    }
}

fn check<T: Target>(
    target: &T,
    lane: usize,
    asked: Asked,
    answer: Answer,
    handles: &mut [Option<Handle>],
    was_waited_for: bool,
) {
    // Error numbers of this system.
    assert!(answer > -4096, "{asked:?}: {answer}");
    match asked {
        Asked::Open if answer >= 0 => handles[lane] = Some(answer as Handle),
        Asked::Read(size_bytes) if answer >= 0 => {
            assert!(answer <= size_bytes.into(), "{answer} of {size_bytes}");
            assert!(!was_waited_for || target.incoming(lane as u32).len() >= answer as usize);
        }
        Asked::Write(size_bytes) => assert!(answer <= size_bytes.into(), "{answer} of {size_bytes}"),
        Asked::Read(_) | Asked::Open | Asked::Other => {}
    }
    if answer == -Answer::from(libc::ECONNRESET) || answer == crate::target::OUT_OF_REACH {
        handles[lane] = None;
    }
}
