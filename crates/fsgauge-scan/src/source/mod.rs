//! Sources: one file or folder for each way to know what lies where.

mod ext;
mod on_disk;
mod xfs;

pub use ext::Ext;
pub use on_disk::OnDisk;
pub use xfs::Xfs;
