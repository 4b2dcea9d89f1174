# Every target first sets up its requirements (scripts/setup.sh), which does nothing if they exist.
#
#   QUIRE_PRESET=openmpi make test      another preset of CMakePresets.json

export QUIRE_PRESET ?= mpich
family := $(if $(filter openmpi serial,$(QUIRE_PRESET)),-$(QUIRE_PRESET))
export QUIRE_VENV ?= $(CURDIR)/.venv$(family)
export PATH := $(QUIRE_VENV)/bin:$(PATH)
export PYTHONPATH := $(CURDIR)/python

.DEFAULT_GOAL := help
.PHONY: help demo docs man test golden nightly soak bench lint format stub clean setup

help: ## print this list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 10

setup: ## install missing packages, create the environment, build
	@scripts/setup.sh

demo: ## a complete example on this machine; on two processors eight minutes the first time, then one
	@scripts/setup.sh --only demo
	@examples/demo.sh

test: setup ## all tests except the nightly ones
	@python scripts/run_tests.py

golden: setup ## only the conformance with the golden files
	@python scripts/run_tests.py --golden

nightly: setup ## the long tests: more ranks, more examples
	@python scripts/run_tests.py --nightly

soak: setup ## kill runs at random times, about 50 minutes
	@python scripts/run_tests.py --soak

bench: setup ## measure the performance targets against raw writes
	@python bench/run.py

docs: setup ## build the manual as a site in build/docs/html
	@python scripts/build_docs.py

man: setup ## write the man pages of the commands into build/man; the build and the wheel have them, too
	@python scripts/write_man.py build/man

lint: ## formatting, static checks, the rules of the project
	@scripts/setup.sh --no-build
	@scripts/lint.sh

format: ## format every tracked source file in place
	@scripts/setup.sh --no-build
	@git ls-files '*.cpp' '*.hpp' '*.h' '*.c' | xargs $$(command -v clang-format-14 || command -v clang-format) -i
	@git ls-files '*.py' | xargs ruff check --fix --exit-zero --quiet
	@git ls-files '*.py' | xargs ruff format --quiet

stub: setup ## write what is generated: types of the core, options of formats, table of collectivity
	@python scripts/write_stub.py
	@python scripts/write_options.py
	@python scripts/list_collectivity.py

clean: ## remove builds; keep the environments
	@rm -rf build dist python/quire/_core*.so
