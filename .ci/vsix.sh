#!/usr/bin/env bash
# Packages the VS Code extension: a package for each platform, with the server, and a universal one without, which takes
# the server from the setting or from PATH.
#   $OUT/unitproof-VERSION-PLATFORM.vsix   $OUT/unitproof-VERSION-universal.vsix   (OUT: bin)
# SERVERS="linux-x64=FOLDER ..." has folders with programs that are there; else the program is built for this platform.
set -euo pipefail
cd "$(dirname "$0")/.."
bash .ci/npm-setup.sh

out=$(realpath -m "${OUT:-bin}")
server=$PWD/editors/vscode/server
mkdir -p "$out"
rm -rf "$server"

if [ -z "${SERVERS:-}" ]; then
  case "$(go env GOOS)/$(go env GOARCH)" in
    linux/amd64) platform=linux-x64 ;;
    linux/arm64) platform=linux-arm64 ;;
    darwin/arm64) platform=darwin-arm64 ;;
    darwin/amd64) platform=darwin-x64 ;;
    *) echo "vsix: no package for $(go env GOOS)/$(go env GOARCH)" >&2; exit 1 ;;
  esac
  built=$(mktemp -d)
  trap 'rm -rf "$built"' EXIT
  commit=$(git describe --always --dirty=+changes --abbrev=12 2>/dev/null || true)
  go build -ldflags "-X github.com/unitproof/unitproof/cmd/internal/cli.commit=$commit -s -w" \
    -o "$built/unitproof" ./cmd/unitproof
  CGO_ENABLED=0 go build -ldflags "-s -w" -o "$built/unitproof-remote" ./cmd/unitproof-remote
  "$built/unitproof" version >/dev/null
  SERVERS="$platform=$built"
fi

cd editors/vscode
# The versions of the marketplace are numbers only.
version=$(node -p 'require("./package.json").version')
if [ -n "${VERSION:-}" ]; then version=${VERSION%%-*}; fi
cp ../../LICENSE LICENSE
node esbuild.mjs --minify
package() {
  npx --no-install vsce package "$version" --no-git-tag-version --no-dependencies --no-update-package-json \
    --skip-license "$@" >/dev/null
}
node scripts/notices.mjs
package --out "$out/unitproof-$version-universal.vsix"
for s in $SERVERS; do
  mkdir -p "$server"
  install -m 755 "${s#*=}/unitproof" "${s#*=}/unitproof-remote" "$server/"
  node scripts/notices.mjs
  package --target "${s%%=*}" --out "$out/unitproof-$version-${s%%=*}.vsix"
done
cd "$out"
ls -sh unitproof-"$version"-*.vsix
