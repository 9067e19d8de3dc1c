//! The search among groups: passes with criteria that become weaker, until something is found. It changes nothing.

use std::ops::RangeInclusive;

use super::criteria::Criteria;
use super::settings::{Release, Settings};
use crate::free_map::{Buddies, FreeMap, ListedBy, ORDERS, mean_order_of};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Continue,
    Found,
    /// Enough was looked at: the best so far it is.
    Break,
}

/// Blocks of one group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Chunk {
    pub(super) group: u32,
    pub(super) start: u32,
    pub(super) blocks: u32,
}

/// What is searched for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wish {
    /// Where it would be best, and how many blocks.
    pub(super) goal: Chunk,
    /// What was asked for, before the request was made larger.
    pub(super) wanted_blocks: u32,
    /// The goal's blocks once it was cut in vain: what the kernel restores.
    pub(super) restored_blocks: u32,
    /// Whether the goal itself is tried first.
    pub(super) try_goal: bool,
    /// Whether it is for a file's data.
    pub(super) data: bool,
    /// The group where the search for a stream begins.
    pub(super) stream_group: Option<u32>,
}

struct Search<'a> {
    space: &'a FreeMap,
    settings: &'a Settings,
    wish: Wish,
    /// The goal's blocks, which one pass cuts for a while.
    goal_blocks: u32,
    /// The order of a goal that is a power of two.
    order: Option<u32>,
    criteria: Criteria,
    state: State,
    best: Chunk,
    /// The best is the first run of its length from its place on, which is not looked for before it is known to be the best.
    best_is_behind: bool,
    /// Chunks that were looked at.
    found: u32,
}

/// Finds free blocks: at most as many as the goal has. None if nothing is free; the goal is then what the passes left of it.
pub(super) fn find(space: &FreeMap, settings: &Settings, wish: &mut Wish) -> Option<Chunk> {
    let mut search = Search {
        space,
        settings,
        wish: *wish,
        goal_blocks: wish.goal.blocks,
        order: None,
        criteria: Criteria::GoalFast,
        state: State::Continue,
        best: Chunk::default(),
        best_is_behind: false,
        found: 0,
    };
    search.run();
    let Search { best, goal_blocks, state, .. } = search;
    if state != State::Found {
        wish.goal.blocks = goal_blocks;
    }
    (state == State::Found).then(|| Chunk { blocks: best.blocks.min(goal_blocks), ..best })
}

/// Free blocks of a run from a place on, gathered buddy by buddy until there are enough: what is beyond the last buddy is not
/// seen. Up to the end of the buddy that holds the last block needed.
fn gathered(place: u32, (start, end): (u32, u32), needed: u32, largest_order: u32) -> u32 {
    let last = end.min(place + needed.max(1)) - 1;
    let order = Buddies::of(start, end).order_at(last).min(largest_order);
    (((last >> order) + 1) << order) - place
}

