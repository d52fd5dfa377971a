# Every target says what it does: `make` prints this list.
.DEFAULT_GOAL := help
GO ?= go
BIN := bin/clade

help: ## print this list
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## build bin/clade, one static binary
	CGO_ENABLED=0 $(GO) build -o $(BIN) ./cmd/clade

demo: build ## the main job on real input, offline: search, prove, land
	$(BIN) demo

test: ## every test that needs no download beyond Go modules
	$(GO) test -shuffle=on -timeout 20m ./...
	@echo "left out: the race detector (make race), the long crash and honesty runs (make test-long)"

test-long: build ## hundreds of kill -9 draws, whole-run honesty checks, and every guard
	CLADE_LONG=1 $(GO) test -timeout 20m -run Crash ./cmd/clade
	CLADE_LONG=1 $(GO) test -timeout 20m ./internal/engine ./internal/strategy/...
	$(MAKE) guards

# dsh's package names peers that may not be had; the tests then leave it out and say so.
PEERS ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/clade-peers
test-peers: ## real coding-agent CLIs as workers, against a scripted model (installs them, 1.7 GB)
	scripts/peers.sh "$(PEERS)" claude codex opencode gemini
	-scripts/peers.sh "$(PEERS)" dsh
	CLADE_PEERS="$(PEERS)" $(GO) test -tags peers -count=1 -timeout 20m -p 1 -parallel 4 -run Peers \
		$$(grep -rl --include='*_test.go' '^//go:build.*peers' cmd internal | grep -v ^internal/sandbox/container/ | xargs -n1 dirname | sort -u | sed 's|^|./|')
	@$(MAKE) --no-print-directory test-containers

test-containers: ## the suite of sandboxes in containers, where docker or podman can run one
	@if docker ps -q >/dev/null 2>&1 || podman ps -q >/dev/null 2>&1; then \
		CGO_ENABLED=0 $(GO) test -tags peers -count=1 -timeout 5m -v -run Peers ./internal/sandbox/container; \
	else echo "left out: containers, neither docker nor podman works here"; fi

guards: ## disable each guard of scripts/guards.txtar and want its test to fail
	$(GO) run scripts/guards.go

race: ## the tests of concurrent packages under the race detector
	$(GO) test -race -short ./internal/engine/... ./internal/dispatch/... ./internal/store/... ./internal/ledger/... ./internal/git/...

bench: build ## what clade costs, as ratios and medians
	$(BIN) bench

lint: ## formatting, vet and build for three systems, staticcheck
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); exit 1; }
	$(GO) vet ./...
	for os in darwin windows; do GOOS=$$os $(GO) vet ./... && GOOS=$$os CGO_ENABLED=0 $(GO) build -o /dev/null ./cmd/clade || exit 1; done
	$(GO) tool -modfile=tools/go.mod staticcheck ./...

docs: ## write the generated pages of docs/ anew
	$(GO) test ./internal/format/native ./internal/cli -run 'Reference|Docs' -update

clean: ## remove what build made
	rm -rf bin

.PHONY: help build demo test test-long test-peers test-containers guards race bench lint docs clean
