//! What the loads of a mix tell while they run: intervals are added up, everything else is passed on.

use std::collections::BTreeMap;
use std::io;
use std::sync::mpsc::Sender;

use fsgauge_wire::{Event, Interval, Listener, LoadJob, Stop};

use crate::instruments::send_event;

/// The listener of one load: it tells the mix.
pub(crate) struct Told {
    number: usize,
    mix: Sender<(usize, Event)>,
}

impl Told {
    pub(crate) fn new(number: usize, mix: Sender<(usize, Event)>) -> Self {
        Told { number, mix }
    }
}

impl Listener for Told {
    fn event(&mut self, event: Event) -> io::Result<()> {
        self.mix.send((self.number, event)).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

/// Intervals of all loads by when they began; one is told when no load can add to it any more.
pub(crate) struct Gathered {
    begin_ns: Vec<u64>,
    /// Up to where each load has told; the end where it tells no more.
    told_up_to_ns: Vec<u64>,
    end_ns: Vec<u64>,
    waiting: BTreeMap<u64, Interval>,
}

impl Gathered {
    pub(crate) fn new(loads: &[LoadJob]) -> Self {
        let begin_ns: Vec<u64> = loads.iter().map(|load| load.start_after_ns).collect();
        let end_ns =
            loads.iter().map(|load| load.start_after_ns + load.warm_up_ns + load.duration_ns).collect();
        Gathered { told_up_to_ns: begin_ns.clone(), begin_ns, end_ns, waiting: BTreeMap::new() }
    }

    /// Takes an event of load `number`.
    pub(crate) fn pass_on(&mut self, number: usize, event: Event, listener: &mut dyn Listener, stop: &Stop) {
        let Event::Interval(interval) = event else {
            return send_event(listener, stop, event);
        };
        let start_ns = self.begin_ns[number] + interval.start_ns;
        self.told_up_to_ns[number] = start_ns + interval.elapsed_ns;
        let sum = self.waiting.entry(start_ns).or_insert(Interval {
            start_ns,
            read: Default::default(),
            write: Default::default(),
            ..interval
        });
        sum.elapsed_ns = sum.elapsed_ns.max(interval.elapsed_ns);
        sum.read.add(&interval.read);
        sum.write.add(&interval.write);
        let ended = |(told, end): (&u64, &u64)| if told >= end { u64::MAX } else { *told };
        let complete_ns = self.told_up_to_ns.iter().zip(&self.end_ns).map(ended).min().unwrap_or(0);
        while let Some(first) = self.waiting.first_entry().filter(|first| *first.key() < complete_ns) {
            send_event(listener, stop, Event::Interval(first.remove()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsgauge_wire::IntervalCount;

    #[derive(Default)]
    struct Heard(Vec<(u64, u64)>);

    impl Listener for Heard {
        fn event(&mut self, event: Event) -> io::Result<()> {
            if let Event::Interval(interval) = event {
                self.0.push((interval.start_ns, interval.read.operations));
            }
            Ok(())
        }
    }

    #[test]
    fn intervals_of_all_loads_are_told_once() {
        let late = LoadJob { start_after_ns: 10, duration_ns: 10, ..LoadJob::plain() };
        let mut gathered = Gathered::new(&[LoadJob { duration_ns: 20, ..LoadJob::plain() }, late]);
        let (mut heard, stop) = (Heard::default(), Stop::never());
        let mut tell = |number, start_ns, operations| {
            let read = IntervalCount { operations, ..IntervalCount::default() };
            let interval = Interval { start_ns, elapsed_ns: 10, read, ..Interval::default() };
            gathered.pass_on(number, Event::Interval(interval), &mut heard, &stop);
        };
        tell(0, 0, 5);
        tell(0, 10, 7);
        tell(1, 0, 2);
        assert_eq!(heard.0, [(0, 5), (10, 9)]);
    }
}
