#!/usr/bin/env bash
# The configuration for Helix in docs/editors.md, as it stands there, in Helix on a screen of tmux. The argument is the
# program, which few distributions have: whatever is missing is a failure, so that this test cannot pass by testing
# nothing.
set -euo pipefail
cd "$(dirname "$0")/.."

hx=$(command -v "${1:-hx}") || {
  echo "helix: name its program: make test-helix HX=PROGRAM (Debian 13 has it as hx)" >&2
  exit 1
}
hx=$(realpath "$hx")
command -v tmux >/dev/null || { echo "helix: its screen needs tmux: apt-get install tmux" >&2; exit 1; }
"$hx" --version >&2
work=$(mktemp -d)
screen() { tmux -S "$work/tmux" "$@"; }
trap 'screen kill-server 2>/dev/null || true; rm -rf "$work"' EXIT
mkdir -p "$work/bin" "$work/project" "$work"/{plain,trusting}/helix
source .ci/editors-page.sh
page_block Helix toml >"$work/plain/helix/languages.toml"
page_block Trust toml >"$work/trusting/helix/languages.toml"
sed -n '/^\[\[language\]\]/,$p' "$work/plain/helix/languages.toml" >>"$work/trusting/helix/languages.toml"
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

# open FOLDER CONFIGURATION opens the proof of a folder on a new screen.
open() {
  screen kill-server 2>/dev/null || true
  screen -f /dev/null new-session -d -x 160 -y 30 -c "$work/$1" env PATH="$work/bin:$PATH" XDG_CONFIG_HOME="$work/$2" \
    XDG_CACHE_HOME="$work/cache" "$hx" next_harness.c
  screen set-option -s escape-time 0
}
# shows WHAT PATTERN waits until a line of the screen matches.
shows() {
  local end=$((SECONDS + 120))
  until screen capture-pane -p | grep -q "$2"; do
    if [ "$SECONDS" -ge "$end" ]; then
      echo "helix: never came: $1; the screen:" >&2
      screen capture-pane -p >&2
      exit 1
    fi
    sleep 0.2
  done
  echo "helix: ok: $1" >&2
}
press() { screen send-keys "$@"; }

open project plain
shows "mark of the failing assertion" '^● *6 .*sassert'
press ']d'
shows "words of the failing assertion" 'x + 1 != 8` is false: x = 7'
press g g 2 j w Space a
shows "code action at the entry" 'unitproof: Verify next'
press Down Enter
shows "answer of Replay" '^reproduced'

# What to do about a folder that asks for more stands in the one line that Helix shows of a message.
open asked plain
shows "permission that is waited for" "unitproof trust $work/asked"
[ ! -e "$work/asked/ran" ] || { echo "helix: the folder's compiler was run before it was allowed" >&2; exit 1; }
press ':lsp-workspace-command unitproof.server.trust' Enter
shows "mark in the folder that is allowed" '^● *6 .*sassert'
[ -e "$work/asked/ran" ] || { echo "helix: the folder's compiler was not run, but it was allowed" >&2; exit 1; }

open trusted trusting
shows "mark by the setting" '^● *6 .*sassert'
[ -e "$work/trusted/ran" ] || { echo "helix: the trusted folder's compiler was not run" >&2; exit 1; }
echo "helix: the session passed" >&2
