# make demo    sets everything up, compares raw, ext4, xfs and btrfs in about three minutes, writes a report
# make test    sets everything up and runs all tests
# make check   the linters
# make bench   the engine against its peers; ONLY=name for one of them
# make setup   the virtual environment in .venv, with the engine
SHELL := /bin/bash
PYTHON ?= python3
BIN := .venv/bin
BUILT_FROM := Cargo.toml Cargo.lock pyproject.toml $(shell find crates packaging -type f)

.PHONY: demo test check bench setup packages clean

demo: setup packages
	@$(BIN)/fsgauge demo

test: .venv/.tests packages
	@scripts/test

check: .venv/.tests
	@scripts/check

bench: setup
	@scripts/bench $(ONLY)

setup: .venv/.installed

packages:
	@scripts/packages

.venv/.installed: $(BUILT_FROM)
	@scripts/set-up $(PYTHON)

.venv/.tests: .venv/.installed
	@scripts/set-up-tests

clean:
	rm -rf .venv target
