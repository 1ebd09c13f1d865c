# make demo and make test do all of their set-up on a fresh Debian 12 machine with Go and git.

GO ?= go
# Without the path of the clone in them, packages are compiled once for all clones on a machine.
export GOFLAGS := $(strip $(shell $(GO) env GOFLAGS) -trimpath)
# A folder or file of proofs for "make bench"; by default the example proofs.
DIR ?= testdata/proofs
RUNS ?= 5
# Where "make bench" writes its numbers.
BENCH ?= bin/bench.json

COMMIT := $(shell git describe --always --dirty=+changes --abbrev=12 2>/dev/null)

.PHONY: build demo test test-all test-programs test-races test-engine test-packages test-editors timed-lint freshness \
	rounds test-editor test-nvim test-nvim-dap test-emacs test-helix test-inspector images vsix dist test-dist release \
	test-release test-arm64 test-bazel test-act test-brew lint lint-all targets deb needs
.PHONY: bench bench-commits bench-cbmc scaling bench-replay bench-editor attack cores libraries random edits
.PHONY: any-length loops equiv-table
.PHONY: negated versions crosscheck formulas names written counterexamples setup clean cluster test-cluster corruptions
.PHONY: bench-cluster mutate first-proofs

# A target that takes minutes, or needs more than "make setup" installs, says so before it starts.
needs:
	@[ -z "$(NEEDS)" ] || echo "make: $(NEEDS)"
dist: NEEDS = dist needs Node 20 and takes some minutes, most of them to compile the program; deb needs no Node
deb: NEEDS = deb takes some minutes, most of them to compile the program
vsix: NEEDS = vsix needs Node 20 and takes some minutes
test: NEEDS = test needs Node 20, installs missing packages, and takes about 12 minutes on two idle cores
test-all: NEEDS = test-all takes hours: all programs, and all packages with the race detector
test-dist: NEEDS = test-dist needs root and debootstrap, and downloads four Debian systems
cluster: NEEDS = cluster compiles bazel-remote, toxiproxy and Buildbarn: some minutes, once
setup test-all test-dist cluster: needs

build:
	$(GO) build -ldflags "-X github.com/unitproof/unitproof/cmd/internal/cli.commit=$(COMMIT)" \
		-o bin/ ./cmd/unitproof ./cmd/unitproof-remote ./cmd/unitproof-bench

setup:
	@bash .ci/setup.sh

demo: setup build
	@bash .ci/demo.sh

# A program with the race detector sleeps a second before it ends, unless told otherwise: each worker, each command of a
# session.
GORACE ?= atexit_sleep_ms=0

# The engine has no goroutines, and takes ten times as long with the race detector. So the detector covers what runs at
# once with other things: sessions of the command that do, and the packages of CONCURRENT. Three targets run at the same
# time, the longest ones first: one that waits leaves no core of two idle. A loaded machine needs its time. BESIDE is a
# further target: .ci/run has lint there.
ATONCE = ^Test(Watch|Progress|Scripts$$)/^(cache|cluster|history|limits|outputs|shards|sharedcache|stop_on_failure)$$
CONCURRENT = ./assistant ./cmd/internal/... ./editing ./lsp ./lsp/dap ./lsp/rpc ./pipeline ./pipeline/cache \
	./pipeline/forkserver ./pipeline/remote/... ./pipeline/watch
# Tests that take a sample of programs, cases or seeds take all of them with EVERYTHING=1: "make test-all".
SAMPLES = $(if $(EVERYTHING),-args -everything -cross-timeout 20s)
SHORT = $(if $(EVERYTHING),,-short)
# Sessions that run with the race detector need not run without it, except in "make test-all".
ONCE = $(if $(EVERYTHING),,-skip '$(ATONCE)')
# Workers share no memory with the tests that start them: without the race detector, except in a sample.
WORKERS = $(if $(EVERYTHING),,plain)
# Lint runs all checks of vet once; "go test" would repeat some of them for each build.
GOTEST = $(GO) test -p 1 -vet=off
TIMED = bash .ci/timed.sh
test: setup build
	@bash .ci/setup.sh --with cmake meson ninja-build
	$(MAKE) -j3 --output-sync=target test-programs test-races test-engine test-editors test-packages $(BESIDE)

# What "make test" does, with all programs where it takes a sample, and with the race detector in all packages.
test-all:
	$(MAKE) lint-all
	$(MAKE) test EVERYTHING=1
	GORACE=$(GORACE) $(GO) test -p 1 -race -timeout 120m $$($(GO) list ./... | grep -v '/vcgen\|/cmd/unitproof$$')

