#!/usr/bin/env bash
# Calls the tools of "unitproof mcp" by the protocol's inspector, a client of others, in its command-line mode. It comes
# from npm, into a folder of its own, which is taken away again unless INSPECTOR names one that stays.
set -euo pipefail
cd "$(dirname "$0")/.."

version=0.15.0
program=$PWD/bin/unitproof
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
inspector=${INSPECTOR:-$work/inspector}
if [ ! -d "$inspector/node_modules/@modelcontextprotocol/inspector" ]; then
  mkdir -p "$inspector"
  npm install --prefix "$inspector" --no-audit --no-fund --loglevel=error \
    "@modelcontextprotocol/inspector@$version" >&2
fi
mkdir "$work/project"
touch "$work/project/unitproof.toml"
cat >"$work/project/p.c" <<'END'
#include <unitproof.h>
int main(void) { sassert(nd_int() != 7); }
END

# expect WORDS ARGS...: the answer has the words.
expect() {
  local words=$1 answer
  shift
  answer=$("$inspector/node_modules/.bin/mcp-inspector" --cli "$program" mcp --no-cache "$work/project" "$@" 2>&1) ||
    true
  if ! grep -qF -- "$words" <<<"$answer"; then
    printf 'the inspector with %s: no "%s" in\n%s\n' "$*" "$words" "$answer" >&2
    exit 1
  fi
}
call() { expect "$1" --method tools/call --tool-name "${@:2}"; }

for tool in proofs check try finding why strength cost replay suggest new audit explain selftest; do
  expect "\"name\": \"$tool\"" --method tools/list
done
call '\"not-checked\":1' proofs
call '\"verdict\":\"failed\"' check
call '\"verdict\":\"proved\"' try --tool-arg 'edits=[{"file":"p.c","old":"!= 7","new":"< 2147483648LL"}]'
call 'is not the id of a finding' finding --tool-arg id=x
call '# bounded' explain --tool-arg word=bounded
call '\"ok\":true' selftest
call 'no proof is called' check --tool-arg 'names=["none"]'
expect 'unitproof://report/{+proof}' --method resources/templates/list
echo "the inspector $version: all answers are as expected"