impl Search<'_> {
    fn run(&mut self) {
        if self.wish.try_goal {
            self.try_goal();
        }
        if self.state == State::Found {
            return;
        }
        let size_bits = u32::BITS - self.goal_blocks.leading_zeros();
        let fits = size_bits >= self.settings.order2_request && size_bits <= self.largest_order() + 1;
        self.order = (fits && size_bits > 1 && self.goal_blocks.is_power_of_two()).then(|| size_bits - 1);
        if let Some(group) = self.wish.stream_group {
            self.wish.goal.group = group;
        }
        self.criteria = if self.order.is_some() { Criteria::Power2Aligned } else { Criteria::GoalFast };
        while self.criteria != Criteria::Over && self.state == State::Continue {
            self.pass();
        }
        if self.best.blocks > 0 && self.state != State::Found {
            let Chunk { group, start, blocks } = self.best;
            if self.best_is_behind
                && let Some(run) = self.space.next_long_in_group(group, start, blocks)
            {
                self.best.start = run.0;
            }
            self.best.blocks = self.chunk_at(group, self.best.start, blocks);
            self.state = State::Found;
        }
    }

    fn try_goal(&mut self) {
        let goal = self.wish.goal;
        let blocks = self.chunk_at(goal.group, goal.start, self.goal_blocks);
        if blocks < self.goal_blocks {
            return;
        }
        let first = self.space.first_block(goal.group) + u64::from(goal.start);
        let stripe = self.settings.stripe_blocks;
        if self.goal_blocks != stripe || first.is_multiple_of(u64::from(stripe)) {
            self.found += 1;
            self.use_chunk(Chunk { blocks, ..goal });
        }
    }

    fn largest_order(&self) -> u32 {
        self.settings.largest_order()
    }

    /// The orders that the kernel counts as this one: the free space has larger ones than the kernel's largest.
    fn merged(&self, order: u32) -> RangeInclusive<u32> {
        order..=if order == self.largest_order() { ORDERS as u32 - 1 } else { order }
    }

    /// The order of the goal among means.
    fn mean_order(&self) -> u32 {
        mean_order_of(self.goal_blocks).min(self.largest_order())
    }

    /// Free blocks of a group from a place on, as they are gathered.
    fn chunk_at(&self, group: u32, place: u32, needed: u32) -> u32 {
        let run = self.space.next_in_group(group, place).filter(|run| run.0 <= place);
        run.map_or(0, |run| gathered(place, run, needed, self.largest_order()))
    }

    fn use_chunk(&mut self, chunk: Chunk) {
        (self.best, self.best_is_behind) = (chunk, false);
        self.state = State::Found;
    }

    /// A pass of Linux 6.1: the goal's group, a few behind it, then those that its lists name first.
    fn pass_by_lists(&mut self) {
        let groups = self.space.groups();
        let mut group = if self.wish.goal.group < groups { self.wish.goal.group } else { 0 };
        let mut linear_groups = self.settings.linear_groups;
        for _ in 0..groups {
            self.scan_group(group);
            if self.state != State::Continue {
                return;
            }
            let is_linear = !self.settings.ordered_groups || self.criteria.is_expensive();
            if is_linear || linear_groups > 0 {
                linear_groups = linear_groups.saturating_sub(1);
                group = if group + 1 >= groups { 0 } else { group + 1 };
                continue;
            }
            let Some(listed) = self.first_listed() else { break };
            group = listed;
        }
        self.criteria = match self.criteria {
            Criteria::GoalFast => Criteria::GoalSlow,
            other => other.next(),
        };
    }

    fn first_listed(&self) -> Option<u32> {
        let (by, least) = match self.criteria {
            Criteria::Power2Aligned => (ListedBy::Largest, self.order.unwrap_or(0)),
            _ => (ListedBy::Mean, self.mean_order()),
        };
        let is_good = |group| self.is_good(group);
        (least..ORDERS as u32).find_map(|order| self.space.first_listed(by, order, is_good))
    }

    /// One pass over the groups with one criteria, which is a weaker one afterwards.
    fn pass(&mut self) {
        if self.settings.release == Release::Linux6_1 {
            self.pass_by_lists();
            return;
        }
        let groups = self.space.groups();
        let mut start = self.wish.goal.group;
        if start >= groups {
            start = 0;
        }
        if !self.settings.ordered_groups || self.criteria.is_expensive() {
            self.scan_linearly(&mut start, groups);
            return;
        }
        if self.settings.linear_groups > 0 {
            self.scan_linearly(&mut start, self.settings.linear_groups);
        }
        if self.state != State::Continue {
            return;
        }
        match self.criteria {
            Criteria::Power2Aligned => self.scan_by_largest(start),
            Criteria::GoalFast => self.scan_by_mean(start),
            Criteria::BestAvailable => self.scan_trimmed(start),
            _ => {}
        }
    }

    fn scan_linearly(&mut self, start: &mut u32, count: u32) {
        let groups = self.space.groups();
        for _ in 0..count {
            self.scan_group(*start);
            if self.state != State::Continue {
                return;
            }
            *start = if *start + 1 >= groups { 0 } else { *start + 1 };
        }
        if count == groups {
            self.criteria = self.criteria.next();
            if self.criteria == Criteria::BestAvailable && self.settings.release == Release::Ldiskfs {
                self.criteria = Criteria::GoalSlow;
            }
        }
    }

    /// Groups from `start` to the last, then from the first to `start`.
    fn halves(&self, start: u32) -> impl Iterator<Item = (u32, u32)> + use<> {
        [(start, self.space.groups()), (0, start)].into_iter().filter(|half| half.0 < half.1)
    }

    fn scan_by_largest(&mut self, start: u32) {
        let space = self.space;
        for (from, to) in self.halves(start) {
            for order in self.order.unwrap_or(0)..=self.largest_order() {
                let orders = self.merged(order);
                self.scan_set(from, to, |at| {
                    orders.clone().filter_map(|order| space.next_of_largest(order, at)).min()
                });
                if self.state != State::Continue {
                    return;
                }
            }
        }
        self.criteria = Criteria::GoalFast;
    }

    fn scan_by_mean(&mut self, start: u32) {
        let (space, least) = (self.space, self.goal_blocks);
        for (from, to) in self.halves(start) {
            for order in self.mean_order()..=self.largest_order() {
                let orders = self.merged(order);
                self.scan_set(from, to, |at| {
                    orders.clone().filter_map(|order| space.next_of_mean(order, least, at)).min()
                });
                if self.state != State::Continue {
                    return;
                }
            }
        }
        self.criteria = if self.wish.data { Criteria::BestAvailable } else { Criteria::GoalSlow };
    }

    /// The goal is cut to smaller and smaller powers of two, but not below what was asked for.
    fn scan_trimmed(&mut self, start: u32) {
        let (space, stripe) = (self.space, self.settings.stripe_blocks);
        let order = self.goal_blocks.ilog2();
        let mut least = order.saturating_sub(self.settings.trim_orders);
        if stripe > 0 && 1 << least < stripe {
            least = stripe.ilog2();
        }
        if 1 << least < self.wish.wanted_blocks {
            least = u32::BITS - self.wish.wanted_blocks.leading_zeros();
        }
        for (from, to) in self.halves(start) {
            for order in (least..=order).rev() {
                self.goal_blocks = 1 << order;
                if stripe > 0 {
                    self.goal_blocks = self.goal_blocks.next_multiple_of(stripe);
                }
                let least = self.goal_blocks;
                let orders = self.merged(self.mean_order());
                self.scan_set(from, to, |at| {
                    orders.clone().filter_map(|order| space.next_of_mean(order, least, at)).min()
                });
                if self.state != State::Continue {
                    return;
                }
            }
        }
        self.goal_blocks = self.wish.restored_blocks;
        self.criteria = Criteria::GoalSlow;
    }

    fn scan_set(&mut self, from: u32, to: u32, next: impl Fn(u32) -> Option<u32>) {
        let mut at = from;
        while let Some(group) = next(at).filter(|group| *group < to) {
            self.scan_group(group);
            if self.state != State::Continue {
                return;
            }
            at = group + 1;
        }
    }

    fn scan_group(&mut self, group: u32) {
        if !self.is_good(group) {
            return;
        }
        if self.criteria == Criteria::Power2Aligned {
            self.scan_buddies(group);
            return;
        }
        let stripe = self.settings.stripe_blocks;
        if !self.criteria.is_expensive() && stripe > 0 && self.goal_blocks.is_multiple_of(stripe) {
            self.scan_aligned(group);
            if self.settings.release == Release::Linux6_1 {
                return;
            }
        }
        if self.state == State::Continue {
            self.scan_runs(group);
        }
    }

    fn is_good(&self, group: u32) -> bool {
        match self.criteria {
            Criteria::Power2Aligned => {
                // The first group of a flex group is left to directories and the file system's own blocks.
                let flex = self.settings.flex_groups;
                let reserved = self.wish.data && flex >= 4 && group.is_multiple_of(flex);
                !reserved && self.space.largest_in_group(group) >= self.order
            }
            // Below, a group that has no free block has a mean of 0, and a goal is above it.
            Criteria::GoalFast | Criteria::BestAvailable => {
                self.space.mean_in_group(group) >= self.goal_blocks
            }
            Criteria::GoalSlow => self.space.free_in_group(group) >= self.goal_blocks,
            Criteria::AnyFree | Criteria::Over => self.space.free_in_group(group) > 0,
        }
    }

    fn scan_buddies(&mut self, group: u32) {
        let tally = self.space.tally(group);
        let has = |order: u32| tally.buddies[order as usize] > 0;
        let smallest =
            (self.order.unwrap_or(0)..=self.largest_order()).find(|&order| self.merged(order).any(has));
        if let Some(order) = smallest
            && let Some(start) = self
                .merged(order)
                .filter(|&order| has(order))
                .filter_map(|order| self.space.first_buddy(group, order))
                .min()
        {
            self.found += 1;
            self.use_chunk(Chunk { group, start, blocks: 1 << order });
        }
    }

    fn scan_aligned(&mut self, group: u32) {
        let stripe = self.settings.stripe_blocks;
        let first = self.space.first_block(group);
        let mut start = (first.next_multiple_of(u64::from(stripe)) - first) as u32;
        while start < self.space.length(group) {
            let blocks = self.chunk_at(group, start, stripe);
            if blocks >= stripe {
                self.found += 1;
                self.use_chunk(Chunk { group, start, blocks });
                return;
            }
            start += stripe;
        }
    }

    fn scan_runs(&mut self, group: u32) {
        // Linux 6.1 looks at what is too short as well.
        if self.criteria.is_expensive() || self.settings.release == Release::Linux6_1 {
            self.scan_all_runs(group);
        } else {
            // What is shorter than the goal cannot be the best here.
            let (from, least) = (self.space.first_free(group), self.goal_blocks);
            self.space.each_long_in_group(group, from, least, |run| self.measure_pieces(group, run));
        }
        self.check_limits(true);
    }

    fn scan_all_runs(&mut self, group: u32) {
        let mut at = self.space.first_free(group);
        while self.state == State::Continue {
            if self.best.blocks < self.goal_blocks {
                at = self.measure_short(group, at);
                if self.state != State::Continue {
                    return;
                }
            }
            let Some(run) = self.space.next_in_group(group, at) else { return };
            at = at.max(run.0);
            let blocks = gathered(at, run, self.goal_blocks, self.largest_order());
            self.measure(Chunk { group, start: at, blocks });
            at += blocks;
        }
    }

    /// Measures the pieces of a run that have the goal's length, one behind the other: the first of exactly that, else the
    /// shortest, once there are enough. Whether it is enough then.
    fn measure_pieces(&mut self, group: u32, run: (u32, u32)) -> bool {
        let (goal, largest, buddies) = (self.goal_blocks, self.largest_order(), Buddies::of(run.0, run.1));
        let (mut at, mut found, mut best) = (run.0, self.found, self.best);
        let enough = self.settings.min_to_scan.min(self.settings.max_to_scan);
        while run.1 - at >= goal {
            // As `gathered`: up to the end of the buddy that holds the last block needed.
            let last = at + goal - 1;
            let order = buddies.order_at(last).min(largest);
            let blocks = (((last >> order) + 1) << order) - at;
            let is_first = best.blocks == 0;
            found += 1;
            if blocks == goal || best.blocks < goal || blocks < best.blocks {
                (best, self.best_is_behind) = (Chunk { group, start: at, blocks }, false);
                if blocks == goal {
                    self.state = State::Found;
                    break;
                }
            }
            if found > enough && !is_first {
                let is_over = found > self.settings.max_to_scan;
                self.state = if is_over { State::Break } else { State::Found };
                break;
            }
            at += blocks;
        }
        (self.found, self.best) = (found, best);
        self.state != State::Continue
    }

    /// Measures all runs up to the first that is as long as the goal: the first of the longest is what counts, while the
    /// best so far is no such run. Gives the place behind them.
    fn measure_short(&mut self, group: u32, at: u32) -> u32 {
        // The one after which it is enough; limits are not looked at after the first of all.
        let limit = self.settings.max_to_scan.max(u32::from(self.best.blocks == 0 && self.found == 0));
        let most = (limit + 1).saturating_sub(self.found).max(1);
        let survey = self.space.survey(group, at, self.goal_blocks, most as usize);
        self.found += survey.runs as u32;
        if survey.longest > self.best.blocks {
            (self.best, self.best_is_behind) = (Chunk { group, start: at, blocks: survey.longest }, true);
        }
        if self.found > 1 {
            self.check_limits(false);
        }
        survey.next
    }

    /// Keeps the longest while all are short of the goal, then the shortest that is not.
    fn measure(&mut self, chunk: Chunk) {
        self.found += 1;
        if chunk.blocks == self.goal_blocks {
            self.use_chunk(chunk);
            return;
        }
        if self.best.blocks == 0 {
            (self.best, self.best_is_behind) = (chunk, false);
            return;
        }
        let better = if self.best.blocks < self.goal_blocks {
            chunk.blocks > self.best.blocks
        } else {
            chunk.blocks > self.goal_blocks && chunk.blocks < self.best.blocks
        };
        if better {
            (self.best, self.best_is_behind) = (chunk, false);
        }
        self.check_limits(false);
    }

    fn check_limits(&mut self, group_is_over: bool) {
        if self.state == State::Found {
            return;
        }
        if self.found > self.settings.max_to_scan {
            self.state = State::Break;
        } else if self.best.blocks >= self.goal_blocks
            && (group_is_over || self.found > self.settings.min_to_scan)
        {
            self.state = State::Found;
        }
    }
}
