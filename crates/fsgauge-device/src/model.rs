//! The models by name, as their files say.

use std::collections::BTreeMap;

use fsgauge_wire::{
    DeviceChange, DeviceFacts, DeviceKind, DeviceParameter, Failure, Outcome, SimulatedDevice,
};
use serde::Deserialize;

const FILES: [&str; 3] = [
    include_str!("../../../python/fsgauge/devices/disks-8+2-2012.json"),
    include_str!("../../../python/fsgauge/devices/disk-2012.json"),
    include_str!("../../../python/fsgauge/devices/ssd-sata.json"),
];

/// Parameters below 0, or at 0 where something is divided by them, make no device.
const MAY_BE_ZERO: [&str; 5] = ["position", "rotational_wait", "overhead", "request_latency", "lost_to_dies"];

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    model: String,
    kind: DeviceKind,
    what: String,
    parameters: Vec<DeviceParameter>,
}

/// A device model with its numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    facts: DeviceFacts,
    by_name: BTreeMap<String, f64>,
}

/// The names of all models; the first is the usual one.
pub fn model_names() -> Vec<String> {
    files().into_iter().map(|file| file.model).collect()
}

fn files() -> Vec<File> {
    // They are part of the program, and a test reads them all.
    FILES.iter().filter_map(|text| serde_json::from_str(text).ok()).collect()
}

impl Model {
    /// The model that a job names, with its changes. Says which name or number cannot be.
    pub fn of(wanted: &SimulatedDevice) -> Outcome<Self> {
        let found = files().into_iter().find(|file| file.model == wanted.model);
        let Some(File { model, kind, what, mut parameters }) = found else {
            return Err(Failure::job(
                "device",
                format!("no device model is called {}", wanted.model),
                format!("there are: {}", model_names().join(", ")),
                "name one of them",
            ));
        };
        for DeviceChange { name, value } in &wanted.changes {
            let names = || parameters.iter().map(|each| each.name.as_str()).collect::<Vec<_>>().join(", ");
            let known = names();
            let Some(parameter) = parameters.iter_mut().find(|each| each.name == *name) else {
                return Err(Failure::job(
                    "device",
                    format!("the device model {model} has no {name}"),
                    format!("it has: {known}"),
                    "name one of them",
                ));
            };
            parameter.is_changed = parameter.value != *value;
            parameter.value = *value;
        }
        let by_name = parameters.iter().map(|each| (each.name.clone(), each.value)).collect();
        let found = Model { facts: DeviceFacts { model, kind, what, parameters }, by_name };
        found.check()?;
        Ok(found)
    }

    /// The device as it is simulated.
    pub fn facts(&self) -> &DeviceFacts {
        &self.facts
    }

    pub(crate) fn number(&self, name: &str) -> f64 {
        self.by_name.get(name).copied().unwrap_or_default()
    }

    fn check(&self) -> Outcome<()> {
        let refuse = |what: String, cause: &str| {
            Err(Failure::job("device", what, cause, "change it, or leave it as the model has it"))
        };
        for (name, &value) in &self.by_name {
            let least = if MAY_BE_ZERO.contains(&name.as_str()) { 0.0 } else { f64::MIN_POSITIVE };
            if !value.is_finite() || value < least {
                let cause = if least > 0.0 { "it must be above 0" } else { "it must not be below 0" };
                return refuse(format!("the device's {name} is {value}"), cause);
            }
        }
        for (name, most) in [("position", 100.0), ("rotational_wait", 100.0), ("lost_to_dies", 99.0)] {
            let value = self.number(name);
            if value > most {
                return refuse(format!("the device's {name} is {value} %"), "it is a share");
            }
        }
        if self.number("inner_rate") > self.number("outer_rate") {
            let (inner, outer) = (self.number("inner_rate"), self.number("outer_rate"));
            let what = format!("the device's inner_rate {inner} is above its outer_rate {outer}");
            return refuse(what, "the inner edge of a disk is not faster than its outer edge");
        }
        let seeks = ["seek_single", "seek_average", "seek_full"].map(|name| self.number(name));
        if seeks[0] > seeks[1] || seeks[1] > seeks[2] {
            let what = format!(
                "the device's seeks are {}, {} and {} ns: single, average, full",
                seeks[0], seeks[1], seeks[2]
            );
            return refuse(what, "a longer seek does not take less time");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(model: &str, changes: &[(&str, f64)]) -> SimulatedDevice {
        let changes =
            changes.iter().map(|&(name, value)| DeviceChange { name: name.into(), value }).collect();
        SimulatedDevice { model: model.into(), changes }
    }

    #[test]
    fn every_file_is_a_model() {
        assert_eq!(model_names().len(), FILES.len());
        for name in model_names() {
            let found = Model::of(&device(&name, &[])).unwrap();
            assert!(found.facts().parameters.iter().all(|each| !each.is_changed && !each.source.is_empty()));
        }
    }

    #[test]
    fn what_cannot_be_is_named() {
        let wrong = |model: &str, changes: &[(&str, f64)]| {
            let failure = Model::of(&device(model, changes)).unwrap_err();
            format!("{}: {}", failure.what, failure.cause)
        };
        let disk = "disk-2012";
        assert!(wrong("drum", &[]).contains("no device model is called drum: there are: disks-8+2-2012"));
        assert!(wrong(disk, &[("windows", 3.0)]).contains("has no windows: it has: revolutions_per_minute"));
        assert!(wrong(disk, &[("window", 0.0)]).contains("window is 0: it must be above 0"));
        assert!(wrong(disk, &[("overhead", -1.0)]).contains("overhead is -1: it must not be below 0"));
        assert!(wrong(disk, &[("position", 101.0)]).contains("position is 101 %"));
        assert!(wrong(disk, &[("inner_rate", 2e9)]).contains("inner_rate 2000000000 is above"));
        assert!(wrong(disk, &[("seek_full", 1.0)]).contains("8500000 and 1 ns"));
    }

    #[test]
    fn a_change_is_marked() {
        let found = Model::of(&device("disk-2012", &[("window", 7.0), ("overhead", 0.0)])).unwrap();
        let changed: Vec<_> = found.facts().parameters.iter().filter(|each| each.is_changed).collect();
        assert_eq!((changed.len(), changed[0].name.as_str(), changed[0].value), (1, "window", 7.0));
    }
}
