#!/usr/bin/env bash
# Packages the VS Code extension: one package for this platform, with the server,
# and a universal one without, which takes the server from the setting or from PATH.
#   bin/unitproof-VERSION-PLATFORM.vsix   bin/unitproof-VERSION-universal.vsix
set -euo pipefail
cd "$(dirname "$0")/.."
bash .ci/npm-setup.sh

case "$(go env GOOS)/$(go env GOARCH)" in
  linux/amd64) platform=linux-x64 ;;
  linux/arm64) platform=linux-arm64 ;;
  darwin/arm64) platform=darwin-arm64 ;;
  darwin/amd64) platform=darwin-x64 ;;
  *) echo "vsix: no package for $(go env GOOS)/$(go env GOARCH)" >&2; exit 1 ;;
esac
out=$PWD/bin
server=$PWD/editors/vscode/server
commit=$(git describe --always --dirty=+changes --abbrev=12 2>/dev/null || true)
mkdir -p "$out"
rm -rf "$server"
mkdir -p "$server"

# A release does without the paths of this machine (RELEASE=1), which compiles everything anew. The program needs
# nothing but the C library; libz3, which it loads for those who ask for that solver, comes from the system.
# SERVER=FILE takes a program that is there.
if [ -n "${SERVER:-}" ]; then
  install -m 755 "$SERVER" "$server/unitproof"
else
  go build ${RELEASE:+-trimpath} -ldflags "-X github.com/unitproof/unitproof/cmd/internal/cli.commit=$commit -s -w" \
    -o "$server/unitproof" ./cmd/unitproof
fi
CGO_ENABLED=0 go build ${RELEASE:+-trimpath} -ldflags "-s -w" -o "$server/unitproof-remote" ./cmd/unitproof-remote
"$server/unitproof" version >/dev/null

cd editors/vscode
version=$(node -p 'require("./package.json").version')
cp ../../LICENSE LICENSE
node esbuild.mjs --minify
node scripts/notices.mjs
package() { npx --no-install vsce package --no-dependencies --no-update-package-json --skip-license "$@" >/dev/null; }
package --target "$platform" --out "$out/unitproof-$version-$platform.vsix"
mv server "$out/.server-$$"
trap 'rm -rf "$out/.server-$$"' EXIT
package --out "$out/unitproof-$version-universal.vsix"
mv "$out/.server-$$" server
cd "$out"
ls -sh unitproof-"$version"-*.vsix
