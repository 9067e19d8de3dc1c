//! Files of a mix that are missing are written whole, before anything is measured.

use fsgauge_wire::{Engine, FORMAT, LayoutJob, Listener, LoadJob, Outcome, Stop, Target};

use crate::check::check_load;
use crate::file_operations::lay_out_set;
use crate::layout::run_layout;
use crate::target::Ground;

const BLOCK_BYTES: u32 = 1 << 20;
const DEPTH: u32 = 8;

/// Lays out the files of every load, those that several share once.
pub(crate) fn lay_out(
    loads: &[LoadJob],
    engine: &Engine,
    listener: &mut dyn Listener,
    stop: Stop,
) -> Outcome<()> {
    let mut done: Vec<&Target> = Vec::new();
    for load in loads {
        check_load(load)?;
        if done.contains(&&load.target) || matches!(load.target, Target::Null { .. }) || stop.is_set() {
            continue;
        }
        done.push(&load.target);
        if load.operations.is_empty() {
            let layout = LayoutJob {
                format: FORMAT,
                target: load.target.clone(),
                block_size_bytes: BLOCK_BYTES,
                queue_depth: DEPTH,
                direct: false,
                preallocate: false,
                data: load.data,
                seed: load.seed,
                held: Vec::new(),
                lease: None,
            };
            run_layout(&layout, engine.clone(), listener, stop)?;
        } else if let Some(folder) = Ground::of(&load.target, true)?.folder() {
            lay_out_set(load, folder, &stop)?;
        }
    }
    Ok(())
}
