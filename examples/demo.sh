#!/usr/bin/env bash
# What `make demo` shows; see examples/demo.py. The Makefile has made the environment and the build before.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
exec "${QUIRE_VENV:-.venv}/bin/python" examples/demo.py "$@"
