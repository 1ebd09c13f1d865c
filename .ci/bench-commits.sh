#!/usr/bin/env bash
# Builds two commits in folders of their own and measures them alternately, in one run:
#   .ci/bench-commits.sh A B [arguments of "unitproof-bench stages"]
# The program that compares is the present one. Of a commit that has no unitproof-bench yet, "unitproof bench" is
# measured.
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
  flags="-X main.commit=$name -X github.com/unitproof/unitproof/cmd/internal/cli.commit=$name"
  if [ -d "$tmp/$side/cmd/unitproof-bench" ]; then
    (cd "$tmp/$side" && ${GO:-go} build -ldflags "$flags" -o "$tmp/bench-$side" ./cmd/unitproof-bench)
  else
    (cd "$tmp/$side" && ${GO:-go} build -ldflags "$flags" -o "$tmp/unitproof-$side" ./cmd/unitproof)
    # It is called as "PROGRAM stages ARGUMENTS".
    printf '#!/bin/sh\nshift\nexec "%s" bench "$@"\n' "$tmp/unitproof-$side" >"$tmp/bench-$side"
    chmod 755 "$tmp/bench-$side"
  fi
done
"$root/bin/unitproof-bench" stages --program "$tmp/bench-b" --against "$tmp/bench-a" "$@"
