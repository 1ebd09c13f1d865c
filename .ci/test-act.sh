#!/usr/bin/env bash
# Runs action.yml in a workflow by nektos/act in its host mode, twice, on a Makefile project with a failing proof: text,
# SARIF, outputs, and results of the first run in the second one. The actions/cache that the action uses is not part of
# the project: CACHE_ACTION names a clone of it. Needs Node. The upload to GitHub is replaced by a copy.
#   .ci/test-act.sh PROGRAM   or the Debian package, which the action installs: for a system that may be changed
# ACT is the program of nektos/act, if it is there already.
set -euo pipefail
cd "$(dirname "$0")/.."
program=$(realpath "$1") cache_action=$(realpath "${CACHE_ACTION:?a clone of github.com/actions/cache}")
root=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ -n "${ACT:-}" ]; then cp "$ACT" "$work/act"; else
  (cd testdata/act && GOFLAGS=-mod=mod go build -o "$work/act" github.com/nektos/act)
fi
mkdir -p "$work/home" "$work/bin" "$work/project/.github/workflows"
package=
if [[ $program == *.deb ]]; then package=$program; else ln -s "$program" "$work/bin/unitproof"; fi

# What a user would write, with the action in place of its published address.
cd "$work/project"
cat >.github/workflows/proofs.yml <<'END'
name: unit proofs
on: [push]
jobs:
  prove:
    runs-on: ubuntu-24.04
    steps:
      - uses: actions/checkout@v5
      # GitHub's machines have the checkout at the same path each time; act does not.
      - run: rm -rf WORK/checkout && cp -r . WORK/checkout
      - uses: OWNER/unitproof@v1
        id: proofs
        with:
          package: "PACKAGE"
          working-directory: WORK/checkout
          build: make half.o
          args: --json result.json
          upload: true
      - if: always()
        run: |
          echo "outputs: ${{ steps.proofs.outputs.status }} ${{ steps.proofs.outputs.sarif }}"
          if grep -q '"cached": true' WORK/checkout/result.json; then echo "outputs: cached"; fi
END
sed -i -e "s|WORK|$work|g" -e "s|PACKAGE|$package|" .github/workflows/proofs.yml
# In place of GitHub's code scanning: a copy of what would be uploaded.
mkdir -p "$work/codeql/upload-sarif"
cat >"$work/codeql/upload-sarif/action.yml" <<'END'
name: upload
inputs:
  sarif_file:
    required: true
runs:
  using: node20
  main: copy.js
END
echo 'require("fs").copyFileSync(process.env.INPUT_SARIF_FILE, process.env.HOME + "/uploaded.sarif")' \
  >"$work/codeql/upload-sarif/copy.js"
printf 'half.o: half.c\n\tcc -DBY=2 -c half.c\n' >Makefile
echo 'int half(int x) { return x / BY; }' >half.c
cat >half_harness.c <<'END'
#include <unitproof.h>
int half(int x);
int main(void) {
  int x = nd_int();
  sassert(half(x) <= x);
}
END
touch unitproof.toml
git init -q .
git add .
git -c user.name=trial -c user.email=trial@example.com commit -qm first

run() { # run LOG: as a push
  git -c user.name=trial -c user.email=trial@example.com commit -qm "$1" --allow-empty
  rm -rf "$work/home/.cache/unitproof" "$work/home/uploaded.sarif" # a new machine
  env -u XDG_CACHE_HOME HOME="$work/home" PATH="$work/bin:$PATH" GITHUB_STEP_SUMMARY= "$work/act" push \
    -P ubuntu-24.04=-self-hosted --cache-server-path "$work/cache" --local-repository "OWNER/unitproof@v1=$root" \
    --local-repository "actions/cache@v5=$cache_action" \
    --local-repository "github/codeql-action@v4=$work/codeql" >"$work/$1.log" 2>&1 && wrong "$1 passes"
  shown "$1" 'half_harness.c:5:3: failed \[assertion\]'
  shown "$1" '1 proof: 1 failed'
  shown "$1" 'outputs: 1 .*unitproof.sarif'
  grep -q half_harness.c "$work/home/uploaded.sarif" || wrong "$1: no SARIF was uploaded"
}
wrong() { echo "!! $*"; tail -n 60 "$work"/*.log; exit 1; }
shown() { grep -qE "$2" "$work/$1.log" || wrong "the $1 run does not show $2"; } # shown LOG TEXT
run first
if grep -q '| outputs: cached' "$work/first.log"; then wrong "the first run has results"; fi
run second
shown second 'Cache restored from key: unitproof-'
shown second '\| outputs: cached'
if [ -n "$package" ]; then shown first 'Setting up unitproof'; fi
echo "== act $("$work/act" --version | cut -d' ' -f3): a failed proof twice, the second time from the cache"
