#!/bin/sh
# Runs the kruise of this package or clone. In a clone that is not built yet, it is built first.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
[ -f "$root/dist/kruise.js" ] || (cd "$root" && npm ci && npm run build) >&2
exec node "$root/dist/kruise.js" "$@"
