#!/bin/sh
# Pins requirements/*.in into *.txt with hashes and without index addresses. Needs uv.
set -eu
cd "$(dirname "$0")"
pin() { uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-annotate "$@"; }
pin runtime.in -o runtime.txt
pin -c runtime.txt dev.in -o dev.txt
