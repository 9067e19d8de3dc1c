//! What the keys of a load must be that a mix is made of: rarer orders, rests and bursts, operations on a file set.

use std::num::NonZeroU32;

use fsgauge_wire::{
    Access, Data, Failure, FileOperation, Interface, LoadJob, Ranges, Sync, Target, Transfer,
};

use crate::check_transfer::aligned;
use crate::target::Geometry;

type Check = Result<(), Failure>;

fn refuse(key: &str, what: impl Into<String>, cause: &str, next: &str) -> Check {
    Err(Failure::job(key, what, cause, next))
}

/// Checks them.
pub(crate) fn check_mixed(load: &LoadJob) -> Check {
    check_order(load)?;
    check_files_per_job(load)?;
    check_turns(load)?;
    check_apart(load)?;
    check_hashed(load)?;
    check_write_sizes(load)?;
    check_align(load)?;
    check_full(load)?;
    check_data(load)?;
    check_pace(load)?;
    if load.operations.is_empty() {
        return match load.file_sizes {
            None => Ok(()),
            Some(_) => {
                refuse("file_sizes", "file_sizes without operations", "plain files are equal", "leave it out")
            }
        };
    }
    check_operations(load)?;
    check_calls(load)
}

fn check_order(load: &LoadJob) -> Check {
    match &load.access {
        Access::Pareto { h } if !(*h > 0.0 && *h < 1.0) => refuse(
            "access",
            format!("h {h} is not above 0 and below 1"),
            "it is a share",
            "choose for example 0.2",
        ),
        Access::Normal { deviation_percent } if !(1..=100).contains(deviation_percent) => refuse(
            "access",
            format!("deviation_percent {deviation_percent} is not between 1 and 100"),
            "it is a share of the target",
            "choose for example 20",
        ),
        Access::Zones { zones } => {
            let sum: u32 = zones.iter().map(|zone| u32::from(zone.size_percent)).sum();
            if sum == 100 && zones.iter().all(|zone| zone.weight > 0 && zone.size_percent > 0) {
                return Ok(());
            }
            let what = format!("zones of {sum} percent of the target, or one that is never drawn");
            refuse("access", what, "zones are the whole target", "sizes that add up to 100, weights above 0")
        }
        Access::Strided { stride_bytes } if *stride_bytes < u64::from(load.largest_block_bytes()) => refuse(
            "access",
            format!("stride_bytes {stride_bytes} is below the block size {}", load.largest_block_bytes()),
            "operations would overlap",
            "choose a larger stride",
        ),
        Access::Sequential {} | Access::Backwards {} | Access::Strided { .. }
            if load.random_percent.is_some() =>
        {
            refuse(
                "random_percent",
                "random_percent with an order that is not random",
                "nothing is drawn",
                "leave it out",
            )
        }
        _ if load.random_percent.is_some_and(|percent| percent > 100) => {
            refuse("random_percent", "random_percent is above 100", "it is a share", "choose 0 to 100")
        }
        _ => Ok(()),
    }
}

fn check_write_sizes(load: &LoadJob) -> Check {
    if load.write_block_sizes.is_empty() {
        return Ok(());
    }
    let hinders = [
        ("reads or writes alone", !(1..100).contains(&load.read_percent)),
        ("ranges", load.ranges.is_some()),
        ("transfer", load.transfer != Transfer::Whole),
        ("hot places", matches!(load.access, Access::Zipf { .. } | Access::Pareto { .. })),
    ];
    if let Some((name, _)) = hinders.into_iter().find(|(_, hinders)| *hinders) {
        let what = format!("write_block_sizes with {name}");
        let cause = "reads and writes of different sizes need places of their own";
        return refuse("write_block_sizes", what, cause, "leave it out, or a load of each");
    }
    Ok(())
}

fn check_align(load: &LoadJob) -> Check {
    let Some(align) = load.align_bytes.map(NonZeroU32::get) else { return Ok(()) };
    let walks = matches!(load.access, Access::Sequential {} | Access::Backwards {} | Access::Strided { .. });
    let hinders = [
        ("an order that is not random", walks || load.random_percent.is_some_and(|percent| percent < 100)),
        ("ranges", load.ranges.is_some()),
        ("operations", !load.operations.is_empty()),
    ];
    if let Some((name, _)) = hinders.into_iter().find(|(_, hinders)| *hinders) {
        let what = format!("align_bytes with {name}");
        return refuse("align_bytes", what, "not every offset is drawn", "leave it out");
    }
    if load.direct { aligned(u64::from(align), "align_bytes", 512) } else { Ok(()) }
}

