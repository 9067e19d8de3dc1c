//! Tells the engine what it was built from: the platform, the profile and the commit.

use std::process::Command;

/// What decides how the engine behaves.
const SOURCES: [&str; 3] = ["crates", "Cargo.toml", "Cargo.lock"];

fn main() {
    for source in SOURCES {
        println!("cargo::rerun-if-changed=../../{source}");
    }
    println!("cargo::rerun-if-env-changed=FSGAUGE_COMMIT");
    let target = std::env::var("TARGET").unwrap_or_else(|_| "unknown".into());
    let profile = std::env::var("PROFILE").unwrap_or_else(|_| "debug".into());
    println!("cargo::rustc-env=FSGAUGE_TARGET={target}");
    println!("cargo::rustc-env=FSGAUGE_PROFILE={profile}");
    println!("cargo::rustc-env=FSGAUGE_COMMIT={}", commit());
}

/// The last commit that touched the sources, from the environment (a release without git) or from git.
fn commit() -> String {
    if let Ok(commit) = std::env::var("FSGAUGE_COMMIT") {
        return commit;
    }
    let Some(commit) = git(&["log", "-1", "--format=%h", "--"]).filter(|commit| !commit.is_empty()) else {
        return "unknown".into();
    };
    let is_modified = git(&["status", "--porcelain", "--"]).is_none_or(|changes| !changes.is_empty());
    if is_modified { commit + "-modified" } else { commit }
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").arg("-C").arg("../..").args(arguments).args(SOURCES).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_string())
}
