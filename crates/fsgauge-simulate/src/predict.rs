//! Files that lie somewhere, and a device in a model: the time that it would take to move them.

use std::iter::zip;

use fsgauge_device::{Model, Pattern, Piece, Stream};
use fsgauge_wire::{Engine, FORMAT, Failure, Outcome, PassedFile, PredictJob, PredictResult};

use crate::pass::simulated_pass;
use crate::proof::MODEL_VERSION;

/// Says what the device would take for each pass of a job.
pub fn run_predict(job: &PredictJob, engine: Engine) -> Outcome<PredictResult> {
    let device = Model::of(&job.device)?;
    let mut passes = Vec::with_capacity(job.passes.len());
    for pass in &job.passes {
        let streams: Outcome<Vec<Stream>> = pass.files.iter().map(stream).collect();
        passes.push(simulated_pass(device.time(&streams?, Pattern::default())));
    }
    Ok(PredictResult {
        format: FORMAT,
        engine,
        model_version: MODEL_VERSION,
        device: device.facts().clone(),
        passes,
    })
}

fn stream(file: &PassedFile) -> Outcome<Stream> {
    let (places, lengths) = (&file.physical_bytes, &file.length_bytes);
    if places.len() != lengths.len() {
        return Err(Failure::job(
            "passes",
            format!("a file has {} places and {} lengths", places.len(), lengths.len()),
            "each extent has one of both",
            "list both of every extent",
        ));
    }
    let piece = |(&start_bytes, &length_bytes)| Piece { start_bytes, length_bytes };
    let pieces: Vec<Piece> = zip(places, lengths).map(piece).collect();
    if pieces.iter().any(|piece| piece.start_bytes.checked_add(piece.length_bytes).is_none()) {
        let what = "an extent ends beyond the largest number of bytes";
        return Err(Failure::job("passes", what, "no device is as large", "places in bytes"));
    }
    Ok(Stream { files: vec![pieces] })
}

#[cfg(test)]
mod tests {
    use fsgauge_wire::{PassedFiles, Profile, SimulatedDevice};

    use super::*;

    fn predict(model: &str, passes: Vec<Vec<PassedFile>>) -> Outcome<PredictResult> {
        let device = SimulatedDevice { model: model.into(), changes: Vec::new() };
        let passes = passes.into_iter().map(|files| PassedFiles { files }).collect();
        let text = || "test".to_string();
        let engine = Engine { version: text(), profile: Profile::Debug, target: text(), commit: text() };
        run_predict(&PredictJob { format: 1, device, passes, lease: None }, engine)
    }

    fn file(places: &[u64], lengths: &[u64]) -> PassedFile {
        PassedFile { physical_bytes: places.to_vec(), length_bytes: lengths.to_vec() }
    }

    #[test]
    fn each_pass_has_a_time_and_one_of_nothing_has_no_bytes() {
        let whole = vec![file(&[0], &[8 << 20])];
        let split = vec![file(&[0, 1 << 40], &[4 << 20, 4 << 20])];
        let found = predict("disk-2012", vec![whole, split, Vec::new(), vec![file(&[], &[])]]).unwrap();
        let sizes: Vec<u64> = found.passes.iter().map(|pass| pass.size_bytes).collect();
        assert_eq!(sizes, [8 << 20, 8 << 20, 0, 0]);
        assert!(found.passes[1].slowest_ns > found.passes[0].slowest_ns + 10_000_000);
        assert_eq!(found.device.model, "disk-2012");
    }

    #[test]
    fn what_cannot_be_is_named() {
        let said = |model: &str, one: PassedFile| predict(model, vec![vec![one]]).unwrap_err().what;
        assert_eq!(said("drum", file(&[], &[])), "no device model is called drum");
        assert_eq!(said("disk-2012", file(&[1, 2], &[3])), "a file has 2 places and 1 lengths");
        assert!(said("disk-2012", file(&[u64::MAX], &[1])).contains("beyond the largest"));
    }
}
