#!/bin/sh
# Installs what tests want from the system and pip cannot bring: LibreOffice, which opens the CSV of
# an export. Without it those tests are skipped, so whatever goes wrong here is only said.
set -u

say() { printf '%s\n' "$*" >&2; }
without() { say "warning: $*; the tests that open a CSV in LibreOffice will be skipped"; exit 0; }

command -v soffice >/dev/null 2>&1 && exit 0
command -v apt-get >/dev/null 2>&1 || without "soffice is missing, and there is no apt-get"

root=""
if [ "$(id -u)" != 0 ]; then
    sudo -n true 2>/dev/null || without "soffice is missing, and installing it needs root"
    root="sudo -n"
fi

log=$(mktemp) || without "no temporary file"
trap 'rm -f "$log"' EXIT
say "installing LibreOffice's spreadsheet (once, a minute or two)"
install() {
    $root env DEBIAN_FRONTEND=noninteractive timeout 600 apt-get "$@" </dev/null >"$log" 2>&1
}
install -qq update || say "warning: apt-get update failed; trying with the lists that are there"
if ! install -qq --no-install-recommends -y install libreoffice-calc-nogui; then
    tail -n 3 "$log" >&2
    without "LibreOffice could not be installed"
fi
command -v soffice >/dev/null 2>&1 || without "LibreOffice was installed, but soffice is not found"
