#!/usr/bin/env bash
# Makes a release of HEAD twice, in two clones in folders of different names, and compares the bytes; reads the recipes
# and packages with the tools that are there. IMAGES="amd64" includes the image, CACHES=two compiles everything twice,
# KEEP=FOLDER gets the release.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf 'release: %s\n' "$*" >&2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
version=${VERSION:-9.8.7}
release=$work/tool
(cd release && go build -o "$release" .)
"$release" key "$work/key"
git clone -q . "$work/one"
git clone -q "$work/one" "$work/two of them" # the same commit, even if the next one is made now
for n in one "two of them"; do
  say "making the release in \"$n\""
  if [ "${CACHES:-}" = two ]; then export GOCACHE=$work/cache.${n%% *}; fi
  KEY="$work/key" VERSION=$version IMAGES=${IMAGES-} OUT=$work/out.${n%% *} \
    bash "$work/$n/.ci/dist.sh" >"$work/log" 2>&1 || { tail -20 "$work/log" >&2; exit 1; }
done
diff -r "$work/out.one" "$work/out.two" || { say "the builds differ"; exit 1; }

out=$work/out.one
(cd "$out" && sha256sum --quiet -c SHA256SUMS)
"$release" verify "$out"/SHA256SUMS{,.minisig} "$work/key.pub"
for arch in amd64 arm64; do
  [ "$(dpkg-deb -f "$out"/unitproof_*_$arch.deb Architecture)" = $arch ] || { say "no package for $arch"; exit 1; }
  tar -xzf "$out/unitproof-$version-linux-$arch.tar.gz" -C "$work"
  grep -q "$(sha256sum <"$out/unitproof-$version-linux-$arch.tar.gz" | cut -d' ' -f1)" "$out/unitproof.rb" ||
    { say "the formula has another checksum"; exit 1; }
done
"$work/unitproof-$version-linux-$(dpkg --print-architecture)/bin/unitproof" version | grep -q "^unitproof $version "
reads() { # reads PROGRAM ARGUMENT...: if it is installed
  if command -v "$1" >/dev/null; then "$@" >/dev/null; else say "not tried, as there is no $1: $*"; fi
}
reads ruby -c "$out/unitproof.rb"
reads nix-instantiate --parse "$out/unitproof.nix"
for f in "$out"/*.rpm; do reads rpm -qp --requires --nosignature "$f"; done
for f in "$out"/*.apk; do tar -xzOf "$f" .PKGINFO 2>/dev/null | grep -q '^pkgname = unitproof$'; done
say "$(find "$out" -type f | wc -l) files, the same bytes twice:"
ls -sh "$out" >&2
if [ -n "${KEEP:-}" ]; then mkdir -p "$KEEP" && cp "$out"/* "$KEEP/"; fi
