#!/bin/bash
# Writes a harness for each line of functions.txt, checks it and prints a line of the table "any length".
# usage: table.sh CLONES [FUNCTION...]   CLONES holds a folder OWNER+NAME or OWNER/NAME for each repository
# UNITPROOF is the program (default: unitproof), SECONDS_EACH the limit for each function (default: 60). With
# ATTACK=SECONDS each proved function is executed natively for that time, with random and changed inputs; a violation
# refutes the proof, and the exit status is 1.
set -u
here=$(cd "$(dirname "$0")" && pwd)
clones=$1
program=$(command -v "${UNITPROOF:-unitproof}")
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf '%-24s %-28s %-9s %6s %6s  %s\n' function library verdict time proved 'not proved'
grep '|' "$here/functions.txt" | while IFS='|' read -r name repo files body; do
  name=${name// /} repo=${repo// /} files=${files// /}
  [ $# -eq 0 ] || [[ " $* " == *" $name "* ]] || continue
  folder=$clones/${repo/\//+}
  [ -d "$folder" ] || folder=$clones/$repo
  if [ ! -d "$folder" ]; then
    printf '%-24s %-28s no clone\n' "$name" "$repo"
    continue
  fi
  file=$work/harness_$name.c # no file of a library has this name
  {
    echo '#include "anylength.h"'
    tr , '\n' <<<"$files" | sed "s|.*|#include \"&\"|"
    [ "$files" != cmp.c ] || cat "$here/cmp_input.h"
    echo "void any_length(void) {"
    echo "  $body"
    echo "}"
  } >"$file"
  includes=(-I"$here" -I"$folder" -I"$folder/src" -I"$folder/include" -I"$folder/lib")
  rm -f "$work/out.json"
  proof=(--cflag=-Wno-everything -DQOI_IMPLEMENTATION -DOPTPARSE_IMPLEMENTATION "${includes[@]}")
  proof+=(--entry any_length "$file")
  begin=$(date +%s.%N)
  "$program" check --timeout "${SECONDS_EACH:-60}s" --max-memory 4G --json "$work/out.json" "${proof[@]}" \
    >"$work/out.txt" 2>&1
  end=$(date +%s.%N)
  if ! jq -e .proofs "$work/out.json" >/dev/null 2>&1; then
    printf '%-24s %-28s error     %s\n' "$name" "$repo" "$(head -1 "$work/out.txt")"
    continue
  fi
  jq -r --arg t "$(printf '%.1f' "$(bc <<<"$end - $begin")")" --arg n "$name" --arg r "$repo" -f "$here/row.jq" \
    "$work/out.json"
  if [ -n "${ATTACK:-}" ] && jq -e '.proofs[0].verdict == "proved"' "$work/out.json" >/dev/null; then
    "$program" run -v --seconds "$ATTACK" --first "${proof[@]}" >"$work/run.txt" 2>&1
    case $? in
    0) echo "  attacked: $(sed -n 's/^ *harness_[^:]*: \([0-9]* runs\).*/\1/p' "$work/run.txt"), no violation" &&
      grep 'not confirmed' "$work/run.txt" ;;
    1) echo "  REFUTED by a native run:" && cat "$work/run.txt" && touch "$work/refuted" ;;
    *) echo "  not attacked: $(grep -v '^$' "$work/run.txt" | head -1)" ;;
    esac
  fi
done
[ ! -e "$work/refuted" ]