fn check_files_per_job(load: &LoadJob) -> Check {
    let Some(files) = load.files_per_job.map(NonZeroU32::get) else { return Ok(()) };
    let (count, needed) = (Geometry::of(&load.target).files, u64::from(files) * u64::from(load.jobs));
    let is_dealt = load.ranges.is_some() && load.files_in_turn.is_none();
    if is_dealt || !load.operations.is_empty() || u64::from(count) != needed {
        return refuse(
            "files_per_job",
            format!("files_per_job {files} of {} jobs on {count} files", load.jobs),
            "each job has its own, and all of them are used; ranges and operations deal them otherwise",
            "as many files as jobs times files_per_job",
        );
    }
    Ok(())
}

fn check_turns(load: &LoadJob) -> Check {
    if load.files_in_turn.is_none() {
        return Ok(());
    }
    let files = load.files_per_job.map_or(Geometry::of(&load.target).files, NonZeroU32::get);
    let hinders = [
        ("one file", files < 2),
        ("operations", !load.operations.is_empty()),
        ("ranges that are dealt", load.ranges.is_some_and(|ranges| ranges != Ranges::Shared {})),
        ("passes", load.passes.is_some()),
        ("extend", load.extend),
        ("verify", load.verify),
        ("wear_out", load.wear_out),
        ("only_existing", load.only_existing),
        ("jobs_of_all", load.jobs_of_all.is_some()),
    ];
    let Some((name, _)) = hinders.into_iter().find(|(_, hinders)| *hinders) else { return Ok(()) };
    let cause = "several files have their turns, and nothing that counts the places of all of them";
    refuse("files_in_turn", format!("files_in_turn with {name}"), cause, "leave it out")
}

fn check_apart(load: &LoadJob) -> Check {
    let is_in_order =
        matches!(load.access, Access::Sequential {} | Access::Backwards {} | Access::Strided { .. });
    let goes_on = is_in_order || load.random_percent.is_some_and(|percent| percent < 100);
    let is_mixed = (1..100).contains(&load.read_percent);
    if load.apart && !(goes_on && is_mixed && load.ranges.is_none()) {
        let what = "apart without reads and writes that go on from somewhere";
        return refuse("apart", what, "each offset is drawn, or all are of one kind", "leave it out");
    }
    Ok(())
}

fn check_hashed(load: &LoadJob) -> Check {
    if load.hashed && !matches!(load.access, Access::Zipf { .. } | Access::Pareto { .. }) {
        let cause = "only zipf and pareto have hot places anywhere";
        return refuse("hashed", "hashed without hot places", cause, "leave it out");
    }
    Ok(())
}

fn check_full(load: &LoadJob) -> Check {
    if load.continue_when_full && (load.verify || load.read_percent == 100) {
        let cause = "nothing is refused that only reads, and what is verified has to be written";
        let what = "continue_when_full without writes, or with verify";
        return refuse("continue_when_full", what, cause, "leave it out");
    }
    if load.continue_when_full && (load.size_limit_bytes.is_some() || load.passes.is_some()) {
        let what = "continue_when_full in a load that ends by bytes";
        let cause = "what is refused moves no bytes: it might never end";
        return refuse("continue_when_full", what, cause, "let it end by time");
    }
    Ok(())
}

fn check_data(load: &LoadJob) -> Check {
    let (duplicates, zeros) = match load.data {
        Data::Duplicated { duplicate_percent, compressible_percent } => {
            (duplicate_percent, compressible_percent)
        }
        Data::Compressible { compressible_percent } => (0, compressible_percent),
        Data::Incompressible | Data::Zero => (0, 0),
    };
    if duplicates > 100 || zeros > 100 {
        let what = format!("{} percent of the data", duplicates.max(zeros));
        return refuse("data", what, "it is a share", "choose 0 to 100");
    }
    if duplicates > 0 && load.verify {
        return refuse(
            "data",
            "duplicates in data that is verified",
            "each sector says where it belongs, so none is like another",
            "verify=false",
        );
    }
    Ok(())
}

