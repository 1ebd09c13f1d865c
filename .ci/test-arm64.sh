#!/usr/bin/env bash
# Compares the program for arm64 with that for this machine: the findings of a sample of the marked programs, a replay,
# the servers for editors and assistants. The former runs under qemu-aarch64, in this system.
#   .ci/test-arm64.sh ARM64 HERE [FILE.c...]   the two programs; what they check, by default all marked programs
# OF=N takes one marked program in N, by a hash of its name. BELOW=S takes the programs that need less than S seconds of
# CPU on this machine, because qemu takes ten times as long. Registering qemu (binfmt_misc) needs root.
set -euo pipefail
cd "$(dirname "$0")/.."
below=${BELOW:-}
arm=$(realpath "$1") here=$(realpath "$2")
shift 2
of=${OF:-$([ $# -gt 0 ] || [ -n "$below" ] && echo 1 || echo 24)}
[ $# -gt 0 ] || set -- $(git ls-files 'testdata/proofs/*.c' 'testdata/acceptance/*.c')
work=$(mktemp -d)
source .ci/qemu.sh
trap 'rm -rf "$work"; forget_qemu' EXIT

# Programs of arm64 start further ones of themselves, so the kernel has to know the emulator.
"$arm" version >/dev/null 2>&1 || register_qemu
"$arm" version
[ "$("$arm" version)" = "$("$here" version)" ] || { echo "!! the programs are of different commits"; exit 1; }

check() { # check PROGRAM FILE OUT: findings of a marked program, without times
  local flags
  flags=$(sed -nE '1,15s#^(//| \*)? *flags: *([^*]*).*#\2#p' "$2" | head -n1)
  # shellcheck disable=SC2086 # flags are words
  XDG_CACHE_HOME=$work/cache.${3##*/} ${limit:-} "$1" check --no-cache -j 1 --json - $flags "$2" 2>/dev/null |
    python3 -c '
import json, sys
for p in json.load(sys.stdin)["proofs"]:
    print("verdict", p["verdict"], p["name"])
    for o in p["obligations"] or []:
        print(o["kind"], o["verdict"], o["file"], o["line"], o["column"], o.get("reason", ""))' >"$3" || true
}
# A machine as slow as an emulated one unfolds other rounds of some programs (engine.lag of package vcgen): the places
# and kinds that are only proved may differ then, nothing else.
open() { grep -E '^verdict |^[^ ]+ [^p]' "$1"; } # open FILE: the verdict, and the findings that are not proved
n=0 wrong=0 slow=0 rounds=0
TIMEFORMAT='%U %S'
for f in "$@"; do
  grep -q 'verdict: ' "$f" || continue
  [ $((16#$(md5sum <<<"${f##*/}" | cut -c1-7) % of)) = 0 ] || continue
  { time limit=${below:+timeout 20} check "$here" "$f" "$work/here"; } 2>"$work/time"
  if [ -n "$below" ] && { [ ! -s "$work/here" ] || awk -v m="$below" '{ exit $1 + $2 < m }' "$work/time"; }; then
    slow=$((slow + 1))
    continue
  fi
  n=$((n + 1))
  check "$arm" "$f" "$work/arm"
  if [ -s "$work/here" ] && cmp -s "$work/here" "$work/arm"; then
    :
  elif [ -s "$work/here" ] && cmp -s <(open "$work/here") <(open "$work/arm"); then
    rounds=$((rounds + 1))
    echo "   other proved findings: $f"
  else
    wrong=$((wrong + 1))
    echo "!! $f"
    diff "$work/here" "$work/arm" | head -n5 || true
  fi
  [ $((n % 50)) != 0 ] || echo "   $n marked programs"
done
echo "== $n marked programs, $wrong with other findings, $rounds with other proved ones"
[ -z "$below" ] || echo "   $slow programs take longer than $below s here"

export XDG_CACHE_HOME=$work/cache
"$arm" check testdata/proofs/examples/ring_harness.c >/dev/null 2>&1 || true
"$arm" replay testdata/proofs/examples/ring_harness.c >"$work/replay" 2>&1 || true
echo "== replay: $(grep -m1 -oE '(not )?(reproduced|run)( \(.*)?' "$work/replay")"

bash .ci/test-sessions.sh "$arm"
[ $wrong = 0 ]
