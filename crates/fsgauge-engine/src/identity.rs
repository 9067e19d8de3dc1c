//! What this engine is: version, profile, platform, commit.

use fsgauge_wire::{Engine, Profile};

/// The engine as results name it.
pub(crate) fn engine() -> Engine {
    Engine {
        version: env!("CARGO_PKG_VERSION").into(),
        profile: if env!("FSGAUGE_PROFILE") == "release" { Profile::Release } else { Profile::Debug },
        target: env!("FSGAUGE_TARGET").into(),
        commit: env!("FSGAUGE_COMMIT").into(),
    }
}

/// The same for a person.
pub(crate) const LONG_VERSION: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    "\nprofile: ",
    env!("FSGAUGE_PROFILE"),
    "\ntarget: ",
    env!("FSGAUGE_TARGET"),
    "\ncommit: ",
    env!("FSGAUGE_COMMIT"),
);
