//! The one door to files that lie in folders of others.
//!
//! Whoever may write in a folder may rename what lies in it and put a link in its place at any moment. So a name is
//! resolved once, or not at all where the caller holds the place open; whatever lies below is reached from that
//! descriptor, without links and without leaving its file system.

#![warn(unreachable_pub)]

mod held;

pub use held::hold;
