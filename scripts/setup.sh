#!/bin/sh
# Makes .venv from requirements/dev.txt, or does nothing if it is made of it already.
set -eu
cd "$(dirname "$0")/.."

say() { printf '%s\n' "$*" >&2; }
die() { say "error: $*"; exit 1; }

stamp=.venv/.made-from
wanted=$(cksum <requirements/dev.txt)
if [ -x .venv/bin/python ] && [ "$(cat "$stamp" 2>/dev/null || true)" = "$wanted" ] && .venv/bin/python -c '' 2>/dev/null; then
    exit 0
fi

new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

# An interpreter that was asked for is taken or refused, never replaced by another.
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
log=.venv/setup.log
if ! .venv/bin/python -m pip install --disable-pip-version-check --no-input --require-hashes \
    -r requirements/dev.txt >"$log" 2>&1; then
    tail -n 5 "$log" >&2
    die "the packages could not be installed; the whole story is in $log"
fi
printf '%s' "$wanted" >"$stamp"
say "set up"
