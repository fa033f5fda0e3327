# The one door to the project. A target sets up what it needs when it is first asked for; later runs start at once.
#
#   make ask Q="can I run StarCoder 2 15B on 12 GB?" [LOCALE=es]
#   make test
#
# Everything is kept in .venv. PYTHON=python3.13 makes it with that interpreter; without it, with python3.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# What is installed stands in the requirements files, whole and pinned, so nothing has to be resolved.
PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check --no-input --no-deps --no-compile

# Question and locale reach the command as they were typed: neither make nor the shell reads the $, ' or " in them.
override Q := $(value Q)
override LOCALE := $(value LOCALE)
export Q LOCALE

# An environment that was made in another folder, or with another Python than the one now asked for, is made anew.
ifneq ($(shell cat $(VENV)/.made-in 2>/dev/null),$(CURDIR))
STALE := again
else ifneq ($(origin PYTHON),file)
ifneq ($(shell cat $(VENV)/.made-with 2>/dev/null),$(PYTHON))
STALE := again
endif
endif

.DEFAULT_GOAL := help
.PHONY: help ask chat test check lint format types imports locales sources deployment soak bench calibrate catalogue docs pictures requirements $(STALE)

help:
	@echo 'make ask Q="..."     answer a question (LOCALE=es answers in Spanish)'
	@echo 'make chat            ask one question after another'
	@echo 'make test            run the tests (ARGS="-k wheel" runs some of them)'
	@echo 'make check           lint, formatting, types, imports between packages, locales, catalogue, deploy/'
	@echo 'make bench           run what is in benchmarks/'
	@echo 'make soak            half an hour of questions, drops and reloads, then two hundred kills'
	@echo 'make calibrate       fit the estimator to the measurements on file'
	@echo 'make catalogue       build catalog.db from its sources'
	@echo 'make docs            bring the JSON schemas and the answers shown in README.md and docs/ up to date'
	@echo 'make pictures        draw what the bot looks like in Discord (ARGS="chat it" draws some of it)'
	@echo 'make requirements    pin what pyproject.toml asks for (UPGRADE=1 takes newer releases)'

ask: $(VENV)/.can-run
	@test -n "$$Q" || { echo 'What is the question? make ask Q="can I run StarCoder 2 15B on 12 GB?"' >&2; exit 2; }
	@$(BIN)/rigcheck ask $${LOCALE:+--locale "$$LOCALE"} -- "$$Q"

chat: $(VENV)/.can-run
	@$(BIN)/rigcheck chat $${LOCALE:+--locale "$$LOCALE"}

test: $(VENV)/.can-work
	@$(BIN)/python -m pytest $(ARGS)

check: lint format types imports locales sources deployment

lint: $(VENV)/.can-work
	@$(BIN)/ruff check --quiet .

format: $(VENV)/.can-work
	@$(BIN)/ruff format --check --quiet .

types: $(VENV)/.can-work
	@$(BIN)/pyright

imports: $(VENV)/.can-work
	@$(BIN)/lint-imports --no-logo

locales: $(VENV)/.can-work
	@$(BIN)/rigcheck locales check

sources: $(VENV)/.can-work
	@$(BIN)/rigcheck catalogue check

# How it is deployed. Of the unit only what it runs is left out, since that stands where it is installed.
deployment: $(VENV)/.can-work
	@if test -x $(BIN)/hadolint; then $(BIN)/hadolint deploy/Dockerfile; \
	  else echo 'There is no hadolint for this machine: deploy/Dockerfile was not checked' >&2; fi
	@said=$$($(BIN)/check-jsonschema --builtin-schema vendor.compose-spec deploy/compose.yaml) || { echo "$$said" >&2; exit 1; }
	@if command -v systemd-analyze >/dev/null; then folder=$$(mktemp -d) && \
	  sed 's|^ExecStart=.*|ExecStart=/bin/true|' deploy/rigcheck.service > $$folder/rigcheck.service && \
	  said=$$(systemd-analyze verify --man=no $$folder/rigcheck.service 2>&1); code=$$?; rm -r $$folder; \
	  test -z "$$said" || { echo "$$said" >&2; exit 1; }; exit $$code; \
	  else echo 'There is no systemd-analyze on this machine: deploy/rigcheck.service was not checked' >&2; fi

