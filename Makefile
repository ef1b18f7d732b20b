# Two commands do everything: `make demo` and `make test`. `make help` lists the rest.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

# Dependencies are built once, outside the clone; override to build elsewhere.
export CARGO_TARGET_DIR ?= $(HOME)/.cache/ostracon/target
export OSTRACON_TOOLS ?= $(HOME)/.cache/ostracon/tools
BIN := $(CARGO_TARGET_DIR)/debug/ostracon
N ?= 2000
SEED ?= 1
ROUNDS ?= 20
SECONDS_EACH ?= 5
DATA ?= bench-data
OUT ?= bench-out
PEERS ?=

.PHONY: help setup build demo test lint doc deny bench bench-peers fuzz-smoke oracle oracle-parquet pig-oracle mutants crash ci

help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 22

setup: ## Install what the build needs (libclang for RocksDB's bindings)
	@bash scripts/setup.sh

build: setup ## Build the binary
	cargo build --locked -p ostracon-cli

demo: build ## Load the 2013 New York departures and question them, pushdown on and off
	"$(BIN)" --data :memory: demo

test: setup ## All tests of the workspace, documentation examples included
	cargo test --locked --workspace

lint: setup ## Formatting and clippy, warnings are errors
	cargo fmt --all --check
	cargo clippy --locked --workspace --all-targets -- -D warnings

doc: setup ## API documentation, broken links are errors (those to private items serve who reads the source)
	RUSTDOCFLAGS="-D warnings -A rustdoc::private_intra_doc_links" cargo doc --locked --workspace --no-deps

deny: ## Licences, duplicate versions and sources of the dependencies
	@bash scripts/tool.sh cargo-deny 0.20.2
	"$(OSTRACON_TOOLS)/bin/cargo-deny" --locked check licenses bans sources

bench: setup ## Criterion benchmarks
	cargo bench --locked --workspace --benches

# The data come from `scripts/bench-data.sh DATA`, the lines of other systems from
# `scripts/bench-peers.py DATA WORK duckdb datafusion sqlite myrocks > PEERS`; docs/performance.md tells what they need.
bench-peers: setup ## W1 to W8 over TPC-H's lineitem, beside other systems (DATA=folder OUT=folder PEERS=file)
	bash scripts/bench-ostracon.sh "$(DATA)" "$(OUT)"
	python3 scripts/bench-report.py "$(OUT)/ostracon.jsonl" $(PEERS) --json "$(OUT)/goals.json" --svg "$(OUT)/performance.svg"

fuzz-smoke: ## Each fuzz target for a few seconds (SECONDS_EACH=5), on stable Rust
	cargo run --locked --manifest-path fuzz/Cargo.toml --bin smoke -- $(SECONDS_EACH)

oracle: setup ## Random queries, store against memory, in every mode (N=2000 SEED=1)
	OSTRACON_ORACLE_N=$(N) OSTRACON_ORACLE_SEED=$(SEED) cargo test --locked -p ostracon --test oracle -- --nocapture

oracle-parquet: setup ## Random nested Parquet files of every flavour against memory (N=5000 SEED=1)
	OSTRACON_PARQUET_ORACLE_N=$(N) OSTRACON_PARQUET_ORACLE_SEED=$(SEED) cargo test --locked -p ostracon --test parquet_oracle -- --nocapture

pig-oracle: build ## Random Pig Latin scripts on Apache Pig 0.17 and on this binary (N=2000 SEED=1); needs a JDK 17 and Maven
	bash scripts/pig-oracle.sh fetch
	python3 scripts/pig-oracle/oracle.py compare --bin "$(BIN)" --seed $(SEED) --count $(N)

crash: setup ## kill -9 at random points of writes, bulk loads, compactions, splits and flushes (ROUNDS=20)
	OSTRACON_CRASH_ROUNDS=$(ROUNDS) cargo test --locked -p ostracon --test crash

mutants: setup ## Mutation tests of comparison, row filter and predicate code (SHARD=0/20 for a part)
	@bash scripts/tool.sh cargo-mutants 27.1.0
	bash scripts/mutants.sh

ci: ## What continuous integration runs
	bash .ci/run
