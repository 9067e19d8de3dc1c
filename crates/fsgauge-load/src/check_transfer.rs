//! What a load must be whose blocks are moved in another way than by one call, or directly, or whose files are finished.

use fsgauge_wire::{Access, Descriptors, Failure, Interface, LoadJob, Target, Transfer};

type Check = Result<(), Failure>;

fn refuse(key: &str, what: impl Into<String>, cause: &str, next: &str) -> Check {
    Err(Failure::job(key, what, cause, next))
}

/// Checks `transfer` and `finish`. What a share does not have is refused by its interface.
pub(crate) fn check_transfer(load: &LoadJob) -> Check {
    if load.transfer != Transfer::Whole {
        check_one_by_one(load, "transfer")?;
        check_sizes(load)?;
    }
    if load.transfer == Transfer::Rewrite {
        check_rewrite(load)?;
    }
    if load.transfer == Transfer::Compared {
        check_compared(load)?;
    }
    if load.finish.fsync || load.finish.close { check_finish(load) } else { Ok(()) }
}

/// Refuses a number that direct I/O cannot take.
pub(crate) fn aligned(number: u64, name: &str, alignment: u32) -> Check {
    if number.is_multiple_of(u64::from(alignment)) {
        return Ok(());
    }
    refuse(
        "alignment",
        format!("{name} {number} is not a multiple of {alignment}"),
        "direct I/O moves whole sectors",
        "choose a multiple, or direct=false",
    )
}

fn check_one_by_one(load: &LoadJob, key: &str) -> Check {
    if load.interface != Interface::Psync {
        return refuse(
            key,
            format!("{key} with an interface other than psync"),
            "a thread makes these calls one after the other",
            "set interface to \"psync\" and queue_depth to 1",
        );
    }
    if matches!(load.target, Target::Null { .. }) {
        return refuse(
            key,
            format!("{key} on the null target"),
            "it has no bytes that could be moved or finished",
            "name a file or a device",
        );
    }
    Ok(())
}

fn check_sizes(load: &LoadJob) -> Check {
    if load.block_sizes.len() == 1 {
        return Ok(());
    }
    refuse(
        "transfer",
        format!("transfer with {} block sizes", load.block_sizes.len()),
        "a program of this kind has one buffer",
        "choose one block size",
    )
}

fn check_rewrite(load: &LoadJob) -> Check {
    if load.read_percent == 100 {
        return refuse(
            "transfer",
            "transfer \"rewrite\" in a load that only reads",
            "it says how writes are made",
            "set read_percent below 100, or leave transfer out",
        );
    }
    if load.extend || load.verify {
        let (key, cause) = if load.extend {
            ("extend", "the file is empty at the start: there is nothing to read")
        } else {
            ("verify", "what is written is what was there, and says nothing of its writer")
        };
        let what = format!("{key} with transfer \"rewrite\"");
        return refuse(key, what, cause, &format!("leave {key} out"));
    }
    Ok(())
}

/// Which write made a block is known where both go from start to end, once.
fn check_compared(load: &LoadJob) -> Check {
    let is_pass = load.passes == Some(1) && load.ranges.is_some() && load.files_in_turn.is_none();
    if is_pass && load.read_percent == 100 && load.access == (Access::Sequential {}) {
        return Ok(());
    }
    refuse(
        "transfer",
        "transfer \"compared\" in this load",
        "it compares one pass of reads with the writes of one pass, place by place",
        "set read_percent to 100, access to sequential, ranges and passes 1; or leave transfer out",
    )
}

fn check_finish(load: &LoadJob) -> Check {
    check_one_by_one(load, "finish")?;
    if load.passes.is_none() && load.size_limit_bytes.is_none() {
        return refuse(
            "finish",
            "finish of a load that ends when its time is up",
            "how long it takes belongs to an amount of work",
            "give passes or size_limit_bytes, or leave finish out",
        );
    }
    if load.finish.close && load.descriptors == Descriptors::Shared {
        return refuse(
            "finish",
            "finish.close with shared descriptors",
            "a file is closed when its last user closes it",
            "leave descriptors out",
        );
    }
    Ok(())
}