fn check_pace(load: &LoadJob) -> Check {
    if load.burst.is_some() && load.rate.is_none() {
        return refuse(
            "burst",
            "burst without a rate",
            "nothing is due together",
            "give a rate, or leave it out",
        );
    }
    if load.rest.is_some() && (load.rate.is_some() || load.queue_depth > 1) {
        return refuse(
            "rest",
            "rest with a rate or a queue",
            "others are due or under way meanwhile",
            "queue_depth 1 without a rate",
        );
    }
    Ok(())
}

fn check_operations(load: &LoadJob) -> Check {
    let drawn = |operation| load.operations.iter().any(|each| each.operation == operation);
    let is_never =
        load.operations.iter().find(|each| each.weight == 0 || each.operation == FileOperation::Close);
    if let Some(each) = is_never {
        let what = format!("{:?} has weight {}", each.operation, each.weight);
        return refuse("operations", what, "it is never drawn, or no operation of its own", "leave it out");
    }
    if drawn(FileOperation::Create) != drawn(FileOperation::Unlink) {
        return refuse(
            "operations",
            "create and unlink are not both there",
            "files are made in the places of those that were removed",
            "give both, with equal weights",
        );
    }
    Ok(())
}

fn check_calls(load: &LoadJob) -> Check {
    let asked = [
        ("interface", load.interface != Interface::Psync),
        ("queue_depth", load.queue_depth > 1),
        ("direct", load.direct),
        ("access", load.access != Access::Random {} || load.random_percent.is_some()),
        ("ranges", load.ranges.is_some()),
        ("sync", !matches!(load.sync, Sync::None | Sync::Dsync)),
        ("companions", !load.companions.is_empty()),
        ("target", !matches!(load.target, Target::Files { .. } | Target::Null { .. })),
    ];
    if let Some((key, _)) = asked.into_iter().find(|(_, is_asked)| *is_asked) {
        return refuse(
            key,
            format!("{key} with operations"),
            "operations are plain calls, one at a time, on files that are drawn evenly, through the page cache",
            "psync, queue_depth 1, direct=false, random access, and operations fsync or fdatasync in place of sync",
        );
    }
    if matches!(load.target, Target::Files { count, .. } if count < load.jobs) {
        return refuse(
            "jobs",
            "more jobs than files",
            "each job has files of its own",
            "fewer jobs, or more files",
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsgauge_wire::{Arrival, BlockSize, FileSizes, Rate, Rest, Think, WeightedOperation, Zone};

    fn plain() -> LoadJob {
        LoadJob { interface: Interface::Psync, ..LoadJob::plain() }
    }

    fn operations(all: &[(FileOperation, u32)]) -> LoadJob {
        let one = |(operation, weight): &(FileOperation, u32)| WeightedOperation {
            operation: *operation,
            weight: *weight,
        };
        LoadJob { operations: all.iter().map(one).collect(), ..plain() }
    }

    fn unlike() -> LoadJob {
        LoadJob { write_block_sizes: vec![BlockSize { size_bytes: 65536, weight: 1 }], ..plain() }
    }

    fn in_steps(align: u32) -> LoadJob {
        LoadJob { align_bytes: NonZeroU32::new(align), ..plain() }
    }

    fn in_turns(count: u32) -> LoadJob {
        let target =
            Target::Files { directory: "/mnt".into(), prefix: "f".into(), count, file_size_bytes: 1 << 20 };
        LoadJob { files_in_turn: NonZeroU32::new(2), target, ..plain() }
    }

    fn duplicated(duplicate_percent: u8, compressible_percent: u8) -> Data {
        Data::Duplicated { duplicate_percent, compressible_percent }
    }

    #[test]
    fn what_a_mix_is_made_of_passes() {
        let one = NonZeroU32::new(1).unwrap();
        let zones = vec![Zone { size_percent: 10, weight: 3 }, Zone { size_percent: 90, weight: 1 }];
        let rest = Rest { every: one, think: Think { mean_ns: 1, spread: Arrival::Constant } };
        for load in [
            LoadJob { access: Access::Zones { zones }, ..plain() },
            LoadJob { access: Access::Pareto { h: 0.2 }, random_percent: Some(10), ..plain() },
            LoadJob { rest: Some(rest), ..plain() },
            LoadJob { files_per_job: Some(one), ..plain() },
            LoadJob { data: duplicated(100, 50), ..plain() },
            LoadJob { continue_when_full: true, read_percent: 99, ..plain() },
            LoadJob { hashed: true, access: Access::Zipf { theta: 0.9 }, ..plain() },
            LoadJob { apart: true, access: Access::Backwards {}, read_percent: 50, ..plain() },
            LoadJob { read_percent: 50, ..unlike() },
            LoadJob { direct: true, ..in_steps(512) },
            in_steps(100),
            LoadJob { ranges: Some(Ranges::Shared {}), ..in_turns(4) },
            LoadJob {
                ranges: Some(Ranges::Shared {}),
                files_per_job: NonZeroU32::new(2),
                jobs: 2,
                ..in_turns(4)
            },
            operations(&[(FileOperation::Stat, 1), (FileOperation::Create, 1), (FileOperation::Unlink, 1)]),
        ] {
            assert!(check_mixed(&load).is_ok(), "{load:?}");
        }
    }

    #[test]
    fn what_would_do_nothing_or_something_else_is_refused() {
        let one = NonZeroU32::new(1).unwrap();
        let rest = Rest { every: one, think: Think { mean_ns: 1, spread: Arrival::Constant } };
        let rate = Some(Rate { operations_per_second: 1.0, arrival: Arrival::Constant });
        let zones = vec![Zone { size_percent: 50, weight: 1 }];
        let sizes = Some(FileSizes::Cycle { sizes_bytes: vec![1] });
        let stat = operations(&[(FileOperation::Stat, 1)]);
        for load in [
            LoadJob { access: Access::Pareto { h: 1.0 }, ..plain() },
            LoadJob { access: Access::Normal { deviation_percent: 0 }, ..plain() },
            LoadJob { access: Access::Zones { zones }, ..plain() },
            LoadJob { access: Access::Strided { stride_bytes: 1 }, ..plain() },
            LoadJob { access: Access::Backwards {}, random_percent: Some(50), ..plain() },
            LoadJob { random_percent: Some(101), ..plain() },
            LoadJob { files_per_job: Some(one), jobs: 2, ..plain() },
            LoadJob { burst: Some(one), ..plain() },
            LoadJob { rest: Some(rest), rate, ..plain() },
            LoadJob { file_sizes: sizes, ..plain() },
            LoadJob { data: duplicated(101, 0), ..plain() },
            LoadJob { hashed: true, ..plain() },
            LoadJob { apart: true, read_percent: 50, ..plain() },
            LoadJob { apart: true, access: Access::Sequential {}, ..plain() },
            LoadJob { data: duplicated(0, 101), ..plain() },
            LoadJob { data: duplicated(10, 0), verify: true, ..plain() },
            LoadJob { direct: true, ..stat.clone() },
            LoadJob { sync: Sync::Fsync { every: 1 }, ..stat.clone() },
            LoadJob { interface: Interface::IoUring, ..stat.clone() },
            LoadJob { continue_when_full: true, ..plain() },
            LoadJob { continue_when_full: true, verify: true, read_percent: 0, ..plain() },
            in_turns(1),
            LoadJob { files_per_job: Some(one), jobs: 4, ..in_turns(4) },
            LoadJob { ranges: Some(Ranges::Segmented {}), ..in_turns(4) },
            LoadJob { ranges: Some(Ranges::Shared {}), passes: Some(1), ..in_turns(4) },
            LoadJob { ranges: Some(Ranges::Shared {}), verify: true, read_percent: 0, ..in_turns(4) },
            LoadJob { operations: stat.operations.clone(), ..in_turns(4) },
            LoadJob { access: Access::Backwards {}, ..in_steps(4096) },
            LoadJob { direct: true, ..in_steps(100) },
            unlike(),
            LoadJob { read_percent: 0, ..unlike() },
            LoadJob { read_percent: 50, access: Access::Zipf { theta: 1.1 }, ..unlike() },
            LoadJob { read_percent: 50, ranges: Some(Ranges::Shared {}), ..unlike() },
            LoadJob { read_percent: 50, transfer: Transfer::Rewrite, ..unlike() },
            operations(&[(FileOperation::Stat, 0)]),
            operations(&[(FileOperation::Close, 1)]),
            operations(&[(FileOperation::Create, 1)]),
            operations(&[(FileOperation::Unlink, 1)]),
        ] {
            assert!(check_mixed(&load).is_err(), "{load:?}");
        }
    }
}