test-programs:
	@$(TIMED) programs $(GOTEST) -timeout 120m $(ONCE) ./cmd/unitproof $(SAMPLES)

test-races:
	@GORACE=$(GORACE) UNITPROOF_TEST_WORKERS=$(WORKERS) $(TIMED) 'packages, races' \
		$(GOTEST) -race $(SHORT) -timeout 60m $(CONCURRENT)
	@GORACE=$(GORACE) $(TIMED) 'programs, races' $(GOTEST) -race -timeout 60m -run '$(ATONCE)' ./cmd/unitproof

test-engine:
	@$(TIMED) engine $(GOTEST) $(SHORT) -timeout 60m ./vcgen/...

test-packages:
	@$(TIMED) 'value names' $(GOTEST) $(SHORT) -timeout 60m -run '^TestValueNames$$' ./pipeline
	@$(TIMED) packages $(GOTEST) $(SHORT) -timeout 60m \
		$$($(GO) list ./... | grep -vxF "$$($(GO) list ./vcgen/... ./cmd/unitproof $(CONCURRENT))")

test-editors:
	@$(TIMED) editors bash .ci/test-editor.sh

# The VS Code extension in a real VS Code, the plugin in a real Neovim, Emacs. Installs what it needs, outside the
# repository.
test-editor: setup
	@bash .ci/test-editor.sh

# The Neovim plugin in a headless Neovim. "make test-editor" does this too, and installs Neovim.
test-nvim: build
	@bash .ci/test-nvim.sh

# The debugger in Neovim's nvim-dap, which is not part of the project: NVIM_DAP names a folder that holds it.
test-nvim-dap:
	@bash .ci/test-nvim-dap.sh $(NVIM_DAP)

# The configuration for Emacs in docs/editors.md, in an Emacs without a terminal. "make test-editor" does this too.
test-emacs: build
	@bash .ci/test-emacs.sh

# The configuration for Helix in docs/editors.md, in a Helix on a screen of tmux: HX names the program.
test-helix: build
	@bash .ci/test-helix.sh $(HX)

# The tools for assistants, called by the inspector of the Model Context Protocol, which npm brings (a minute).
test-inspector: build
	@bash .ci/test-inspector.sh

# The audit of all of testdata/audit: bad proofs are named by their kind, good ones are not doubted (five minutes).
audit-corpus: setup
	UNITPROOF_TEST_AUDIT=1 $(GO) test -timeout 60m -run '^TestAuditCorpus$$' -v ./pipeline

# The pictures of the README, as the editor test sees them.
images: test-editor
	@mkdir -p docs/images
	@cp bin/editor-test/failed.png bin/editor-test/vacuous.png bin/editor-test/trace.png docs/images/

# The extension as packages in bin/: for this platform with the server, and without for all others.
vsix: setup
	@bash .ci/vsix.sh

# What users of this machine install, in bin/dist: an archive, packages, the extension. The program is static.
dist: setup
	@bash .ci/dist.sh

# Archives and packages without the extension for VS Code, in bin/dist.
deb: setup
	@DEB=1 bash .ci/dist.sh

# A release, in bin/release: make release VERSION=1.2.3. All hosts, the sources, recipes for Homebrew and nix, an image,
# checksums, with KEY=FILE a signature. See docs/releases.md.
VERSION ?=
KEY ?=
release:
	@[ -n "$(VERSION)" ] || { echo "make release needs VERSION=1.2.3"; exit 1; }
	@bash .ci/setup.sh --with g++-aarch64-linux-gnu mmdebstrap qemu-user-static arch-test
	@VERSION="$(VERSION)" KEY="$(KEY)" OUT=$${OUT:-bin/release} bash .ci/dist.sh

# Makes a release twice, in two clones, and compares the bytes; reads the recipes with ruby and nix if they are there.
test-release: setup
	@bash .ci/setup.sh --with g++-aarch64-linux-gnu
	cd release && $(GO) vet ./... && $(GO) test ./...
	@bash .ci/test-release.sh

# The program for arm64 under qemu, compared with the one for this machine: one in OF of the marked programs, a replay,
# the language server. BELOW=0.5 takes all that need less than half a second of CPU here (an hour).
test-arm64: setup
	@bash .ci/setup.sh --with g++-aarch64-linux-gnu qemu-user-static
	@for a in arm64 $$(dpkg --print-architecture); do bash .ci/dist-program.sh $$a bin/hosts/$$a; done
	@bash .ci/test-arm64.sh bin/hosts/arm64/unitproof bin/hosts/$$(dpkg --print-architecture)/unitproof

