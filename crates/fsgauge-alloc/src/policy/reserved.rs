//! What is left of a run that was taken for one file, in the order of its blocks.

use std::collections::HashMap;

use super::{Extent, Request};
use crate::free_map::{FreeMap, Run};

/// By file: the next block of the file that it is for, and the run.
#[derive(Debug, Clone, Default)]
pub(super) struct Reserved {
    left: HashMap<u32, (u64, Run)>,
}

impl Reserved {
    /// An extent for the beginning of a request: of what is left for the file, if it goes on there; else of a run that
    /// `new_run` takes, the rest of which is kept for the file if the request's purpose is a file that grows. The blocks that
    /// the file system needs for itself on the file's behalf leave the file's own run alone.
    pub(super) fn allocate(
        &mut self,
        space: &mut FreeMap,
        request: &Request,
        new_run: impl FnOnce(&mut FreeMap) -> Option<Run>,
    ) -> Option<Extent> {
        let is_own = !request.purpose.is_metadata();
        let left = self.left.get(&request.file).filter(|(logical, _)| is_own && *logical == request.logical);
        let run = match left {
            Some((_, run)) => *run,
            None => {
                if is_own {
                    self.release(space, request.file);
                }
                new_run(space)?
            }
        };
        let blocks = request.blocks.min(run.blocks);
        let extent = Extent { logical: request.logical, physical: run.start, blocks };
        let rest = Run { start: extent.physical_end(), blocks: run.blocks - blocks };
        if is_own {
            self.left.remove(&request.file);
        }
        if rest.blocks > 0 {
            self.left.insert(request.file, (extent.logical_end(), rest));
        }
        Some(extent)
    }

    /// Gives back what is left for a file.
    pub(super) fn release(&mut self, space: &mut FreeMap, file: u32) {
        if let Some((_, run)) = self.left.remove(&file) {
            space.give(run.start, run.blocks);
        }
    }

    /// Gives back what is left for all files.
    pub(super) fn release_all(&mut self, space: &mut FreeMap) {
        for (_, (_, run)) in self.left.drain() {
            space.give(run.start, run.blocks);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::free_map::FreeMap;
    use crate::policy::{Policy, Purpose, Request, Vxfs, VxfsSizes, Window};

    fn policies() -> [Box<dyn Policy>; 2] {
        let sizes = VxfsSizes { initial_blocks: 16, largest_blocks: 64 };
        [Box::new(Window::new(16)), Box::new(Vxfs::new(sizes).unwrap())]
    }

    fn request(logical: u64, blocks: u32, purpose: Purpose) -> Request {
        Request { file: 7, inode: 7, logical, blocks, file_blocks: logical, goal: 0, last: None, purpose }
    }

    /// The request for a block of the extent tree has the file's number and block, too: the file lost its run to it, and
    /// went on in what was left of that block's.
    #[test]
    fn a_block_of_the_file_systems_own_leaves_the_files_run_alone() {
        for mut policy in policies() {
            let mut space = FreeMap::new(1000, 1000).unwrap();
            let mut get = |logical, blocks, purpose| {
                policy.allocate(&mut space, &request(logical, blocks, purpose)).unwrap()
            };
            let first = get(0, 1, Purpose::Data);
            let own = get(0, 1, Purpose::Metadata);
            let second = get(1, 3, Purpose::Data);
            assert_eq!((own.blocks, second.blocks), (1, 3));
            assert_eq!(second.physical, first.physical_end());
            policy.release(&mut space, 7);
            assert_eq!(space.free_blocks(), 1000 - 5, "{}", policy.name());
        }
    }

    #[test]
    fn exact_data_sets_nothing_aside() {
        for mut policy in policies() {
            let mut space = FreeMap::new(1000, 1000).unwrap();
            for logical in [0, 3, 6] {
                let extent = policy.allocate(&mut space, &request(logical, 3, Purpose::ExactData)).unwrap();
                assert_eq!((extent.physical, extent.blocks), (logical, 3));
            }
            assert_eq!(space.free_blocks(), 1000 - 9, "{}", policy.name());
        }
    }
}
