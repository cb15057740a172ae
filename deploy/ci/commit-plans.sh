#!/bin/sh
# Commits the plans that the check misses on the commit that is checked out, and pushes them. It leaves the clone at a commit.
# usage: commit-plans.sh BASE BRANCH    BASE: the branch that the change goes to, such as origin/main. BRANCH: the one to push to.
# It never fights the check: it plans the merge that the check sees, acts only where plans are missing or out of date, pushes nothing
# that the check would reject, overwrites no edited plan, and never adds a second commit to its own. KRUISE: as in plan.sh.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
base=$1
branch=$2
author=${KRUISE_BOT_NAME:-kruise}
email=${KRUISE_BOT_EMAIL:-kruise@users.noreply.invalid}
kruise() {
  if [ -n "${KRUISE:-}" ]; then "$KRUISE" "$@"; else sh "$here/kruise.sh" "$@"; fi
}
# Hooks and editors are for people.
git() { GIT_EDITOR=: command git -c core.hooksPath=/dev/null -c "user.name=$author" -c "user.email=$email" "$@"; }
say() { echo "commit-plans: $1" >&2; }

git rev-parse --quiet --verify "$base^{commit}" >/dev/null || { say "$base is not in this clone: fetch it with its history"; exit 1; }
[ -z "$(git status --porcelain --untracked-files=all)" ] || { say 'the working tree has changes'; exit 1; }
head=$(git rev-parse --verify HEAD)
if [ "$(git log -1 --format=%ae)" = "$email" ]; then
  say 'the last commit is one of this program: nothing is added to it'
  exit 0
fi

# The commit that a merge makes, without a branch.
merge() {
  git checkout --quiet --detach "$1"
  git merge --quiet --no-edit "$base" >&2 || { git merge --abort; return 1; }
}
back() { git checkout --quiet --force "$head"; }

merge "$head" || { back; say "the branch conflicts with $base"; exit 1; }
code=0
kruise plan --check --base "$base" || code=$?
if [ "$code" -ne 20 ]; then
  back
  [ "$code" -eq 0 ] && say 'the plans are in order' || say "exit code $code is for a person: nothing is committed"
  exit "$code"
fi
CI='' kruise plan --base "$base" || { back; say 'nothing is committed'; exit 1; }
git add --all
git diff --cached --quiet && { back; say 'kruise plan writes nothing'; exit 1; }
git commit --quiet -m 'Plan rollouts'
planned=$(git rev-parse HEAD)
git checkout --quiet --detach "$head"
git cherry-pick "$planned" >&2 || { git cherry-pick --abort; back; say "rebase on $base first"; exit 1; }
new=$(git rev-parse HEAD)
merge "$new" && kruise plan --check --base "$base" || { back; say 'the check would fail still: nothing is pushed'; exit 1; }
git checkout --quiet --detach "$new"
# Only where the branch is at the commit that was planned: it may have moved, be gone after a merge, or be another one of that name.
git push --quiet --force-with-lease="refs/heads/$branch:$head" origin "$new:refs/heads/$branch" ||
  { say "$branch is not at $head any more: nothing is pushed"; exit 1; }
say "pushed plans to $branch"