# The rules of buildsystems/bazel by Debian's Bazel, without a network. In Debian sid that is Bazel 7, with modules.
test-bazel: build
	@bash .ci/setup.sh --with bazel-bootstrap
	@bash .ci/test-bazel.sh bin/unitproof

# The action of GitHub in a workflow, by nektos/act (minutes to compile). CACHE_ACTION is a clone of actions/cache.
test-act: build
	@bash .ci/test-act.sh bin/unitproof

# Installs these packages as a new user does, in bare systems that debootstrap makes: SUITES="bookworm trixie:arm64",
# with DIST_UBUNTU_MIRROR=URL also "noble". DIST=bin/release tries a release, with its recipes, the package for Fedora
# and the image. ACT, CACHE_ACTION and BAZEL: see the script.
test-dist:
	@bash .ci/test-dist.sh

# The formula of a release (DIST=bin/release) by Homebrew, in a bare Debian sid. BREW is a clone of Homebrew.
test-brew:
	@bash .ci/test-brew.sh

# A shared cache (bazel-remote), a cluster (Buildbarn) and a bad network (toxiproxy) for test-cluster, from their Go
# modules; takes some minutes once.
cluster:
	cd testdata/cluster && GOFLAGS=-mod=mod $(GO) build -o ../../bin/bazel-remote github.com/buchgr/bazel-remote/v2
	cd testdata/cluster && GOFLAGS=-mod=mod $(GO) build -o ../../bin/toxiproxy github.com/Shopify/toxiproxy/v2/cmd/server
	cd testdata/cluster/buildbarn && for p in scheduler worker runner; do GOFLAGS=-mod=mod $(GO) build \
		-o ../../../bin/ github.com/buildbarn/bb-remote-execution/cmd/bb_$$p || exit 1; done

# Corrupts 1,000 entries of each kind of the cache, and of a shared one, and compares what is said of the proofs.
corruptions: setup
	$(GO) test ./cmd/unitproof -run TestCorruptedEntries -count=1 -v -timeout 1h -args -corruptions 1000

test-cluster: build cluster
	@bash .ci/test-cluster.sh

# How much longer two workers of a cluster on this machine take for the proofs of a clone of verify-c-common, DIR=…,
# than the machine itself.
bench-cluster: build cluster
	@DIR="$(DIR)" bash .ci/bench-cluster.sh

# Packages with C code, which cannot be compiled for macOS here.
WITH_C = tree-sitter\|/pipeline/solver

timed-lint:
	@$(TIMED) lint $(MAKE) lint

lint:
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); \
	if [ -n "$$unformatted" ]; then echo "not formatted by gofmt:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(GO) tool staticcheck ./...
	@bash .ci/npm-setup.sh && npm run --silent lint --workspaces

# What compiles everything once more, for minutes: the module of releases, on which nothing else depends, and the
# program for macOS, whose types TestDarwin checks for all packages.
lint-all: lint
	cd release && $(GO) vet ./...
	export GOOS=darwin GOARCH=arm64 CGO_ENABLED=0; $(GO) build $$($(GO) list -e \
		-f '{{if .GoFiles}}{{.ImportPath}} {{join .Deps " "}}{{end}}' ./... | grep -v '$(WITH_C)' | cut -d' ' -f1)

# Costs by stage, cold and warm. "bin/unitproof-bench stages --compare FILE" compares with an earlier $(BENCH). See
# docs/benchmarks.md.
bench: build
	@bin/unitproof-bench stages --runs $(RUNS) --json $(BENCH) $(DIR)

# Two commits in one run, alternately: make bench-commits A=main~5 B=main. DIR and RUNS as above.
A ?= HEAD~1
B ?= HEAD
bench-commits: build
	@bash .ci/bench-commits.sh $(A) $(B) --runs $(RUNS) --json bin/bench-commits.json $(DIR)

