#!/usr/bin/env bash
# Shows what the program says about three small proofs. Their folder's unitproof.toml names the
# verdict that each is expected to have, so check itself tells whether the demo went well.
set -euo pipefail
cd "$(dirname "$0")/.."
examples=testdata/proofs/examples

show() { # show FILE TEXT...
  file=$1
  shift
  printf '\n'
  printf '%s\n' "$@"
  printf '\n$ bin/unitproof check %s\n' "$examples/$file"
  bin/unitproof check "$examples/$file"
}

cat <<'END'
A unit proof is a C function like a unit test, only that its inputs are arbitrary: nd_int() is
every int at once. assume(c) keeps the inputs that make sense, sassert(c) has to hold for all of
them, and so does the safety of every memory access on the way.
END

show clamp_harness.c \
  '1. PROVED. clamp() gives a value between its bounds, for all 2^96 inputs.'

show ring_harness.c \
  '2. FAILED. ring_push() forgets that the buffer can be full. Below the message stand the inputs' \
  'of one execution that shows it, and what the program did with them.'

show percent_harness.c \
  '3. VACUOUS. This assertion "holds" only because nothing reaches it: the two assumptions exclude' \
  'each other. A test that checks nothing is worse than none, so this is no success.'

printf '\nAll three are as expected (%s). Now write your own: see README.md.\n' "$examples/unitproof.toml"
