#!/usr/bin/env bash
# Makes everything that building and testing need, and does nothing where it is made already:
# system packages, a virtual environment, the build of one preset, the command `quire`.
#
#   scripts/setup.sh              packages, environment and build
#   scripts/setup.sh --no-build   packages and environment only
#   scripts/setup.sh --only demo  packages and environment, and of the build one target and what it needs
#
#   QUIRE_PRESET   a configure preset of CMakePresets.json            (default mpich)
#   QUIRE_VENV     the virtual environment                            (default .venv, .venv-openmpi, .venv-serial)
#   QUIRE_JOBS     how many compilers at once                         (default: one per processor)
#   QUIRE_PYTHON3  the Python 3.11 that the environment is made from  (default: the first complete one found)
#
# Exit codes: 0 ready, 1 a step failed (details in build/setup.log), 3 packages are missing and may not be
# installed from here; they are named with the command that installs them.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

preset=${QUIRE_PRESET:-mpich}
case $preset in
    mpich | asan | tidy) family=mpich default_venv=.venv ;;
    openmpi | serial) family=$preset default_venv=.venv-$preset ;;
    tsan) family=serial default_venv=.venv-serial ;;
    *)
        echo "setup: no preset '$preset'; there are mpich, openmpi, serial, asan, tsan and tidy" >&2
        exit 2
        ;;
esac
venv=$(realpath -m "${QUIRE_VENV:-$default_venv}")
build=$root/build/$preset
log=$root/build/setup.log
jobs=${QUIRE_JOBS:-$(nproc)}

say() { echo "setup: $*"; }

# Runs a command with its output in the log; on failure shows the end of the log and stops.
logged() {
    local what=$1
    shift
    echo "--- $(date -u +%H:%M:%S) $*" >>"$log"
    if ! "$@" >>"$log" 2>&1; then
        say "FAILED: $what; the end of build/setup.log:" >&2
        tail -n 60 "$log" >&2
        exit 1
    fi
}

# The lines of a requirement list without comments.
entries() { sed -e 's/[[:space:]]*#.*//' -e '/^[[:space:]]*$/d' "$1"; }

# A Python 3.11 that can make environments and build extensions.
is_complete_python() {
    "$1" -c '
import ensurepip, os, sys, sysconfig, venv
header = os.path.join(sysconfig.get_path("include"), "Python.h")
sys.exit(0 if sys.version_info[:2] == (3, 11) and os.path.exists(header) else 1)' >/dev/null 2>&1
}

find_python() {
    local candidate
    for candidate in ${QUIRE_PYTHON3:+"$QUIRE_PYTHON3"} /usr/bin/python3.11 python3.11 python3; do
        if is_complete_python "$candidate"; then
            command -v "$candidate"
            return 0
        fi
    done
    return 1
}

# The packages of the list that this preset needs and that are not installed, one a line.
missing_packages() {
    local wanted=" all $family $preset "
    if [[ ! -x $venv/bin/python ]] && ! find_python >/dev/null; then wanted+="python "; fi
    local installed
    installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' | sed -n 's/^installed //p')
    local who package
    while read -r who package; do
        if [[ $wanted == *" $who "* ]] && ! grep -qxF "$package" <<<"$installed"; then echo "$package"; fi
    done < <(entries scripts/packages-debian.txt)
}

install_packages() {
    if ! command -v dpkg-query >/dev/null; then
        say "this is not a Debian system: the packages of scripts/packages-debian.txt are taken for granted"
        return
    fi
    local missing
    missing=$(missing_packages | tr '\n' ' ')
    missing=${missing% }
    if [[ -z $missing ]]; then return; fi

    local -a as_root=()
    if [[ $(id -u) != 0 ]]; then as_root=(sudo -n); fi
    if [[ $(id -u) != 0 ]] && ! sudo -n true 2>/dev/null; then
        say "these system packages are missing, and only root may install them: $missing" >&2
        say "run: sudo apt-get update && sudo apt-get install --no-install-recommends $missing" >&2
        exit 3
    fi
    local -a packages
    read -ra packages <<<"$missing"
    say "installing ${#packages[@]} system packages: $missing"
    logged "apt-get update" "${as_root[@]}" apt-get -o DPkg::Lock::Timeout=300 update
    logged "apt-get install $missing" "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends "${packages[@]}"
}

pip_install() { "$venv/bin/python" -m pip install --disable-pip-version-check --quiet "$@"; }

