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
node --test --test-reporter=spec dist-test/editor/editor.test.js
node --test --test-reporter=spec dist-test/editor/own.test.js
node --test --test-reporter=spec dist-test/editor/troubles.test.js
