#!/bin/bash
# Checks the marked programs beside it, and five that TestAcceptance has, and prints a line for each: right, wrong, or
# open if it is not decided.
# usage: table.sh [PROGRAM...]
# UNITPROOF is the program (default: unitproof), SECONDS_EACH the limit for each program (default: 60).
set -u
here=$(cd "$(dirname "$0")" && pwd)
program=$(command -v "${UNITPROOF:-unitproof}")
tested=$here/../acceptance/unbounded
[ $# -gt 0 ] || set -- "$here"/*.c "$tested"/{airlock,both_exits,moving_average,peterson,quadratic_sum}.c
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
declare -A count=([right]=0 [open]=0 [wrong]=0)
for file in "$@"; do
  want=$(sed -n 's/^verdict: //p' "$file")
  flags=$(sed -n 's/^flags: //p' "$file")
  marker=$(grep -n '// want failed' "$file" | head -1)
  rm -f "$out/json"
  begin=$(date +%s.%N)
  # shellcheck disable=SC2086 # flags are several words
  "$program" check --timeout "${SECONDS_EACH:-60}s" --json "$out/json" $flags "$file" >"$out/text" 2>&1
  seconds=$(bc <<<"$(date +%s.%N) - $begin")
  got=$(jq -r '.proofs[0].verdict // "error"' "$out/json" 2>/dev/null || echo error)
  result=open
  case $want-$got in
  proved-proved) result=right ;;
  failed-failed)
    result=wrong
    jq -e --argjson line "${marker%%:*}" --arg kind "${marker##*failed }" '.proofs[0].obligations |
      any(.verdict == "failed" and .line == $line and .kind == $kind)' "$out/json" >/dev/null && result=right
    ;;
  proved-failed | failed-proved | *-error | *-vacuous) result=wrong ;;
  esac
  count[$result]=$((count[$result] + 1))
  printf '%-6s %-32s wants %-7s is %-8s %6.1f s\n' "$result" "$(basename "$file" .c)" "$want" "$got" "$seconds"
done
echo "${count[right]} right, ${count[open]} open, ${count[wrong]} wrong"
[ "${count[wrong]}" -eq 0 ]
