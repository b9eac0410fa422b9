# Everything that people and CI call. Each target works in a clean clone on a machine with Rust, a C compiler, Java 17,
# Maven, Go and Python; what else is needed, the targets install.

CARGO ?= cargo
QUICK := --profile quick

.PHONY: help demo build release test unit lint bench docs servers stop-servers clean

help: ## What can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-14s %s\n", $$1, $$2}'

demo: ## Build fsbench, and run its main job on local files and on an S3 server in the demo itself
	$(CARGO) build $(QUICK) -p fsbench -p fsbench-demo
	./target/quick/fsbench-demo

build: ## The binary, quick to build: target/quick/fsbench
	$(CARGO) build $(QUICK) -p fsbench

release: ## The binary as it is shipped: target/release/fsbench
	$(CARGO) build --release -p fsbench

test: ## Start real HDFS and S3 servers, run every test, stop them
	$(CARGO) build $(QUICK) --workspace --all-targets
	FSBENCH_TEST_REQUIRE=1 ./target/quick/xtask with-servers -- ./xtask/test.sh

unit: ## The tests that need no server
	$(CARGO) test $(QUICK) --workspace

lint: ## Format, clippy, tidy, licences
	$(CARGO) fmt --all --check
	$(CARGO) clippy $(QUICK) --workspace --all-targets -- -D warnings
	./target/quick/xtask tidy || $(CARGO) xtask tidy
	./xtask/licences.sh

bench: ## Compare with the peers, interleaved, on this machine (takes long; bench/run.sh has parts)
	bench/run.sh all

servers: ## Start the test servers and keep them up
	$(CARGO) xtask servers start

stop-servers: ## Stop them
	$(CARGO) xtask servers stop

clean: ## Remove what was built, and the servers' data
	-$(CARGO) xtask servers stop --wipe
	$(CARGO) clean