# Side by side with an installed cbmc, if there is one: writes bin/side-by-side.md about all shipped proofs. Not those
# of testdata/acceptance/unbounded: their loops have no bound that cbmc could unroll them to, and it takes all memory
# to try.
CBMC_PROOFS ?= testdata/proofs testdata/acceptance/*.c testdata/acceptance/traps
CBMC_PAGE ?= bin/side-by-side.md
bench-cbmc: build
	@bin/unitproof-bench cbmc --runs $(RUNS) --json bin/bench-cbmc.json --page $(CBMC_PAGE) $(CBMC_PROOFS)

# How costs grow: writes bin/scaling/scaling.md and its plots. SERIES selects by a regular expression.
SERIES ?=
scaling: build
	@bin/unitproof-bench scaling bin/scaling $(if $(SERIES),--filter '$(SERIES)') --runs 3 --json bin/scaling.json

# What an editor's user feels, against the bars of the plan; on an idle machine.
bench-editor: build
	@bin/unitproof-bench editor --runs $(RUNS) --json bin/bench-editor.json

# All marked programs with other names of clang's values; "make test" takes some.
names: setup
	$(GO) test ./pipeline -run '^TestValueNames$$' -count=1 -v -timeout 1h

# Invariants that were found of programs of the corpus are written down, by the action of editors: they are proved by
# these, and other compilers read them.
written: setup
	UNITPROOF_LOOPS=all $(GO) test ./lsp -run '^TestScenarioWrittenInvariants$$' -count=1 -v -timeout 1h

# Random edits, saves, writes by others, renames, deletions, cancelled runs and killed workers, STEPS of them from
# the seed SEED on: nothing stale looks fresh, and each hundred steps everything is compared with a cold check.
STEPS ?= 10000
SEED ?= 1

freshness: setup
	UNITPROOF_INTERLEAVINGS=$(STEPS) UNITPROOF_SEED=$(SEED) $(GO) test ./lsp -run '^TestFreshness$$' \
		-count=1 -v -timeout 10h

# ROUNDS rounds of edits, saves, kills of the server, its workers and compilers, full disks and clocks that go back,
# each compared with a cold check; nothing is left at the end of a session.
ROUNDS ?= 10000

rounds: setup
	UNITPROOF_ROUNDS=$(ROUNDS) UNITPROOF_SEED=$(SEED) $(GO) test ./lsp -run '^TestFaultRounds$$' -count=1 -v -timeout 20h

# From the click on Replay to the answer, over what fails in the acceptance programs.
bench-replay: build
	@bin/unitproof-bench replay testdata/acceptance

# Runs every acceptance program that is proved natively, with random inputs under
# sanitizers: a violation is a defect of the engine, and so is a way of a branch that is called dead.
# Takes ten seconds a program.
attack: setup build
	@bin/unitproof-bench attack --seconds 10 \
		$$(grep -l 'verdict: proved' testdata/acceptance/*.c testdata/acceptance/traps/*.c \
		testdata/acceptance/unbounded/*.c testdata/acceptance/contracts/*.c)

# Checks proofs without what they are said not to need, and without each assumption that they are said to need.
cores: build
	@bin/unitproof-bench cores $(DIR)

# Checks proofs of public libraries, of which DIR has clones, at growing sizes, and plants bugs in them.
libraries: build
	@bin/unitproof-bench libraries $(DIR)

# Commits of public libraries that claim to keep the behaviour, and mutants of them (docs/equiv.md).
equiv-table: build
	@bin/unitproof-bench refactorings --most 4 --total 60 --limit 8s $(wildcard $(CLONES)/*/.git)

# Checks functions of public libraries with inputs of any length. CLONES has a clone OWNER+NAME of each library. With
# FLAGS="--attack 60 --bugs 30", each proved function is executed natively for that time, and bugs are put into them.
any-length: build
	@bin/unitproof-bench any-length $(FLAGS) $(CLONES)

# Small programs with loops and recursion, written by someone who had not seen the engine (20 to 40 minutes).
loops: build
	@UNITPROOF=bin/unitproof testdata/loops/table.sh $(PROGRAMS)

# Writes and checks the first proofs of functions of public libraries that the generator has not seen, and of the same
# functions with BUGS bugs. CLONES has a clone OWNER+NAME of each library of testdata/first/libraries.toml.
BUGS ?= 25
first-proofs: build
	@bin/unitproof-bench first --bugs $(BUGS) $(CLONES)

# Compares what the program says of SEEDS random proofs, from FROM on, with native runs of them
# with all inputs; leaves those that tell of a defect in KEEP.
SEEDS ?= 500
FROM ?= 1
KEEP ?= bin/random
# How often each model of a function of the C library is compared with the library.
MODELS ?= 1000000
# A cbmc that is asked about the same programs, if there is one: make random CBMC=cbmc
CBMC ?=
# The machine that the proofs are for: make random TARGET=i386-linux
TARGET ?= x86_64-linux

