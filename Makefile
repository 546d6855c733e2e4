# make run      install what is needed, build, and try it on a private server (doorward demo)
# make run CONFIG=path/to/doorward.yaml      the same, with your own accounts; neither needs nor installs a server
# make run BOT=echo      only that bot of bots/, on a private server
# make build    the release executable: .build/release/doorward
# make test     all tests, against real servers on loopback too
# make fuzz     2 million inputs for each fuzzer (RUNS=number), and the XML reader compared with Expat; takes hours
# make lint     the format and style of the sources
# make deps     only install all of it from Debian: for the build, the demo and the tests
# make clean    remove what was built and what the demo wrote

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.PHONY: help deps libraries demo-server toolchain build run test fuzz lint clean

# The Debian packages, each once: what the program is built with, what the demo starts, what only the tests start, and
# what the fuzzers compare with.
LIBRARIES := libxml2-dev libssl-dev libyaml-dev libsqlite3-dev libidn2-dev libunistring-dev libc-ares-dev libqrencode-dev pkg-config
DEMO := openssl prosody
TESTS := ejabberd prosody-modules python3-slixmpp
FUZZING := libexpat1-dev

# A test or a demo may not find its helpers in a user's PATH otherwise: Debian keeps server commands in sbin.
export PATH := $(PATH):/usr/sbin:/sbin

# Swift's own libraries in the executable: a tenth less processor time where caches are cold (docs/benchmarks.md), and
# nothing of the toolchain is needed where it runs. By lld, which comes with the toolchain.
RELEASE := --static-swift-stdlib -Xswiftc -use-ld=lld

CONFIG ?=
BOT ?=
RUNS ?= 2000000

help:
	@sed -n 's/^# \(make .*\)/\1/p' Makefile

# Each installs what it names, and nothing else.
deps:
	@.ci/deps $(LIBRARIES) $(DEMO) $(TESTS)

libraries:
	@.ci/deps $(LIBRARIES)

demo-server:
	@.ci/deps $(LIBRARIES) $(DEMO)

toolchain:
	@command -v swift >/dev/null || { \
	  echo "There is no Swift toolchain: install Swift 6.2 or newer (swift.org) and put its usr/bin into PATH." >&2; \
	  exit 1; }

build: libraries toolchain
	@echo "Building the release executable. The first time takes several minutes; after that only what changed is built."
	swift build -c release --product doorward $(RELEASE) --explicit-target-dependency-import-check error
	@echo "Built: .build/release/doorward"

ifneq ($(strip $(BOT)),)
run: demo-server build
	@exec .build/release/doorward demo --config 'bots/$(BOT)/doorward.yaml'
else ifeq ($(strip $(CONFIG)),)
run: demo-server build
	@exec .build/release/doorward demo
else
run: build
	@exec .build/release/doorward run --config '$(CONFIG)'
endif

test: deps toolchain
	@echo "Building the tests."
	swift build --build-tests --explicit-target-dependency-import-check error
	@.ci/tests
	@echo "Running those against Prosody and ejabberd; they start their own servers on free loopback ports."
	@.ci/watch 2400 swift test --skip-build --no-parallel --filter IntegrationTests
	@echo "All tests passed."

fuzz: libraries toolchain
	@.ci/deps $(FUZZING)
	@.ci/fuzz $(RUNS)

lint: toolchain
	swift format lint --strict --parallel -r Package.swift Sources Tests bots
	@echo "No findings."

clean:
	rm -rf .build var/demo bots/var
