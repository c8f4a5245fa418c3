#!/bin/sh
# Install one set of requirements/ into .venv: `sh scripts/setup.sh embedded` to run the service,
# `sh scripts/setup.sh dev` to also test and check it. Does nothing if the set is installed. A larger
# set is added to a smaller one. If the requirements have changed, .venv is created again.
set -eu
cd "$(dirname "$0")/.."

say() { printf '%s\n' "$*" >&2; }
die() { say "error: $*"; exit 1; }

set=${1:-}
case "$set" in
    embedded) holds="embedded" ;;
    dev) holds="embedded dev" ;;
    *) die "usage: sh scripts/setup.sh embedded|dev" ;;
esac

# Concurrent runs, as by make -j, wait for one another.
exec 9<"$0"
flock 9

# A line for each set that is installed in .venv: the set's name and its file's checksum.
stamp=.venv/.made-from
line_of() { printf '%s %s' "$1" "$(cksum <"requirements/$1.txt")"; }
current() {
    [ -s "$stamp" ] && .venv/bin/python -c '' 2>/dev/null || return 1
    while read -r name checksum; do
        [ -f "requirements/$name.txt" ] && [ "$name $checksum" = "$(line_of "$name")" ] || return 1
    done <"$stamp"
}
log=.venv/setup.log
install() {
    # If the installation is interrupted, the stamp is missing, and .venv is created again.
    rm -f "$stamp"
    if ! .venv/bin/python -m pip install --disable-pip-version-check --no-input --require-hashes \
        -r "requirements/$set.txt" >"$log" 2>&1; then
        tail -n 5 "$log" >&2
        die "the packages could not be installed; the whole story is in $log"
    fi
    for name in $holds; do printf '%s\n' "$(line_of "$name")"; done >"$stamp"
    say "set up"
}

if current; then
    if ! grep -q "^$set " "$stamp"; then
        say "adding to .venv what tests and checks need (once, about half a minute)"
        install
    fi
    exit 0
fi

new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

# An interpreter named by PYTHON is used or refused, never replaced by another.
if [ "${PYTHON:-python3}" != python3 ] && ! new_enough "$PYTHON"; then
    die "PYTHON=$PYTHON is no Python 3.11 or newer"
fi
python=""
for candidate in "${PYTHON:-python3}" python3.13 python3.12 python3.11 python3; do
    if new_enough "$candidate"; then
        python=$candidate
        break
    fi
done
[ -n "$python" ] || die "Python 3.11 or newer is needed and was not found; install it or name it: make PYTHON=/path/to/python3.11"

touch .setup-probe 2>/dev/null || die "this folder cannot be written: $(pwd)"
rm -f .setup-probe

"$python" -c 'import ensurepip, venv' 2>/dev/null \
    || die "$python lacks the venv module; on Debian: apt-get install python3-venv"

say "setting up .venv with $("$python" --version) (once, about a minute)"
rm -rf .venv
"$python" -m venv .venv
install
