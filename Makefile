# `make run` and `make test` install what they need first.
SHELL := /bin/bash
# A machine without uv gets one in .tools.
export PATH := $(PATH):$(CURDIR)/.tools/uv/bin
# Where this is set, each program that a test starts would compile its modules again.
unexport PYTHONDONTWRITEBYTECODE
# Extension modules of the checkout: without them, Python does the same work.
EXTENSIONS := $(patsubst %.c,%.abi3.so,$(shell find shared/assay -name '_*.c'))
HEADERS := $(shell find shared/assay -name '*.h')
UV := $(shell command -v uv || echo .tools/uv/bin/uv)

.PHONY: run test test-clients test-local check compiled packages format generate trust-report screenshots new-tool new-provider environment sam local chromium tesseract clean

run: .venv/.running $(wildcard $(EXTENSIONS))  ## start the local server on http://127.0.0.1:8787
	$(UV) run --no-sync assay serve

# pytest-cov would read all modules twice for its report.
test: compiled  ## everything: checks, the tests, the built functions under the Lambda emulator
	$(MAKE) --jobs=2 check sam tesseract chromium
	COVERAGE_CORE=sysmon $(UV) run --no-sync pytest -n auto --dist loadfile --no-loadscope-reorder --cov=assay --cov-report=
	$(UV) run --no-sync coverage report --skip-covered

test-clients: environment  ## MCP's conformance suite, and the clients that hosts are built with; installs them from npm and PyPI
	infra/conformance/run
	$(UV) run --no-sync python -m infra.conformance.clients

check: environment  ## under a minute: format, lint, types, import contracts, generated files
	infra/scripts/check

compiled: $(EXTENSIONS)  ## the extension modules for this machine, with a compiler under .tools

# An older one of the checkout would not fit its Python.
%.abi3.so: %.c $(HEADERS) infra/publishing/compile_extensions.py | $(UV)
	infra/scripts/compile

packages: environment  ## dist: the wheels, the sdist and the bundle, as they are published
	$(UV) run --no-sync python -m infra.publishing

format: environment
	$(UV) run --no-sync ruff format .
	$(UV) run --no-sync ruff check --fix .

generate: environment  ## every generated file: layer requirements, snapshots, examples, provider manifest, pages of docs
	infra/scripts/requirements
	$(UV) run --no-sync python -m infra.scripts.generate
	SNAPSHOTS=write $(UV) run --no-sync pytest -q tests/tools/test_inventory.py -k reviewed
	SNAPSHOTS=write $(UV) run --no-sync pytest -q tests/entrypoints/test_answers.py -k documented
	$(UV) run --no-sync python -m infra.scripts.generate
	$(UV) run --no-sync python -m assay.entrypoints.mcp.freeze_catalogue

trust-report: environment  ## docs/trust-report.md; make trust-report DATA=folder measures on data sets that are not shipped
	$(UV) run --no-sync python -m infra.trust_report $(if $(DATA),--data $(DATA))

screenshots: environment chromium  ## dist/screenshots: every page of the console in light, dark and on a phone
	CONSOLE_SCREENSHOTS=dist/screenshots $(UV) run --no-sync pytest -q tests/chromium/test_console_pages.py -k accessible

new-tool: environment  ## make new-tool NAME=word_count: a module and its test to fill in
	$(UV) run --no-sync python infra/scripts/scaffold.py tool $(NAME)

new-provider: environment  ## make new-provider NAME=example: a module and its test to fill in
	$(UV) run --no-sync python infra/scripts/scaffold.py provider $(NAME)

sam: environment  ## validate and build the AWS template
	infra/scripts/build

local: sam  ## serve the built functions on http://127.0.0.1:3000 with `sam local`; needs Docker or Podman
	.venv/bin/python infra/scripts/local_api.py

test-local: sam  ## the functions under `sam local`; needs Docker or Podman
	.venv/bin/python infra/scripts/local_api.py --check

chromium:  ## what the tests of the browser run, beside the project
	infra/scripts/chromium

tesseract:  ## what the tests of OCR read with, beside the project
	infra/scripts/tesseract

environment: .venv/.working

# Bytecode is compiled at installation: compiling pydantic at each start would triple the start time.

# Runtime dependencies only.
.venv/.running: pyproject.toml uv.lock .python-version | $(UV)
	test -e .venv/.working || $(UV) sync --locked --compile-bytecode
	$(UV) run --no-sync python -m assay.entrypoints.mcp.freeze_catalogue
	@touch $@

# Everything that tests and checks need.
.venv/.working: pyproject.toml uv.lock .python-version | $(UV)
	$(UV) sync --locked --all-extras --group dev --compile-bytecode
	$(UV) run --no-sync python -m compileall -q shared
	@touch $@

.tools/uv/bin/uv:
	python3 -m venv .tools/uv
	.tools/uv/bin/pip install --quiet uv

clean:
	rm -rf .venv .tools .aws-sam dist $(EXTENSIONS)
