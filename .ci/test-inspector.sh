#!/usr/bin/env bash
# Calls the tools of "unitproof mcp" by the protocol's inspector (test-inspector.mjs). It comes from npm, into a folder
# of its own, which is taken away again unless INSPECTOR names one that stays.
set -euo pipefail
cd "$(dirname "$0")/.."

version=1.0.3 # the last one for Node 20
inspector=${INSPECTOR:-}
if [ -z "$inspector" ]; then
  inspector=$(mktemp -d)
  trap 'rm -rf "$inspector"' EXIT
fi
if [ ! -d "$inspector/node_modules/@modelcontextprotocol/inspector" ]; then
  mkdir -p "$inspector"
  npm install --prefix "$inspector" --no-audit --no-fund --loglevel=error \
    "@modelcontextprotocol/inspector@$version" >&2
fi
node .ci/test-inspector.mjs "$PWD/bin/unitproof" "$inspector/node_modules/.bin/mcp-inspector"
