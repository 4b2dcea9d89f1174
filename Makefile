# The front door. Every target sets up what it needs first (scripts/setup.sh), which does nothing the second time.
#
#   QUIRE_PRESET=openmpi make test      another preset of CMakePresets.json

export QUIRE_PRESET ?= mpich
family := $(if $(filter openmpi serial,$(QUIRE_PRESET)),-$(QUIRE_PRESET))
export QUIRE_VENV ?= $(CURDIR)/.venv$(family)
export PATH := $(QUIRE_VENV)/bin:$(PATH)
export PYTHONPATH := $(CURDIR)/python

.DEFAULT_GOAL := help
.PHONY: help demo test golden nightly soak bench lint format clean setup

help: ## show this list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 10

setup: ## install what is missing, make the environment, build
	@scripts/setup.sh

demo: setup ## the main job from end to end on this machine, in under five minutes
	@examples/demo.sh

test: setup ## all tests but the nightly ones
	@python scripts/run_tests.py

golden: setup ## conformance with the golden vectors alone
	@python scripts/run_tests.py --golden

nightly: setup ## the tests that take too long for every day: more ranks, more examples
	@python scripts/run_tests.py --nightly

soak: setup ## random kills, for as long as it takes
	@python scripts/run_tests.py --soak

bench: setup ## measured against raw writes of the same bytes in the same run
	@python bench/run.py

lint: ## formatting, static checks, the rules of the house
	@scripts/setup.sh --no-build
	@scripts/lint.sh

format: ## format every tracked source file in place
	@scripts/setup.sh --no-build
	@git ls-files '*.cpp' '*.hpp' '*.h' '*.c' | xargs $$(command -v clang-format-14 || command -v clang-format) -i
	@git ls-files '*.py' | xargs ruff check --fix --exit-zero --quiet
	@git ls-files '*.py' | xargs ruff format --quiet

clean: ## remove what was built; the environments stay
	@rm -rf build dist python/quire/_core*.so
