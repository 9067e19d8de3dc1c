//! What kept a scan from being complete or exact: counted, with the first places of each kind.

use std::fmt::Display;

use fsgauge_wire::ScanProblem;

/// How many places of each kind are named.
const EXAMPLES: usize = 10;
/// How much is said of a place: a path may be far longer than PATH_MAX.
const PLACE_BYTES: usize = 4096;

/// The problems of one scan, or of one thread of it, in the order in which each kind was first met.
#[derive(Debug, Clone, Default)]
pub struct Problems {
    found: Vec<ScanProblem>,
}

impl Problems {
    /// Nothing found yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// One more of `code`, at the place `example`, which is formatted only while places are still wanted
    /// (`format_args!`). The first `text` of a code stays.
    pub fn add(&mut self, code: &'static str, text: &str, example: impl Display) {
        let problem = match self.found.iter_mut().position(|p| p.code == code) {
            Some(at) => &mut self.found[at],
            None => {
                let (code, text) = (code.to_owned(), text.to_owned());
                self.found.push(ScanProblem { code, text, count: 0, examples: Vec::new() });
                let last = self.found.len() - 1;
                &mut self.found[last]
            }
        };
        problem.count += 1;
        if problem.examples.len() < EXAMPLES {
            problem.examples.push(shortened(example.to_string()));
        }
    }

    /// One more structure of a file system on an image that is damaged.
    pub(crate) fn add_damage(&mut self, place: impl Display) {
        self.add("damaged", "A structure of the file system is not valid and was skipped", place);
    }

    /// One more file of which only the first [`FILE_EXTENTS_LIMIT`](crate::extent::FILE_EXTENTS_LIMIT) extents were read.
    pub(crate) fn add_too_many_extents(&mut self, place: impl Display) {
        self.add("too_many_extents", "Only their first 16,777,216 extents were read", place);
    }

    /// Takes in what another thread found.
    pub fn merge(&mut self, others: Problems) {
        for other in others.found {
            match self.found.iter_mut().find(|p| p.code == other.code) {
                None => self.found.push(other),
                Some(problem) => {
                    problem.count += other.count;
                    let room = EXAMPLES - problem.examples.len();
                    problem.examples.extend(other.examples.into_iter().take(room));
                }
            }
        }
    }

    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// How often `code` was found.
    pub fn count(&self, code: &str) -> u64 {
        self.found.iter().find(|p| p.code == code).map_or(0, |p| p.count)
    }

    /// All of them, as a result has them.
    pub fn into_list(self) -> Vec<ScanProblem> {
        self.found
    }
}

/// Begin and end of what is too long.
fn shortened(text: String) -> String {
    if text.len() <= PLACE_BYTES {
        return text;
    }
    let begin = text.floor_char_boundary(PLACE_BYTES / 2);
    let end = text.ceil_char_boundary(text.len() - PLACE_BYTES / 2);
    format!("{} ... {}", &text[..begin], &text[end..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_one_is_counted_and_the_first_ten_are_named() {
        let mut problems = Problems::new();
        for inode in 0..25 {
            problems.add("damaged", "A structure makes no sense", format_args!("inode {inode}"));
        }
        problems.add("truncated", "The image ends early", "byte 4096");
        let list = problems.into_list();
        assert_eq!((list[0].code.as_str(), list[0].count), ("damaged", 25));
        assert_eq!(list[0].examples.len(), 10);
        assert_eq!(list[0].examples[9], "inode 9");
        assert_eq!((list[1].code.as_str(), list[1].count), ("truncated", 1));
    }

    #[test]
    fn of_a_place_with_too_long_a_path_begin_and_end_are_named() {
        let mut problems = Problems::new();
        problems.add("not_read", "They were not read", format_args!("/x{}: EIO", "/ä".repeat(100_000)));
        let list = problems.into_list();
        assert!(list[0].examples[0].starts_with("/x/ä") && list[0].examples[0].ends_with("ä: EIO"));
        assert!(list[0].examples[0].len() <= PLACE_BYTES + " ... ".len());
    }

    #[test]
    fn an_example_is_not_formatted_when_it_would_not_be_kept() {
        struct Never;
        impl Display for Never {
            fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                panic!("formatted")
            }
        }
        let mut problems = Problems::new();
        for inode in 0..10 {
            problems.add("damaged", "A structure makes no sense", inode);
        }
        problems.add("damaged", "A structure makes no sense", Never);
        assert_eq!(problems.count("damaged"), 11);
    }

    #[test]
    fn threads_are_merged_by_code() {
        let (mut one, mut other) = (Problems::new(), Problems::new());
        for place in 0..8 {
            one.add("damaged", "A structure makes no sense", place);
            other.add("damaged", "A structure makes no sense", place + 100);
        }
        other.add("vanished", "A file went away", "a");
        one.merge(other);
        assert_eq!((one.count("damaged"), one.count("vanished")), (16, 1));
        let list = one.into_list();
        assert_eq!(list[0].examples[7..], ["7", "100", "101"]);
    }
}
