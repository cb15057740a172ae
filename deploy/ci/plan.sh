#!/bin/sh
# Checks the plans of the commit that is checked out, and ends with the exit code of the check.
# usage: plan.sh FOLDER [ARGUMENT of kruise plan]…
# FOLDER gets plan.json, comment.md, annotations.txt and code-quality.json. KRUISE: the program (default: kruise.sh beside this file).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=$1
shift
kruise() {
  if [ -n "${KRUISE:-}" ]; then "$KRUISE" "$@"; else sh "$here/kruise.sh" "$@"; fi
}
mkdir -p "$out"
code=0
kruise plan --check -o json "$@" >"$out/plan.json" || code=$?
# What cannot be rendered is missing: the exit code is that of the check alone.
render() {
  file=$out/$1
  shift
  kruise comment "$out/plan.json" "$@" >"$file" || { rm -f "$file"; echo "plan.sh: there is no $file" >&2; }
}
if [ -s "$out/plan.json" ]; then
  render comment.md
  render annotations.txt -o github
  render code-quality.json -o gitlab
else
  rm -f "$out/plan.json"
fi
exit "$code"
