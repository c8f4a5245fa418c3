# Everything a person types. Each target sets up what it needs.
.DEFAULT_GOAL := help
.PHONY: help setup setup-dev run demo test test-all watch check check-fast format hooks new bench eval sdk docs release screenshots reset

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-11s %s\n", $$1, $$2}'

setup: ## Make .venv of what runs, from the pinned requirements; nothing if it is current
	@PYTHON="$(PYTHON)" sh scripts/setup.sh embedded

setup-dev: ## The same with what tests and checks; adds to what is there
	@PYTHON="$(PYTHON)" sh scripts/setup.sh dev

run: setup ## Start everything, take the tour, serve until Ctrl-C
	@$(BIN)/python cli.py dev

demo: setup ## Start everything, take the tour, end; fails if a step was not as expected
	@$(BIN)/python cli.py demo

test: setup-dev ## Every promise, against real PostgreSQL and a real Temporal server, in about ten minutes
	@sh scripts/run_tests.sh "not slow"

test-all: setup-dev ## What is slow by nature as well, in about twenty minutes; ORDER=random shuffles
	@ORDER="$(ORDER)" SEED="$(SEED)" sh scripts/run_tests.sh

watch: setup-dev ## Rerun the tests near to what you change, until Ctrl-C
	@$(BIN)/python -m scripts.watch

check: check-fast ## Lint, format, imports between rooms, prose, types
	@$(BIN)/mypy .

check-fast: setup-dev ## The same without the types, in seconds
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/lint-imports
	@$(BIN)/python -m scripts.prose

format: setup-dev ## Sort imports, lay out the code
	@$(BIN)/ruff check --select I --fix .
	@$(BIN)/ruff format .

hooks: ## Have git run check-fast before each commit
	@git config core.hooksPath .githooks

new: setup-dev ## Lay the files of a use case: make new NOUN=webhooks NAME=pause_subscription
	@$(BIN)/python -m scripts.new_use_case "$(NOUN)" "$(NAME)"

bench: setup-dev ## Measure the gateway against other designs, a full database, webhooks beside hanging ones, exports
	@$(BIN)/python -m bench

eval: setup ## Score the brain on messages written by hand; fails if an aim is missed. MISSES=1 lists them
	@$(BIN)/python -m evaluation $(if $(MISSES),--misses)

sdk: setup-dev ## Build the Python and TypeScript clients into build/sdk/dist, in half a minute
	@$(BIN)/python -m scripts.sdk

docs: setup-dev ## Build the documentation site into build/docs/site, in half a minute
	@$(BIN)/python -m scripts.guide

release: setup-dev ## Build the clients, the chart and the release notes into build/release
	@$(BIN)/python -m scripts.release

screenshots: setup-dev ## Shoot every page of the dashboard, light and dark, wide and narrow, into .screenshots/
	@$(BIN)/python -m scripts.screenshots

reset: ## Delete all local data of make run and make demo
	@for folder in .data .data/demo; do \
		if [ -e $$folder/lock ] && ! flock -n $$folder/lock true; then \
			echo "error: a stack is running on $$folder: stop it first" >&2; exit 1; \
		fi; \
	done
	@rm -rf .data && echo "local data deleted"
