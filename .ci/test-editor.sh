#!/usr/bin/env bash
# The tests of the editor integrations: the Neovim plugin in Neovim; the configuration for Emacs in Emacs;
# the VS Code extension's parts alone, then the packaged extension with its server in a real VS Code, driven
# in headless Chromium: at work, and where something is missing or not trusted. Installs what is missing.
# Pictures of what was seen, and of failures, are left in bin/editor-test.
set -euo pipefail
cd "$(dirname "$0")/.."

vscode=$(bash .ci/editor-setup.sh | tail -1)
bash .ci/test-nvim.sh
bash .ci/test-emacs.sh
bash .ci/vsix.sh
export VSCODE=$vscode PICTURES=$PWD/bin/editor-test
VSIX=$(ls "$PWD"/bin/unitproof-*-linux-*.vsix | tail -1)
export VSIX
rm -rf "$PICTURES"

cd editors/vscode
node esbuild.mjs --tests
node --test dist-test/unit/
# The sessions click where a person would, in a browser that lays out anew while proofs end: now and then a click meets another
# button. A session that failed is played again from its start, twice at most, and its failure stays in the output.
session() {
  local attempt
  for attempt in 1 2 3; do
    node --test --test-reporter=spec "dist-test/editor/$1" && return 0
    echo "test-editor: $1 failed, attempt $attempt of 3" >&2
  done
  return 1
}
session editor.test.js
session troubles.test.js
