//! Profiles: how files come and go. Each is a state machine that makes a turn's operations in a [`LogState`].

mod churn;
mod connections;
mod database;
mod git_like;
mod in_turns;
mod intermingled;

use fsgauge_wire::{AgeProfile, Failure};

use crate::log_state::LogState;
use crate::operation::Placement;

/// What a turn was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    /// It made at least one operation.
    Goes,
    /// There is nothing more to do.
    Over,
}

/// A profile at work.
pub(crate) trait Profile {
    /// Makes the next few operations.
    fn turn(&mut self, log: &mut LogState) -> Turn;

    /// Whether the files of the beginning are all there.
    fn is_filled(&self) -> bool;
}

/// The profile with everything that was left open filled in.
pub fn resolve(profile: &AgeProfile, room_bytes: u64) -> AgeProfile {
    let mut profile = profile.clone();
    match &mut profile {
        AgeProfile::Intermingled { files, file_size_bytes, chunk_bytes, .. } => {
            intermingled::resolve(*files, file_size_bytes, *chunk_bytes, room_bytes);
        }
        AgeProfile::Churn { sizes, .. } | AgeProfile::GitLike { sizes, .. } => {
            *sizes = crate::draw::Sizes::resolve(sizes, room_bytes);
        }
        AgeProfile::Connections { .. } | AgeProfile::Database { .. } => {}
    }
    profile
}

/// Begins a profile whose live files may take `room_bytes`; `fill_only` ends it once it is filled.
pub(crate) fn begin(
    profile: &AgeProfile,
    room_bytes: u64,
    fill_only: bool,
) -> Result<Box<dyn Profile>, Failure> {
    let profile = resolve(profile, room_bytes);
    Ok(match &profile {
        AgeProfile::Intermingled { .. } => Box::new(intermingled::begin(&profile, room_bytes)?),
        AgeProfile::Churn { .. } => Box::new(churn::begin(&profile, room_bytes, fill_only)?),
        AgeProfile::Connections { .. } => Box::new(connections::begin(&profile, room_bytes, fill_only)?),
        AgeProfile::GitLike { .. } => Box::new(git_like::begin(&profile, room_bytes, fill_only)?),
        AgeProfile::Database { .. } => Box::new(database::begin(&profile, room_bytes, fill_only)?),
    })
}

/// Where a profile's files lie.
pub(crate) fn placement(profile: &AgeProfile) -> Placement {
    match profile {
        AgeProfile::Churn { .. } | AgeProfile::GitLike { .. } => Placement::ByStream,
        _ => Placement::Together,
    }
}

/// A profile that cannot be, whatever the space.
fn wrong(what: impl Into<String>, cause: impl Into<String>) -> Failure {
    Failure::job("profile", what, cause, "correct the profile; schema/job.json describes it")
}

/// A profile that needs more room than there is.
fn too_small(needed: &str, room_bytes: u64) -> Failure {
    Failure::job(
        "space",
        format!("the space is too small for the profile: live files may take {room_bytes} bytes"),
        format!("the profile needs {needed}"),
        "give more space, a higher fill level, or smaller files",
    )
}
