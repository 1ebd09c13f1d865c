#!/usr/bin/env bash
# Brings what "make test-editor" needs: Debian packages, the npm packages of the workspace, and a real
# VS Code (its server build, from the npm package code-server; what it shows is the browser's
# workbench). Downloads go to the cache folder, outside the repository, and once. Prints the folder of
# VS Code on its last line.
set -euo pipefail
cd "$(dirname "$0")/.."

version=4.100.3 # is VS Code 1.100.3, the last that wants Node 20
integrity=$(cat .ci/code-server.integrity)

say() { printf 'editor: %s\n' "$*" >&2; }

bash .ci/setup.sh --with chromium ripgrep libkrb5-dev python3 pkg-config \
  clangd-14 gdb neovim emacs-nox elpa-eglot fonts-dejavu-core >&2

bash .ci/npm-setup.sh

major=$(node --version | sed -n 's/^v\([0-9]*\)\..*/\1/p')
export npm_config_audit=false npm_config_fund=false npm_config_update_notifier=false npm_config_yes=true
# Headers that came with node make a download needless.
headers=$(dirname "$(dirname "$(readlink -f "$(command -v node)")")")
if [ -f "$headers/include/node/node.h" ]; then export npm_config_nodedir="$headers"; fi

cache=${XDG_CACHE_HOME:-$HOME/.cache}/unitproof-test
vscode=$cache/vscode-$version-node$major
mkdir -p "$cache"
exec 9>"$cache/lock"
flock 9
if [ ! -f "$vscode/.complete" ]; then
  say "installing VS Code (code-server $version) into $vscode"
  work=$(mktemp -d "$cache/install.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  (cd "$work" && npm pack --loglevel=error "code-server@$version" >/dev/null)
  tarball=$work/code-server-$version.tgz
  got=sha512-$(openssl dgst -sha512 -binary "$tarball" | base64 -w0)
  if [ "$got" != "$integrity" ]; then
    say "code-server-$version.tgz is not what it was: $got"
    exit 1
  fi
  tar -xzf "$tarball" -C "$work" package/lib/vscode
  (
    cd "$work/package/lib/vscode"
    # Its npm-shrinkwrap.json, part of the archive that was just compared, pins everything but tslib,
    # which it forgets.
    npm install --omit=dev --ignore-scripts --loglevel=error --save-exact tslib@2.8.1 >&2
    for module in @vscode/spdlog native-watchdog kerberos node-pty; do
      # The last step of node-pty's installation fails after its build has succeeded.
      npm rebuild --loglevel=error "$module" >&2 || true
    done
    for built in @vscode/spdlog/build/Release/spdlog.node native-watchdog/build/Release/watchdog.node \
      kerberos/build/Release/kerberos.node node-pty/build/Release/pty.node; do
      [ -f "node_modules/$built" ] || { say "$built was not built"; exit 1; }
    done
  )
  # Its own ripgrep would be downloaded from elsewhere by an install script.
  mkdir -p "$work/package/lib/vscode/node_modules/@vscode/ripgrep/bin"
  ln -sf "$(command -v rg)" "$work/package/lib/vscode/node_modules/@vscode/ripgrep/bin/rg"
  rm -rf "$vscode"
  mv "$work/package/lib/vscode" "$vscode"
  touch "$vscode/.complete"
fi
echo "$vscode"