install_mpi4py() {
    if [[ $family == serial ]]; then return; fi
    say "building mpi4py with mpicc.$family"
    # pip keeps what it builds by name and version alone, so its cache may hold another MPI's.
    # No optimisation: its functions only pass arguments on, and with -O1 it takes four times as long.
    logged "mpi4py" env MPICC="mpicc.$family" CFLAGS="-O0 -g0" "$venv/bin/python" -m pip install --disable-pip-version-check --quiet \
        --no-cache-dir --no-binary mpi4py -r scripts/requirements-mpi.txt
    local -a oversubscribe=()
    if [[ $family == openmpi ]]; then oversubscribe=(--allow-run-as-root --oversubscribe); fi
    logged "mpi4py sees two ranks" timeout 60 "mpiexec.$family" "${oversubscribe[@]}" -n 2 "$venv/bin/python" -c \
        'from mpi4py import MPI; assert MPI.COMM_WORLD.size == 2, MPI.COMM_WORLD.size'
}

install_peers() {
    local folder module requirement
    while read -r folder module requirement; do
        logged "$requirement" pip_install --upgrade --no-deps --target "$venv/peers/$folder" "$requirement"
        logged "import of $requirement" env PYTHONPATH="$venv/peers/$folder" "$venv/bin/python" -c "import $module"
    done < <(entries scripts/requirements-peers.txt)
}

# Makes `import quire` and the command work from the sources, without a second compilation. In an environment
# that belongs to another checkout the caller's PYTHONPATH decides.
link_package() {
    if [[ $venv != "$root"/* ]]; then return; fi
    local site
    site=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
    echo "$root/python" >"$site/quire-sources.pth"
    cat >"$venv/bin/quire" <<END
#!$venv/bin/python
import sys

from quire.cli.start import main

sys.exit(main())
END
    chmod +x "$venv/bin/quire"
}

make_environment() {
    local stamp=$venv/.quire-stamp wanted
    wanted=$(cat scripts/requirements-*.txt | sha256sum | cut -d' ' -f1)-$family
    if [[ -f $stamp && $(<"$stamp") == "$wanted" ]]; then return; fi

    local python
    if [[ ! -x $venv/bin/python ]]; then
        if ! python=$(find_python); then
            say "no Python 3.11 with venv and Python.h was found; install one or name it in QUIRE_PYTHON3" >&2
            exit 3
        fi
        say "making the environment ${venv#"$root"/} from $python"
        logged "python -m venv" "$python" -m venv "$venv"
    fi
    say "installing Python packages"
    logged "pip install" pip_install --upgrade -r scripts/requirements-base.txt
    link_package
    # The build needs none of these, so it does not wait for them.
    (
        logged "pip install of tests" pip_install --upgrade -r scripts/requirements-base.txt \
            -r scripts/requirements-test.txt -r scripts/requirements-docs.txt
        install_mpi4py
        say "installing peers for cross-reading"
        install_peers
        echo "$wanted" >"$stamp"
    ) &
    rest=$!
}

build_preset() {
    local stamp=$build/.quire-stamp wanted
    wanted=$(cat CMakePresets.json | sha256sum | cut -d' ' -f1)-$venv
    if [[ ! -f $build/build.ninja || ! -f $stamp || $(<"$stamp") != "$wanted" ]]; then
        local with_python=ON
        case $preset in asan | tsan | tidy) with_python=OFF ;; esac
        say "configuring preset $preset"
        logged "cmake --preset $preset" cmake --preset "$preset" -DQUIRE_PYTHON=$with_python \
            -DPython_EXECUTABLE="$venv/bin/python"
        echo "$wanted" >"$stamp"
    fi
    say "building preset $preset ($target) with $jobs jobs (the first time takes minutes)"
    logged "build" cmake --build "$build" -j "$jobs" --target "$target"
}

with_build=yes target=all rest=''
case ${1:-} in
    '') ;;
    --no-build) with_build=no ;;
    --only) target=${2:?"a target of the build"} ;;
    *)
        echo "setup: no option '$1'; there are --no-build and --only TARGET" >&2
        exit 2
        ;;
esac

mkdir -p build
# Two at once would install into each other.
exec 9>build/.setup-lock
flock 9

# The log keeps the first set-up too, until it is too long to read.
if [[ -f $log && $(stat -c %s "$log") -gt 4000000 ]]; then : >"$log"; fi
echo "=== $(date -u +%F) preset $preset" >>"$log"
started=$SECONDS
install_packages
make_environment
if [[ $with_build == yes ]]; then build_preset; fi
if [[ -n $rest ]]; then wait "$rest"; fi
say "ready after $((SECONDS - started)) s"
