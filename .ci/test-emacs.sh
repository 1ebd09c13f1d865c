#!/usr/bin/env bash
# The configuration for Emacs in docs/editors.md, as it stands there, in an Emacs without a terminal and without
# the user's configuration. A missing Emacs is a failure: .ci/editor-setup.sh installs it.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v emacs >/dev/null 2>&1; then
  echo "emacs: Emacs is not installed, so its configuration is not tested: apt-get install emacs-nox elpa-eglot" >&2
  exit 1
fi
repo=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/project" "$work/home"
source .ci/editors-page.sh
page_block Emacs elisp >"$work/snippet.el"
page_block Trust elisp >"$work/trusted.el"
go build -o "$work/bin/unitproof" ./cmd/unitproof
cat >"$work/project/next_harness.c" <<'C'
#include <unitproof.h>

void next_harness(void) {
  unsigned x = nd_uint();
  assume(x < 10);
  sassert(x + 1 != 8);
}
C
: >"$work/project/unitproof.toml"
asking_folder "$work/project/next_harness.c" "$work/asked" "$work/trusted"

export PATH="$work/bin:$PATH" HOME=$work/home XDG_CACHE_HOME=$work/cache XDG_CONFIG_HOME=$work/config
export SNIPPET=$work/snippet.el TRUSTED=$work/trusted.el ASKED=$work/asked TRUSTED_FOLDER=$work/trusted
cd "$work/project"
status=0
timeout --kill-after=20 600 emacs --batch -q --eval '(package-initialize)' -l "$repo/editors/emacs/test/session.el" \
  </dev/null >"$work/log" 2>&1 || status=$?
cat "$work/log" >&2
[ "$status" -eq 0 ] && grep -q '^emacs: the session passed' "$work/log"