soak: $(VENV)/.can-work
	@$(BIN)/python -m benchmarks.soak $(ARGS)
	@$(BIN)/python -m benchmarks.soak_kills

bench: $(VENV)/.can-work
	@failed=0; for file in benchmarks/[a-z]*.py; do name=$${file##*/}; case $$name in calibrate* | soak*) continue;; esac; \
	  echo "== $${name%.py}"; $(BIN)/python -m "benchmarks.$${name%.py}" || failed=1; echo; done; exit $$failed

calibrate: $(VENV)/.can-work
	@$(BIN)/python -m benchmarks.calibrate
	@$(BIN)/python -m benchmarks.calibrate_memory

catalogue: $(VENV)/.can-work
	@$(BIN)/rigcheck catalogue build

docs: $(VENV)/.can-work
	@$(BIN)/python -m bot.schemas docs/schemas
	@$(BIN)/python -m docs.refresh README.md
	@$(BIN)/python -m docs.answers

pictures: $(VENV)/.can-draw
	@command -v chromium >/dev/null || { apt-get update -qq && apt-get install -qq -y --no-install-recommends chromium; } >/dev/null 2>&1 \
	  || { echo 'There is no chromium to draw with: install it, on Debian with apt-get install chromium' >&2; exit 1; }
	@$(BIN)/python -m docs.pictures $(ARGS)

LOCK = $(BIN)/uv pip compile --quiet --universal --python-version 3.11 \
  --custom-compile-command "make requirements" $(if $(UPGRADE),--upgrade) pyproject.toml
requirements: $(BIN)/python
	@$(PIP) uv==0.13.9
	@$(LOCK) --output-file requirements.txt
	@$(LOCK) --extra dev --constraints requirements.txt --output-file requirements-dev.txt
	@$(LOCK) --extra pictures --constraints requirements-dev.txt --output-file requirements-pictures.txt

# What a question and the bot take is compiled here, once, also where Python is told to keep nothing that it has compiled:
# without that every start would take three times as long.
KEEP_COMPILED = @env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -c 'import bot.chat, bot.run, answers.answering'

$(VENV)/.can-run: requirements.txt $(BIN)/python
	@$(PIP) -r requirements.txt
	$(KEEP_COMPILED)
	@touch $@

$(VENV)/.can-work: requirements-dev.txt $(BIN)/python
	@$(PIP) -r requirements-dev.txt
	$(KEEP_COMPILED)
	@touch $(VENV)/.can-run $@

$(VENV)/.can-draw: requirements-pictures.txt $(VENV)/.can-work
	@$(PIP) -r requirements-pictures.txt
	@touch $@

# The project is linked into the environment rather than built: what is edited is what runs, catalog.db and locales/ are found
# beside it, and no build tool has to be fetched to answer a question.
$(BIN)/python: $(STALE)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo 'Python 3.11 or newer is needed. If it goes by another name here: make PYTHON=python3.12 ...' >&2; exit 1; }
	@echo 'Setting up $(VENV), once' >&2
	@$(PYTHON) -m venv --clear $(VENV)
	@echo '$(CURDIR)' > "$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/rigcheck.pth"
	@printf '#!/bin/sh\nexec "%s/$(BIN)/python" -P -m bot.cli "$$@"\n' '$(CURDIR)' > $(BIN)/rigcheck
	@chmod +x $(BIN)/rigcheck
	@echo '$(CURDIR)' > $(VENV)/.made-in
	@echo '$(PYTHON)' > $(VENV)/.made-with
