#!/bin/sh
# Pins requirements/*.in into *.txt with hashes and without index addresses. Needs uv.
# Each set holds the one before it, with the same pins; dev holds otel as well. sdk and docs have the
# tools of `make sdk` and `make docs`, and are apart.
set -eu
cd "$(dirname "$0")"
pin() { uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-annotate "$@"; }
pin runtime.in -o runtime.txt
pin -c runtime.txt otel.in -o otel.txt
pin -c runtime.txt embedded.in -o embedded.txt
pin -c embedded.txt -c otel.txt dev.in -o dev.txt
pin sdk.in -o sdk.txt
pin docs.in -o docs.txt
