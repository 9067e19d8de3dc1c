//! The one door to files that lie in folders of others.
//!
//! Whoever may write in a folder may rename what lies in it, and put a link in its place, at any moment. So the name
//! of a folder is resolved once, or never where the caller holds it open ([`hold`]); whatever lies below is reached
//! from that descriptor, without links and without leaving its file system.

#![warn(unreachable_pub)]

mod beneath;
mod folder;
mod held;
mod reopen;

pub use folder::Folder;
pub use held::{Place, hold, reach};
pub use reopen::{open_device, open_named, reopen};
