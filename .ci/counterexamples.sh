#!/usr/bin/env bash
# Prints counterexamples of acceptance programs into docs/counterexamples.md: behind each line
# "<!-- finding FILE LINE -->" the fenced block is replaced by what check says of that finding.
set -euo pipefail
cd "$(dirname "$0")/.."
page=$PWD/docs/counterexamples.md
program=$PWD/bin/unitproof
out=$(mktemp)
trap 'rm -f "$out"' EXIT
cd testdata/acceptance

finding() { # finding FILE LINE
  # The flags are those of the program's first comment, quoted as for a shell.
  local flags
  flags=$(sed -n '1,12s/^flags: //p' "$1")
  eval "\"\$program\" check --no-cache $flags \"\$1\"" | awk -v at="$1:$2:" '
    index($0, at) == 1 { on = 1 }
    on && $0 == "" { exit }
    on { print }'
}

skip=0
while IFS= read -r line; do
  case $line in
  '<!-- finding '*)
    read -r _ _ file number _ <<<"$line"
    text=$(finding "$file" "$number" || true)
    [ -n "$text" ] || { echo "check finds nothing at $file:$number" >&2; exit 1; }
    printf '%s\n```text\n%s\n```\n' "$line" "$text"
    skip=1 # the old block
    ;;
  '```text') [ "$skip" = 1 ] && skip=2 || printf '%s\n' "$line" ;;
  '```') [ "$skip" = 2 ] && skip=0 || printf '%s\n' "$line" ;;
  *) [ "$skip" = 2 ] || printf '%s\n' "$line" ;;
  esac
done <"$page" >"$out"
cp "$out" "$page"
