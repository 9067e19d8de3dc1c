//! Answers: counted, and the lane is queued, put to think, or finished.

use fsgauge_load::Pace;
use fsgauge_net::{Answer, Target, message_of};
use fsgauge_wire::{BadRecord, ClientErrorKind, ClientOperation, Recorder};

use super::EventLoop;
use super::client_directory::DirectoryState;
use crate::client::{FileProgress, OperationProgress};
use crate::wake_queue::think_time_ns;

/// How often in a row a request is repeated after EAGAIN or EINTR.
const RETRY_LIMIT: u32 = 1000;

impl<T: Target> EventLoop<'_, T> {
    /// Takes the answer of a lane: counts it and decides what the lane does next.
    #[inline(always)]
    pub(super) fn answered(&mut self, lane: u32, answer: Answer, at_ns: u64) {
        if at_ns >= self.window.next_ns {
            self.cross(at_ns);
        }
        if self.times[lane as usize].directory == DirectoryState::Creating {
            return self.directory_created(lane, answer, at_ns);
        }
        let plan = self.context.plan;
        let operation = self.lanes[lane as usize].operation();
        let (is_counted, is_draining) = (!self.is_cleaning_up, self.is_draining());
        let times = &mut self.times[lane as usize];
        if is_again(answer) && times.retries < RETRY_LIMIT {
            times.retries += 1;
            self.tally.of(operation).retries += 1;
            self.ready.push_back(lane);
            return;
        }
        times.retries = 0;
        let is_record = matches!(operation, ClientOperation::Read | ClientOperation::Write);
        if is_record && answer > 0 && is_counted {
            self.transferred(lane, operation, answer as u64);
        }
        let state = &mut self.lanes[lane as usize];
        let member = &mut self.clients[state.client as usize];
        let times = &mut self.times[lane as usize];
        let progress = state.answer(plan, &mut member.client, answer);
        times.service_ns += at_ns - times.started_ns;
        match progress.operation {
            OperationProgress::Pending => return self.ready.push_back(lane),
            OperationProgress::Done if is_counted => {
                let response_ns = at_ns.saturating_sub(times.asked_ns);
                self.tally.of(operation).record(response_ns, times.service_ns);
                self.drained.operations += u64::from(is_draining);
                member.count.operations += u64::from(is_record);
            }
            OperationProgress::Failed(kind) if is_counted => {
                let path = || state.path(plan, &member.client, operation);
                self.tally.error(operation, kind, at_ns, || (path(), words(kind, answer)));
            }
            _ => {}
        }
        (times.asked_ns, times.service_ns) = (at_ns, 0);
        if times.directory == DirectoryState::Failed && progress.file == FileProgress::GivenUp {
            times.directory = DirectoryState::Missing;
        }
        match progress.file {
            FileProgress::Pending if is_draining => self.lane_ended(lane, at_ns),
            FileProgress::Pending => self.ready.push_back(lane),
            FileProgress::Whole => {
                self.tally.files += u64::from(is_counted);
                if let Some(pace) = self.paces.get(lane as usize).filter(|_| is_counted) {
                    let response = self.tally.file_response.get_or_insert_with(Recorder::default);
                    response.record(at_ns.saturating_sub(pace.due_ns()), 1);
                }
                self.file_done(lane, at_ns);
            }
            FileProgress::GivenUp => {
                self.tally.files_given_up += u64::from(is_counted);
                self.file_done(lane, at_ns);
            }
        }
    }

    /// A record or a part of one was transferred: counts its bytes, and verifies what was read.
    #[inline]
    fn transferred(&mut self, lane: u32, operation: ClientOperation, size_bytes: u64) {
        let plan = self.context.plan;
        let state = &self.lanes[lane as usize];
        let member = &mut self.clients[state.client as usize];
        self.tally.of(operation).size_bytes += size_bytes;
        member.count.size_bytes += size_bytes;
        if operation == ClientOperation::Write || !plan.job.verify {
            return;
        }
        let (number, offset_bytes) = (state.number(&member.client), state.offset_bytes());
        let record = match plan.makes_reads {
            true => self.records.record(&plan.contents, number, offset_bytes, size_bytes as usize),
            false => &self.target.incoming(lane)[..size_bytes as usize],
        };
        self.tally.checked_records += 1;
        if let Some(first_byte) = plan.contents.first_difference(number, offset_bytes, record) {
            let path = || state.path(plan, &member.client, operation);
            self.tally.bad_record(|| BadRecord { path: path(), offset_bytes, first_byte });
        }
        // The comparison is not part of the next operation's time.
        self.now_ns = self.context.clock.now_ns();
    }

    /// A lane has finished a file: it takes the next, when it is due or after the think time if there is either.
    #[inline(always)]
    fn file_done(&mut self, lane: u32, at_ns: u64) {
        let plan = self.context.plan;
        let is_draining = self.is_draining();
        let state = &mut self.lanes[lane as usize];
        if !state.has_more(plan, &self.clients[state.client as usize].client) {
            return self.finished(lane, at_ns);
        }
        if is_draining {
            return self.lane_ended(lane, at_ns);
        }
        let next_ns = if let Some(pace) = self.paces.get_mut(lane as usize) {
            pace.advance();
            pace.due_ns()
        } else if let Some(think) = &plan.job.think {
            at_ns + think_time_ns(think, state.random())
        } else {
            return self.ready.push_back(lane);
        };
        let times = &mut self.times[lane as usize];
        if next_ns <= at_ns && !self.paces.is_empty() {
            times.asked_ns = next_ns;
            return self.ready.push_back(lane);
        }
        if !self.is_cleaning_up {
            self.in_flight_ns += at_ns.saturating_sub(times.since_ns);
        }
        (times.is_thinking, times.since_ns) = (true, at_ns);
        self.wake_queue.add(next_ns, lane);
    }

    /// A lane has finished.
    pub(super) fn finished(&mut self, lane: u32, at_ns: u64) {
        self.left -= 1;
        let member = &mut self.clients[self.lanes[lane as usize].client as usize];
        member.lanes_left -= 1;
        if self.is_cleaning_up {
            return;
        }
        if member.lanes_left == 0 {
            member.count.end_ns = Some(at_ns);
        }
        if self.is_draining() {
            return self.lane_ended(lane, at_ns);
        }
        let times = &mut self.times[lane as usize];
        self.in_flight_ns += at_ns.saturating_sub(times.since_ns);
        times.since_ns = u64::MAX;
    }
}

/// Whether a request is repeated.
#[inline]
fn is_again(answer: Answer) -> bool {
    answer == -Answer::from(libc::EAGAIN) || answer == -Answer::from(libc::EINTR)
}

fn words(kind: ClientErrorKind, answer: Answer) -> String {
    match (kind, answer) {
        (ClientErrorKind::Short, _) => "the file ended before its size".into(),
        _ => message_of(-answer as i32),
    }
}
