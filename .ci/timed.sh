#!/usr/bin/env bash
# Runs a command and appends how long it took to the file that TIMES names, if it is set: .ci/timed.sh NAME COMMAND...
set -uo pipefail
name=$1
shift
start=$(date +%s)
"$@"
status=$?
if [ -n "${TIMES:-}" ]; then
  printf '%5d s  %s\n' "$(($(date +%s) - start))" "$name" >>"$TIMES"
fi
exit "$status"
