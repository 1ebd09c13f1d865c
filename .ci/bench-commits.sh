#!/usr/bin/env bash
# Builds two commits in folders of their own and measures them alternately, in one run:
#   .ci/bench-commits.sh A B [arguments of "unitproof bench"]
# The bench that compares is that of the commit B, or the present one where B has none that compares programs.
set -euo pipefail
[ $# -ge 2 ] || { echo "usage: make bench-commits A=COMMIT B=COMMIT [DIR=FOLDER] [RUNS=N]" >&2; exit 2; }
a=$1 b=$2
shift 2
root=$(git rev-parse --show-toplevel)
tmp=$(mktemp -d)
cleanup() {
  for side in a b; do git -C "$root" worktree remove --force "$tmp/$side" 2>/dev/null || true; done
  rm -rf "$tmp"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

for side in a b; do
  commit=${!side}
  git -C "$root" worktree add --quiet --detach "$tmp/$side" "$commit"
  name=$(git -C "$root" describe --always --abbrev=12 "$commit")
  echo "building $commit ($name)" >&2
  (cd "$tmp/$side" && ${GO:-go} build -ldflags "-X main.commit=$name" -o "$tmp/unitproof-$side" ./cmd/unitproof)
done
driver=$tmp/unitproof-b
if ! "$driver" bench --help 2>&1 | grep -q -- --against; then
  driver=$root/bin/unitproof
fi
"$driver" bench --program "$tmp/unitproof-b" --against "$tmp/unitproof-a" "$@"
