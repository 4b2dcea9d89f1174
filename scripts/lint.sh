#!/usr/bin/env bash
# Runs every check of `make lint` and continues after a failure. Needs scripts/setup.sh --no-build.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

failed=()
check() {
    local name=$1
    shift
    echo "lint: $name"
    if ! "$@"; then failed+=("$name"); fi
}

# Versions of clang-format format differently: prefer that of Debian 12.
clang_format=$(command -v clang-format-14 || command -v clang-format)
mapfile -t cpp_files < <(git ls-files '*.cpp' '*.hpp' '*.h' '*.c')
# The recipes in packaging/ are checked by the programs that they are for.
mapfile -t python_files < <(git ls-files '*.py' ':!packaging')

if ((${#cpp_files[@]} == 0 || ${#python_files[@]} == 0)); then
    echo "lint: checks the files that git tracks, and this is not a repository" >&2
    exit 1
fi

check clang-format "$clang_format" --dry-run -Werror "${cpp_files[@]}"
check "ruff check" ruff check "${python_files[@]}"
check "ruff format" ruff format --check "${python_files[@]}"
check mypy mypy "${python_files[@]}"
check "house rules" python scripts/check_house.py
check words python scripts/check_words.py
check documentation python scripts/check_docs.py
check "table of collectivity" python scripts/list_collectivity.py --check
check "types of the core" python scripts/write_stub.py --check

if ((${#failed[@]})); then
    echo "lint: FAILED: ${failed[*]}" >&2
    exit 1
fi
echo "lint: all good"
