//! The crew: threads that read, while this one tells how far they are and looks whether anybody listens.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use fsgauge_wire::{Event, Failure, Listener, Outcome, ScanProgress, Stop};

use crate::progress::Progress;

/// How often progress is told.
const TICK: Duration = Duration::from_millis(250);

/// Who reads, and who hears of it.
pub(crate) struct Crew<'a> {
    threads: usize,
    listener: &'a mut dyn Listener,
    stop: Stop,
    /// Files to come, where that is known.
    pub(crate) of_files: Option<u64>,
}

impl<'a> Crew<'a> {
    pub(crate) fn new(threads: usize, listener: &'a mut dyn Listener, stop: Stop) -> Self {
        Crew { threads, listener, stop, of_files: None }
    }

    pub(crate) fn threads(&self) -> usize {
        self.threads
    }

    pub(crate) fn stop(&self) -> Stop {
        self.stop
    }

    /// Runs `work` on so many threads, each with counters of its own, and gives what each came to. A thread that
    /// cannot be started is done without, as long as there is one.
    pub(crate) fn run<T: Send>(
        &mut self,
        threads: usize,
        work: impl Fn(&Progress) -> T + Sync,
    ) -> Outcome<Vec<T>> {
        let progress: Vec<Progress> = (0..threads.max(1)).map(|_| Progress::default()).collect();
        let (sender, results) = channel();
        std::thread::scope(|scope| {
            let mut found = Vec::with_capacity(progress.len());
            let mut refused = None;
            for (number, progress) in progress.iter().enumerate() {
                let (sender, work) = (sender.clone(), &work);
                let thread = std::thread::Builder::new().name(format!("scan-{number}"));
                // The other end is there until all have sent.
                let run = move || drop(sender.send(work(progress)));
                if let Err(error) = thread.spawn_scoped(scope, run) {
                    refused = Some(error);
                    break;
                }
            }
            drop(sender);
            loop {
                match results.recv_timeout(TICK) {
                    Ok(result) => found.push(result),
                    Err(RecvTimeoutError::Timeout) => self.tell(&progress),
                    Err(RecvTimeoutError::Disconnected) => break,
                }
            }
            match refused.filter(|_| found.is_empty()) {
                Some(error) => Err(no_thread(&error)),
                None => Ok(found),
            }
        })
    }

    /// Says how far the scan is; when nobody listens, it ends.
    fn tell(&mut self, progress: &[Progress]) {
        let (files, extents) = Progress::sum(progress);
        let event = Event::ScanProgress(ScanProgress { files, of_files: self.of_files, extents });
        if self.listener.event(event).is_err() || self.listener.gone() {
            self.stop.set();
        }
    }
}

fn no_thread(error: &std::io::Error) -> Failure {
    Failure::system(
        "threads",
        error.raw_os_error(),
        format!("no thread of the scan can be started: {error}"),
        "a limit on processes is reached",
        "ulimit -u",
    )
}
