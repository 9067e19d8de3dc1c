//! What is done with an answer: its lane is told, it is counted, and the lane goes where it goes next.

use fsgauge_net::{Answer, Target, message_of};
use fsgauge_wire::{BadRecord, ClientErrorKind, ClientOperation};

use super::EventLoop;
use super::late::Place;
use crate::client::{FileOver, Over};
use crate::rests::length_ns;

/// So often in a row a request is made again after EAGAIN or EINTR.
const RETRY_LIMIT: u32 = 1000;

impl<T: Target> EventLoop<'_, T> {
    /// Tells a lane its answer, counts, and sends it where it goes next.
    #[inline]
    pub(super) fn told(&mut self, lane: u32, answer: Answer, at_ns: u64) {
        if at_ns >= self.window.next_ns {
            self.cross(at_ns);
        }
        if self.times[lane as usize].place == Place::Making {
            return self.place_made(lane, answer, at_ns);
        }
        let plan = self.around.plan;
        let operation = self.lanes[lane as usize].operation();
        let (is_counted, is_draining) = (!self.is_tidying, self.is_draining());
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
            self.moved(lane, operation, answer as u64);
        }
        let state = &mut self.lanes[lane as usize];
        let member = &mut self.clients[state.client as usize];
        let times = &mut self.times[lane as usize];
        let told = state.answer(plan, &mut member.client, answer);
        times.service_ns += at_ns - times.started_ns;
        match told.operation {
            Over::No => return self.ready.push_back(lane),
            Over::Done if is_counted => {
                let response_ns = at_ns.saturating_sub(times.asked_ns);
                self.tally.of(operation).record(response_ns, times.service_ns);
                self.drained.operations += u64::from(is_draining);
                member.count.operations += u64::from(is_record);
            }
            Over::Failed(kind) if is_counted => {
                let path = || state.path(plan, &member.client, operation);
                self.tally.error(operation, kind, at_ns, || (path(), words(kind, answer)));
            }
            _ => {}
        }
        (times.asked_ns, times.service_ns) = (at_ns, 0);
        if times.place == Place::Failed && told.file == FileOver::GivenUp {
            times.place = Place::Missing;
        }
        match told.file {
            FileOver::No if is_draining => self.late(lane, at_ns),
            FileOver::No => self.ready.push_back(lane),
            FileOver::Whole => {
                self.tally.files += u64::from(is_counted);
                self.file_over(lane, at_ns);
            }
            FileOver::GivenUp => {
                self.tally.files_given_up += u64::from(is_counted);
                self.file_over(lane, at_ns);
            }
        }
    }

    /// A record was moved, or a part of one: counts its bytes, and looks at what was read.
    #[inline]
    fn moved(&mut self, lane: u32, operation: ClientOperation, size_bytes: u64) {
        let plan = self.around.plan;
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
        // What comes next is not to pay for the comparison.
        self.now_ns = self.around.clock.now_ns();
    }

    /// A lane is through with a file: it takes the next, after a rest where clients think.
    fn file_over(&mut self, lane: u32, at_ns: u64) {
        let plan = self.around.plan;
        let is_draining = self.is_draining();
        let state = &mut self.lanes[lane as usize];
        if !state.has_more(plan, &self.clients[state.client as usize].client) {
            return self.through(lane, at_ns);
        }
        if is_draining {
            return self.late(lane, at_ns);
        }
        let Some(think) = &plan.job.think else { return self.ready.push_back(lane) };
        let times = &mut self.times[lane as usize];
        if !self.is_tidying {
            self.in_flight_ns += at_ns.saturating_sub(times.since_ns);
        }
        (times.rests, times.since_ns) = (true, at_ns);
        self.rests.add(at_ns + length_ns(think, state.random()), lane);
    }

    /// A lane has no more to do.
    pub(super) fn through(&mut self, lane: u32, at_ns: u64) {
        self.left -= 1;
        let member = &mut self.clients[self.lanes[lane as usize].client as usize];
        member.lanes_left -= 1;
        if self.is_tidying {
            return;
        }
        if member.lanes_left == 0 {
            member.count.end_ns = Some(at_ns);
        }
        if self.is_draining() {
            return self.late(lane, at_ns);
        }
        let times = &mut self.times[lane as usize];
        self.in_flight_ns += at_ns.saturating_sub(times.since_ns);
        times.since_ns = u64::MAX;
    }
}

/// Whether a request is made again.
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
