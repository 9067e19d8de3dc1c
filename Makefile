# make demo    sets everything up, compares raw, ext4, xfs and btrfs in about three minutes, writes a report
# make test    sets everything up and runs all tests
# make check   the linters
# make fuzz    the fuzzers at length; EXAMPLES=N for each of them, 20000 unless told otherwise
# make bench   the engine against its peers; ONLY=name for one of them
# make setup   the virtual environment in .venv, with the engine
SHELL := /bin/bash
PYTHON ?= python3
BIN := .venv/bin
EXAMPLES ?= 20000
BUILT_FROM := Cargo.toml Cargo.lock pyproject.toml $(shell find crates packaging -type f | sed 's/ /\\ /g')

.PHONY: demo test check fuzz bench setup packages clean

demo: setup packages
	@$(BIN)/fsgauge demo

test: .venv/.tests packages
	@scripts/test

check: .venv/.tests
	@scripts/check

fuzz: .venv/.tests packages
	@scripts/fuzz "$(EXAMPLES)"

bench: setup
	@scripts/bench "$(ONLY)"

setup: .venv/.installed

packages:
	@scripts/packages

.venv/.installed: $(BUILT_FROM)
	@scripts/set-up "$(PYTHON)"

.venv/.tests: .venv/.installed scripts/set-up-tests
	@scripts/set-up-tests

clean:
	rm -rf .venv target
