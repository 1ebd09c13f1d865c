#!/usr/bin/env bash
# The Neovim plugin with the server, in a headless Neovim without the user's configuration. A missing Neovim is a
# failure: .ci/editor-setup.sh installs it.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v nvim >/dev/null 2>&1; then
  echo "nvim: Neovim 0.7 or newer is not installed, so its plugin is not tested: apt-get install neovim" >&2
  exit 1
fi
nvim --version | head -1 >&2
repo=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/project"
go build -o "$work/bin/unitproof" ./cmd/unitproof
cp testdata/proofs/examples/{ring,clamp}_harness.c testdata/rust/u8_overflow.rs "$work/project"
cp testdata/proofs/examples/unitproof.toml "$work/project"
# The example names the verdicts that it expects; here a failure is one.
sed -i '/^\[\[proof\]\]/,$d' "$work/project/unitproof.toml"

source .ci/editors-page.sh
asking_folder testdata/proofs/examples/clamp_harness.c "$work/asked"

export PATH="$work/bin:$PATH" ASKED=$work/asked
export XDG_CACHE_HOME=$work/cache XDG_CONFIG_HOME=$work/config XDG_DATA_HOME=$work/data XDG_STATE_HOME=$work/state
cd "$work/project"
status=0
timeout --kill-after=20 900 nvim --headless -u NONE -i NONE -n --cmd "set rtp^=$repo/editors/nvim" \
  -c "runtime plugin/unitproof.lua" -c "luafile $repo/editors/nvim/test/session.lua" \
  </dev/null >"$work/log" 2>&1 || status=$?
cat "$work/log" >&2
if [ "$status" -ne 0 ] || ! grep -q '^nvim: the session passed' "$work/log"; then
  echo "nvim: the session failed (status $status); the client's log:" >&2
  tail -20 "$work"/{cache,state}/nvim/lsp.log >&2 2>/dev/null || true
  exit 1
fi
