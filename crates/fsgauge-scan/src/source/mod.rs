//! Sources: one file or folder for each way to know what lies where.

mod ext;
mod on_disk;

pub use ext::Ext;
pub use on_disk::OnDisk;
