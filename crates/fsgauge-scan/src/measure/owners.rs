//! Which file has the most bytes in each cell. Memory is bounded by the number of cells, however many files.

use std::path::PathBuf;

use super::name::KeptName;
use crate::extent::FileName;

const NOBODY: u32 = u32::MAX;

/// The owner of each cell so far.
#[derive(Debug, Clone)]
pub(crate) struct Owners {
    cells: Vec<Owner>,
    names: Vec<Held>,
    /// Places in `names` that nobody uses.
    vacant: Vec<u32>,
    /// Bytes of the file at hand in each cell, zeros elsewhere, and the cells where it has any.
    mine: Vec<u64>,
    touched: Vec<u32>,
}

#[derive(Debug, Clone, Copy)]
struct Owner {
    size_bytes: u64,
    name: u32,
}

/// A name with the number of cells that it owns.
#[derive(Debug, Clone)]
struct Held {
    name: KeptName,
    cells: u32,
}

impl Owners {
    pub(crate) fn new(cells: usize) -> Self {
        Owners {
            cells: vec![Owner { size_bytes: 0, name: NOBODY }; cells],
            names: Vec::new(),
            vacant: Vec::new(),
            mine: vec![0; cells],
            touched: Vec::new(),
        }
    }

    /// The file at hand has so many bytes more in a cell.
    #[inline]
    pub(crate) fn touch(&mut self, cell: usize, size_bytes: u64) {
        if let Some(mine) = self.mine.get_mut(cell).filter(|_| size_bytes > 0) {
            if *mine == 0 {
                self.touched.push(cell as u32);
            }
            *mine += size_bytes;
        }
    }

    /// That was all of the file at hand.
    pub(crate) fn file(&mut self, name: &FileName<'_>) {
        let mut touched = std::mem::take(&mut self.touched);
        let mut place = None;
        for cell in touched.drain(..) {
            let size_bytes = std::mem::take(&mut self.mine[cell as usize]);
            if self.loses(cell, size_bytes, |held| held.is_after(name)) {
                let place = *place.get_or_insert_with(|| self.hold(name.into()));
                self.give(cell, size_bytes, place);
            }
        }
        self.touched = touched;
    }

    /// Whether a cell's owner has fewer bytes there, or as many and comes later by name.
    fn loses(&self, cell: u32, size_bytes: u64, is_after: impl Fn(&KeptName) -> bool) -> bool {
        let owner = self.cells[cell as usize];
        size_bytes > owner.size_bytes
            || (size_bytes == owner.size_bytes
                && self.names.get(owner.name as usize).is_some_and(|held| is_after(&held.name)))
    }

    fn hold(&mut self, name: KeptName) -> u32 {
        let held = Held { name, cells: 0 };
        match self.vacant.pop() {
            Some(place) => {
                self.names[place as usize] = held;
                place
            }
            None => {
                self.names.push(held);
                self.names.len() as u32 - 1
            }
        }
    }

    fn give(&mut self, cell: u32, size_bytes: u64, name: u32) {
        let before = std::mem::replace(&mut self.cells[cell as usize], Owner { size_bytes, name });
        self.names[name as usize].cells += 1;
        if let Some(held) = self.names.get_mut(before.name as usize) {
            held.cells -= 1;
            if held.cells == 0 {
                held.name = KeptName::Inode(0);
                self.vacant.push(before.name);
            }
        }
    }

    /// The names of owners.
    pub(crate) fn names(&self) -> impl Iterator<Item = &KeptName> {
        self.names.iter().filter(|held| held.cells > 0).map(|held| &held.name)
    }

    pub(crate) fn merge(&mut self, other: Owners) {
        let mut places = vec![NOBODY; other.names.len()];
        for (cell, owner) in (0u32..).zip(&other.cells) {
            let Some(held) = other.names.get(owner.name as usize) else { continue };
            if self.loses(cell, owner.size_bytes, |mine| *mine > held.name) {
                let place = &mut places[owner.name as usize];
                // A place that lost its last cell meanwhile may hold another name by now.
                let is_held = self.names.get(*place as usize).is_some_and(|mine| mine.name == held.name);
                if !is_held {
                    *place = self.hold(held.name.clone());
                }
                self.give(cell, owner.size_bytes, *place);
            }
        }
    }

    /// For each cell which of the names, -1 for none; and the names, in the order in which cells need them.
    pub(crate) fn list(self, name_of: &mut dyn FnMut(u64) -> Option<PathBuf>) -> (Vec<i32>, Vec<String>) {
        let mut names = Vec::new();
        let mut numbers = vec![-1; self.names.len()];
        let mut owner = Vec::with_capacity(self.cells.len());
        for cell in &self.cells {
            let Some(number) = numbers.get_mut(cell.name as usize) else {
                owner.push(-1);
                continue;
            };
            if *number < 0 {
                *number = names.len() as i32;
                names.push(self.names[cell.name as usize].name.clone().into_text(name_of));
            }
            owner.push(*number);
        }
        (owner, names)
    }

    #[cfg(test)]
    fn held(&self) -> usize {
        self.names.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(owners: &mut Owners, inode: u64, cells: &[(usize, u64)]) {
        cells.iter().for_each(|&(cell, size_bytes)| owners.touch(cell, size_bytes));
        owners.file(&FileName::Inode(inode));
    }

    fn list(owners: Owners) -> (Vec<i32>, Vec<String>) {
        owners.list(&mut |inode| Some(format!("f{inode}").into()))
    }

    #[test]
    fn the_file_with_most_bytes_in_a_cell_owns_it() {
        let mut owners = Owners::new(4);
        file(&mut owners, 1, &[(0, 10), (1, 10), (0, 10)]);
        file(&mut owners, 2, &[(0, 15), (1, 11)]);
        file(&mut owners, 3, &[(3, 1)]);
        assert_eq!(list(owners), (vec![0, 1, -1, 2], vec!["f1".into(), "f2".into(), "f3".into()]));
    }

    #[test]
    fn names_do_not_pile_up_with_files() {
        let mut owners = Owners::new(2);
        (1..10_000).for_each(|size| file(&mut owners, size, &[(0, size), (1, 1)]));
        assert!(owners.held() <= 3, "{} names for 2 cells", owners.held());
        assert_eq!(list(owners), (vec![0, 1], vec!["f9999".into(), "f1".into()]));
    }

    #[test]
    fn threads_come_to_the_same_owners_in_either_order() {
        let (mut one, mut other) = (Owners::new(3), Owners::new(3));
        file(&mut one, 5, &[(0, 8), (1, 8)]);
        file(&mut one, 7, &[(2, 9)]);
        file(&mut other, 4, &[(0, 8), (1, 9)]);
        file(&mut other, 9, &[(2, 9)]);
        let (mut left, mut right) = (one.clone(), other.clone());
        left.merge(other);
        right.merge(one);
        let expected = (vec![0, 0, 1], vec!["f4".to_owned(), "f7".to_owned()]);
        assert_eq!(list(left), expected);
        assert_eq!(list(right), expected);
    }
}
