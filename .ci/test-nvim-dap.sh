#!/usr/bin/env bash
# The debug adapter with nvim-dap in a headless Neovim. The plugin is not part of the project: the argument names
# a folder that holds it. Whatever is missing is a failure, so that this test cannot pass by testing nothing.
set -euo pipefail
cd "$(dirname "$0")/.."

plugin=${1:-}
if [ -z "$plugin" ] || [ ! -f "$plugin/lua/dap.lua" ]; then
  echo "nvim-dap: name a folder that holds it: make test-nvim-dap NVIM_DAP=FOLDER
  git clone --branch 0.10.0 https://github.com/mfussenegger/nvim-dap FOLDER   (0.6.0 and 0.10.0 work with Neovim 0.7.2)" >&2
  exit 1
fi
nvim --version | head -1 >&2
out=$(UNITPROOF_NVIM_DAP=$(realpath "$plugin") go test ./lsp/dap -run '^TestNvimDap$' -count=1 -v 2>&1) ||
  { echo "$out" >&2; exit 1; }
echo "$out" >&2
grep -q '^--- PASS: TestNvimDap' <<<"$out"
