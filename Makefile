# Everything starts here: `make help`. The first call sets up .venv and takes a few minutes.

PYTHON ?= python3
# A smaller PyTorch where pip would fetch the CUDA one (Linux): make book PIP_ARGS="$(CPU)"
CPU := --extra-index-url https://download.pytorch.org/whl/cpu
PIP_ARGS ?=
# All but PyTorch at a fixed version, checked by its hash; empty: whatever requirements.txt admits
LOCK ?= requirements.lock
# Notebooks, tests and submissions at a time: the logical cores.
export WORKERS ?= $(shell getconf _NPROCESSORS_ONLN)

BIN := .venv/bin
READY := .venv/ready
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
NOT_IN_LAB := @jupyter/nbgrader @jupyterlab/apputils-extension:announcements
# The proxy of JupyterHub, a program of Node.js, and where npm puts it.
NODE := _build/node
PROXY := $(NODE)/node_modules/.bin/configurable-http-proxy
NOTEBOOKS := $(wildcard book/*.ipynb homework/source/*/*.ipynb press/template/*.ipynb tests/homework/sample/*/*.ipynb)

.DEFAULT_GOAL := help
.PHONY: help lab book pdf check chapter test evidence live shake elsewhere style lint format homework grade lock slides present browser proxy hub hub-test bench clean

help:  ## This list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(READY): requirements.txt $(LOCK) pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Expected Python 3.11 or newer as $(PYTHON), got $$($(PYTHON) --version). Try: make PYTHON=python3.12 …"; exit 1; }
	@test -e $@ || if [ "$$(uname)$(PIP_ARGS)$$PIP_EXTRA_INDEX_URL" = Linux ]; then \
	  echo "Setting up .venv. pip may download 3.0 GB now, 2.7 of it PyTorch with CUDA. Without an NVIDIA GPU"; \
	  echo "0.45 GB are enough: stop this with Ctrl-C and call  make $(MAKECMDGOALS) PIP_ARGS=\"$(CPU)\""; \
	  else echo "Setting up .venv. pip downloads about 0.45 GB now."; fi
	$(PYTHON) -m venv .venv
	$(if $(LOCK),$(PIP) --require-hashes -r $(LOCK))
	$(PIP) $(PIP_ARGS) -r requirements.txt
	@# What readers of JupyterLab need not see: nbgrader's panel and button, and the question about news.
	@$(BIN)/jupyter labextension disable $(NOT_IN_LAB) >/dev/null 2>&1 || echo "JupyterLab keeps $(NOT_IN_LAB)."
	@touch $@

lab: $(READY)  ## Open the chapters in JupyterLab
	$(BIN)/jupyter lab book

book: $(READY) homework  ## Execute every notebook and build the book
	@$(BIN)/python -m press

pdf: $(READY)  ## PDFs of the book and of each chapter; run make book first
	@$(BIN)/python -m press.paper

check: $(READY) homework  ## Test one chapter: make check CHAPTER=08_backprop
	@$(BIN)/python -m press --check "$(CHAPTER)"

chapter: $(READY)  ## Begin a new chapter: make chapter CHAPTER=21_diffusion TITLE="Diffusion models"
	@$(BIN)/python -m press.new_chapter "$(CHAPTER)" "$(TITLE)"

# On a book with boxes too, the tests run; then the status is the book's. Not after Ctrl-C.
test: $(READY) homework browser  ## Build the book and test it; evidence, shake, elsewhere and live are apart
	@$(BIN)/python -m press; book=$$?; test $$book -ne 130 && \
	$(BIN)/python -m pytest -n $(WORKERS) tests --ignore=tests/evidence && exit $$book

evidence: $(READY)  ## Repeat long trainings and searches for learning rates: hours
	$(BIN)/python -m pytest -n $(WORKERS) tests/evidence

shake: $(READY)  ## Try claims with other seeds: make shake CHAPTER=08_backprop SHIFTS=5
	@$(BIN)/python -m tests.robustness.shake $(CHAPTER) --shifts $(or $(SHIFTS),5)

elsewhere: $(READY)  ## Try checks with the arithmetic of other processors: make elsewhere CHAPTER=08_backprop
	@$(BIN)/python -m tests.robustness.elsewhere $(CHAPTER)

live: $(READY) browser  ## Run every chapter in a real JupyterLab
	$(BIN)/python -m pytest --live-all tests/live

style: $(READY)  ## Check the format of code and notebooks, and the pinned packages
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/nbstripout --keep-id --verify $(NOTEBOOKS)
	$(BIN)/deptry . --config .ci/deptry.toml

lint: style  ## The same, and the rules for cells, text and tables
	$(BIN)/python -m pytest -q tests/chapters/test_cells.py tests/chapters/test_text.py \
	  tests/chapters/test_note_rows.py tests/chapters/test_repository.py tests/pages/test_tables.py

format: $(READY)  ## Format code and notebooks, strip outputs
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/nbstripout --keep-id $(NOTEBOOKS)

lock: $(READY)  ## Renew requirements.lock after a change of requirements.txt
	$(PIP) uv==0.13.9
	$(BIN)/uv pip compile --quiet --upgrade requirements.txt --output-file requirements.lock

slides: $(READY) homework  ## Build decks for lectures, all or one: make slides CHAPTER=16_attention
	@$(BIN)/python -m press; book=$$?; test $$book -ne 130 && \
	$(BIN)/python -m press.decks $(CHAPTER) && exit $$book

present: $(READY)  ## Show a chapter's sliders live, without code: make present CHAPTER=16_attention
	@$(BIN)/python -m press.decks.present $(CHAPTER)

homework: $(READY)  ## Make a zip for students from each assignment
	@$(BIN)/python -m grader.release homework/source _build/homework requirements.txt

grade: $(READY)  ## Grade submissions: make grade SUBMISSIONS=folder ASSIGNMENT=06_activations
	@$(BIN)/python -m grader --jobs $(WORKERS) $(if $(CLUSTER),--cluster $(CLUSTER)) $(if $(COURSE),--course "$(COURSE)") "$(SUBMISSIONS)" "homework/source/$(ASSIGNMENT)"

browser: $(READY)  ## Find Chromium for the tests, or download it
	@$(BIN)/python -m tests.browser

$(PROXY):
	@command -v npm >/dev/null || { echo "No proxy for JupyterHub: install Node.js 20 or newer, with npm."; exit 1; }
	npm install --prefix $(NODE) --silent --no-audit --no-fund configurable-http-proxy@5.3.0

# Without it `make test` leaves the class of three on a hub out.
proxy: $(PROXY)  ## Download JupyterHub's proxy, with npm; then make test includes a small hub

hub: $(READY) $(PROXY)  ## Start a JupyterHub with a course on this computer; see hub/README.md
	@$(BIN)/python -m jupyterhub -f hub/jupyterhub_config.py

hub-test: $(READY) $(PROXY)  ## Test a class of thirty on a JupyterHub: minutes
	$(BIN)/python -m pytest --hub-all tests/hub

bench: book browser  ## Measure what layers, sliders, chapters and pages cost
	$(BIN)/python -m tests.benchmarks

clean:  ## Remove what was built (not .venv)
	rm -rf _build .pytest_cache .hypothesis .ruff_cache .ipynb_checkpoints book/.ipynb_checkpoints *.egg-info