random: setup build
	@mkdir -p $(KEEP)
	$(GO) test ./pipeline/clang -run TestModelsAgainstLibrary -count=1 -v -timeout 10h -args -model-rounds $(MODELS)
	$(GO) test ./cmd/unitproof -run TestRandomProofs -count=1 -v -timeout 10h -args \
		-random-from $(FROM) -random-count $(SEEDS) -random-keep $(abspath $(KEEP)) -random-cbmc "$(CBMC)" \
		-random-target $(TARGET)
	$(GO) test ./cmd/unitproof -run TestRandomLoops -count=1 -v -timeout 10h -args \
		-random-loops-from $(FROM) -random-loops $(SEEDS) -random-keep $(abspath $(KEEP))
	$(GO) test ./cmd/unitproof -run 'TestRandomContracts$$' -count=1 -v -timeout 10h -args \
		-random-contracts-from $(FROM) -random-contracts $(SEEDS) -random-keep $(abspath $(KEEP))
	$(GO) test ./cmd/unitproof -run TestRandomQuantifiers -count=1 -v -timeout 10h -args \
		-random-quantifiers-from $(FROM) -random-quantifiers $(SEEDS) -random-keep $(abspath $(KEEP))

# Checks all programs of the corpora with each of these compilers that is there: docs/versions.md.
versions: setup build
	$(GO) test ./cmd/unitproof -run TestVersions -count=1 -v -timeout 10h -args \
		-versions clang-14,clang-15,clang-16,clang-17,clang-18,clang-19,clang-20,clang-21,clang-22,clang-23 \
		-everything -versions-any

# Checks the programs of testdata/targets for all machines, and runs their twins on the machines
# that can be executed here.
targets: setup build
	@bash .ci/setup.sh --with qemu-user libc6-dev-i386 lib32gcc-12-dev \
		gcc-arm-linux-gnueabihf libc6-dev-armhf-cross gcc-powerpc-linux-gnu libc6-dev-powerpc-cross \
		gcc-s390x-linux-gnu libc6-dev-s390x-cross
	$(GO) test ./cmd/unitproof -run 'Target' -count=1 -v -timeout 2h -args -everything

# Edits SEEDS small projects at random, 40 times each, and compares what is said with caches and without.
edits: setup build
	@mkdir -p $(KEEP)
	$(GO) test ./cmd/unitproof -run TestRandomEdits -timeout 10h -args \
		-edits-from $(FROM) -edits-count $(SEEDS) -edits-steps 40 -edits-keep $(abspath $(KEEP)) -everything

# Negates each assertion of each program of the corpora that is proved, one after the other: it has to fail.
negated: setup build
	$(GO) test ./cmd/unitproof -run TestNegated -timeout 2h -args -everything

# What each solver says, cold and warm, with one worker and two, of all test programs or of the proofs in CROSS_DIR.
# Further solvers are asked where SOLVERS names them: make crosscheck SOLVERS="z3,smtlib:cvc5 --incremental".
SOLVERS ?= z3
CROSS_DIR ?=
CROSS_TIMEOUT ?= 20s
crosscheck: setup build
	$(GO) test ./cmd/unitproof -run '^TestCrosscheck$$' -count=1 -v -timeout 10h -args \
		-everything -cross-dir "$(CROSS_DIR)" -cross-solvers "$(SOLVERS)" -cross-timeout $(CROSS_TIMEOUT)

# Simplifies 30 times SEEDS random questions, and compares with what they were, and asks each solver about 4 times SEEDS
# random formulas, from seed FROM on.
formulas: setup
	$(GO) test ./vcgen/smt -run '^TestSimplifyFactsByFacts$$' -count=1 -v -timeout 10h -args \
		-simplify-from $(FROM) -simplify-seeds $$((30 * $(SEEDS)))
	$(GO) test ./pipeline/solver -run '^TestRandomFormulas$$' -count=1 -v -timeout 10h -args \
		-formulas-from $(FROM) -formulas $$((4 * $(SEEDS)))

# Prints ten failures of the acceptance programs into docs/counterexamples.md.
counterexamples: setup build
	@bash .ci/counterexamples.sh

# Changes PACKAGE of the engine in N small ways, chosen by SEED, and lists what no fast test notices. TESTS are further
# packages whose tests are run.
PACKAGE ?= ./vcgen/unfold
N ?= 100
TESTS ?= ./vcgen/unfold
mutate: setup build
	@bin/unitproof-bench mutate --package $(PACKAGE) --tests $(TESTS) -n $(N) --seed $(SEED)

clean:
	rm -rf bin
