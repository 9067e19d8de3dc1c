//! The free runs of a group that has some, in the form that suits their number.

use super::list::List;
use super::map::Map;
use super::survey::{Ends, Survey};

#[derive(Debug, Clone)]
pub(super) enum Runs {
    List(List),
    Map(Box<Map>),
}

/// A list takes as much memory as a bitmap with so many runs.
fn most_listed(length: u32) -> u32 {
    (length / 32).max(8)
}

/// A bitmap becomes a list again below so many: not at the same number, so that it does not go to and fro.
fn listed_again(length: u32) -> u32 {
    (length / 128).max(2)
}

macro_rules! either {
    ($runs:expr, $form:ident => $result:expr) => {
        match $runs {
            Runs::List($form) => $result,
            Runs::Map($form) => $result,
        }
    };
}

impl Runs {
    pub(super) fn of(run: Option<Ends>) -> Self {
        Runs::List(List::of(run.into_iter()))
    }

    pub(super) fn next_run(&self, from: u32) -> Option<Ends> {
        either!(self, form => form.next_run(from))
    }

    pub(super) fn next_long(&self, from: u32, least: u32) -> Option<Ends> {
        either!(self, form => form.next_long(from, least))
    }

    pub(super) fn each_long(&self, from: u32, least: u32, is_enough: impl FnMut(Ends) -> bool) {
        either!(self, form => form.each_long(from, least, is_enough));
    }

    pub(super) fn survey(&self, from: u32, below: u32, most: usize) -> Survey {
        either!(self, form => form.survey(from, below, most))
    }

    pub(super) fn longest(&self) -> u32 {
        either!(self, form => form.longest())
    }

    pub(super) fn take(&mut self, start: u32, end: u32) -> Option<Ends> {
        either!(self, form => form.take(start, end))
    }

    pub(super) fn give(&mut self, start: u32, end: u32) -> Option<Ends> {
        either!(self, form => form.give(start, end))
    }

    /// Takes the form for so many runs of a group of this length.
    pub(super) fn fit(&mut self, count: u32, length: u32) {
        let changed = match self {
            Runs::List(_) if count > most_listed(length) => Runs::Map(Box::new(Map::of(length, self.all()))),
            Runs::Map(_) if count < listed_again(length) => Runs::List(List::of(self.all())),
            _ => return,
        };
        *self = changed;
    }

    fn all(&self) -> impl Iterator<Item = Ends> {
        let mut from = 0;
        std::iter::from_fn(move || {
            let run = self.next_run(from)?;
            from = run.1;
            Some(run)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Random;

    const LENGTH: u32 = 4000;

    fn both(random: &mut Random, mean_blocks: u64) -> (Runs, Runs, Vec<Ends>) {
        let (mut runs, mut at) = (Vec::new(), random.below(3) as u32);
        while at < LENGTH {
            let end = (at + 1 + random.below(2 * mean_blocks) as u32).min(LENGTH);
            runs.push((at, end));
            at = end + 1 + random.below(2 * mean_blocks) as u32;
        }
        let map = Runs::Map(Box::new(Map::of(LENGTH, runs.iter().copied())));
        (Runs::List(List::of(runs.iter().copied())), map, runs)
    }

    /// What is asked of both forms, against the runs themselves.
    #[test]
    fn both_forms_find_the_same() {
        for seed in 0..60 {
            let mut random = Random::new(seed);
            let mean_blocks = [1, 3, 40, 300, 1200][seed as usize % 5];
            let (mut list, mut map, mut twin) = both(&mut random, mean_blocks);
            for _ in 0..60 {
                let (from, least) = (random.below(4001) as u32, 1 + random.below(3 * mean_blocks) as u32);
                let parts = || twin.iter().filter(|run| run.1 > from).map(|run| (run.0.max(from), run.1));
                let long = parts().find(|run| run.1 - run.0 >= least);
                let most = random.below(40) as usize;
                let short: Vec<Ends> = parts().take(most).take_while(|run| run.1 - run.0 < least).collect();
                let survey = Survey {
                    runs: short.len(),
                    longest: short.iter().map(|run| run.1 - run.0).max().unwrap_or(0),
                    next: short.last().map_or(from, |run| run.1),
                };
                let longest = twin.iter().map(|run| run.1 - run.0).max().unwrap_or(0);
                let all_long = || parts().filter(|run| run.1 - run.0 >= least);
                for form in [&list, &map] {
                    let mut found = Vec::new();
                    form.each_long(from, least, |run| {
                        found.push(run);
                        found.len() > most
                    });
                    assert!(all_long().take(most + 1).eq(found), "{least} from {from}");
                    assert_eq!(form.next_long(from, least), long, "{least} from {from}");
                    assert_eq!(form.survey(from, least, most), survey, "{least} from {from}");
                    assert_eq!(form.longest(), longest);
                    assert!(form.all().eq(twin.iter().copied()));
                }
                let Some(&(start, end)) = twin.get(random.below(twin.len() as u64 + 1) as usize) else {
                    continue;
                };
                let cut = start + random.below(u64::from(end - start)) as u32;
                assert_eq!(list.take(cut, end), Some((start, end)));
                assert_eq!(map.take(cut, end), Some((start, end)));
                assert_eq!((list.take(cut, end), map.take(cut, end)), (None, None));
                if random.below(2) == 0 {
                    twin.retain(|run| run.0 != start);
                    if cut > start {
                        twin.push((start, cut));
                        twin.sort_unstable();
                    }
                } else {
                    assert_eq!(
                        (list.give(cut, end), map.give(cut, end)),
                        (Some((start, end)), Some((start, end)))
                    );
                    assert_eq!((list.give(cut, end), map.give(cut, end)), (None, None));
                }
            }
        }
    }

    #[test]
    fn the_form_goes_with_the_number_of_runs() {
        let (mut runs, _, all) = both(&mut Random::new(1), 2);
        assert!(all.len() > 500);
        runs.fit(all.len() as u32, LENGTH);
        assert!(matches!(runs, Runs::Map(_)));
        runs.fit(40, LENGTH);
        assert!(matches!(runs, Runs::Map(_)));
        runs.fit(30, LENGTH);
        assert!(matches!(runs, Runs::List(_)));
        assert!(runs.all().eq(all));
    }
}
