# make demo    sets everything up, compares raw, ext4, xfs and btrfs in about three minutes, writes a report
# make test    sets everything up and runs the tests that a change is judged by
# make test-all   the long tests too, and the mutants: what CI runs
# make test-vm    the virtual rig, something of each of its tests; half an hour or more where it is emulated
# make test-rig   the virtual rig at its full size: every system, both kernels; hours where it is emulated
# make check   the linters
# make fuzz    the fuzzers at length; EXAMPLES=N for each of them, 20000 unless told otherwise
# make bench   the engine against its peers; ONLY=name for one of them
# make setup   the virtual environment in .venv, with the engine
# make packages-release   wheels and .debs of the last commit, for amd64 and arm64, in target/packages; ONLY=amd64
# make test-packages      installs and runs them in clean roots of Debian 12 and 13; as root, half an hour or more
SHELL := /bin/bash
PYTHON ?= python3
BIN := .venv/bin
EXAMPLES ?= 20000
BUILT_FROM := Cargo.toml Cargo.lock pyproject.toml $(shell find crates packaging/wheel-data -type f | sed 's/ /\\ /g')

.PHONY: demo test test-all test-vm test-rig check fuzz bench setup packages packages-release test-packages clean

demo: setup packages
	@$(BIN)/fsgauge demo

test: .venv/.tests packages
	@scripts/test

test-all: .venv/.tests packages
	@scripts/test --all

test-vm: .venv/.tests packages
	@FSGAUGE_TEST_RIG=small .venv/bin/python -m pytest tests/rigs/test_vm*.py

test-rig: .venv/.tests packages
	@FSGAUGE_TEST_RIG=1 .venv/bin/python -m pytest tests/rigs/test_vm*.py

check: .venv/.tests
	@scripts/check

fuzz: .venv/.tests packages
	@scripts/fuzz "$(EXAMPLES)"

bench: setup
	@scripts/bench "$(ONLY)"

setup: .venv/.installed

packages:
	@scripts/packages

packages-release:
	@scripts/packages-release "$(PYTHON)" $(ONLY)

test-packages: .venv/.tests packages-release
	@scripts/test-packages

.venv/.installed: $(BUILT_FROM)
	@scripts/set-up "$(PYTHON)"

.venv/.tests: .venv/.installed scripts/set-up-tests
	@scripts/set-up-tests

clean:
	rm -rf .venv target
