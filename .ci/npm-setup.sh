#!/usr/bin/env bash
# Installs the npm packages of the workspace as package-lock.json has them, when they are not there.
set -euo pipefail
cd "$(dirname "$0")/.."

major=$(node --version 2>/dev/null | sed -n 's/^v\([0-9]*\)\..*/\1/p')
if [ "${major:-0}" -lt 20 ]; then
  printf 'editor: Node 20 or newer with npm is needed (found: %s)\n' "$(node --version 2>/dev/null || echo none)" >&2
  exit 1
fi
# The lint and the editor tests may run at the same time.
exec 8<package-lock.json
flock 8
# A copy of the lock in node_modules tells which one its packages are of.
if [ ! -f node_modules/.unitproof-lock ] || ! cmp -s package-lock.json node_modules/.unitproof-lock; then
  echo "editor: installing the npm packages of the workspace" >&2
  npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2
  cp package-lock.json node_modules/.unitproof-lock
fi
