#!/usr/bin/env bash
# Write the digest of each image's tag into docker-compose.yml and Dockerfile. Needs Docker and a way
# to the registry. Run it to adopt a new version of a tag, then review the difference.
set -euo pipefail
cd "$(dirname "$0")/.."

files=(docker-compose.yml Dockerfile)
images=$(sed -nE 's/^( *image: |FROM )([a-z0-9\/-]+:[A-Za-z0-9_.-]+)(@sha256:[0-9a-f]{64})?$/\2/p' "${files[@]}" \
  | grep -v '^support-engine:' | sort -u)

for image in $images; do
  digest=$(docker buildx imagetools inspect "$image" --format '{{.Manifest.Digest}}')
  [[ $digest =~ ^sha256:[0-9a-f]{64}$ ]] || { echo "no digest of $image: $digest" >&2; exit 1; }
  sed -i -E "s#(${image//./\\.})(@sha256:[0-9a-f]{64})?\$#\1@$digest#" "${files[@]}"
  echo "$image@$digest"
done
