#!/usr/bin/env bash
# Packs what users install, in $OUT (bin/dist): archives that run from any folder, packages for Debian, Fedora and
# Alpine, the extension for VS Code with the program inside, a bill of materials, checksums.
#   HOSTS     the machines: "amd64 arm64"; by default this one
#   VERSION   makes a release: all hosts, the sources, recipes for Homebrew and nix, an image; all is committed
#   KEY       a private key of minisign that signs the checksums; MINISIGN_PASSWORD has its password
#   URL       where users will download the artefacts
#   DEB       if set, no extension for VS Code: that needs Node
#   IMAGES    the machines of the image, "" for none; by default those of HOSTS that can be made here
#   BASES     a folder that has, or gets, the systems of the image, which depend on the day; default: none are kept
# The same commit gives the same bytes, on the same release of Debian and of Go.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf 'dist: %s\n' "$*" >&2; }
out=$(realpath -m "${OUT:-bin/dist}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022
export LC_ALL=C TZ=UTC

hosts=${HOSTS:-$(dpkg --print-architecture)}
version=$(sed -n 's/^var Version = "\(.*\)"$/\1/p' cmd/internal/cli/version.go)
if [ -n "${VERSION:-}" ]; then
  version=$VERSION
  hosts=${HOSTS:-amd64 arm64}
  refuse() { say "$*"; exit 1; }
  grep -qE '^[0-9]+\.[0-9]+\.[0-9]+(-[0-9a-z.]+)?$' <<<"$version" || refuse "VERSION=$version is no version, as 1.2.3"
  [ -z "$(git status --porcelain)" ] || refuse "there are changes that are not committed"
  tagged=$(git rev-parse -q --verify "refs/tags/v$version^{commit}" || true)
  [ -z "$tagged" ] || [ "$tagged" = "$(git rev-parse HEAD)" ] || refuse "the tag v$version is on another commit"
  [ -n "$tagged" ] || say "there is no tag v$version yet: git tag -s v$version"
fi
commit=$(git rev-parse HEAD)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
url=${URL:-https://$(go list -m)/releases/download/v$version}
rm -rf "$out"
mkdir -p "$out"

(cd release && go build -trimpath -buildvcs=false -o "$work/release" .)
for arch in $hosts; do
  VERSION=$version bash .ci/dist-program.sh "$arch" "$work/programs/$arch"
done
# The pages are written by a program that runs here.
here=$work/programs/$(dpkg --print-architecture)/unitproof
[ -f "$here" ] || bash .ci/dist-program.sh "$(dpkg --print-architecture)" "${here%/*}"

# The extension: static programs run on Alpine, too.
servers=
for arch in $hosts; do
  name=${arch/amd64/x64}
  servers+=" linux-$name=$work/programs/$arch"
  if [ -n "${VERSION:-}" ]; then servers+=" alpine-$name=$work/programs/$arch"; fi
done
export GOFLAGS=-tags=static # the licences are those of static programs
notices=$work/notices
if [ -z "${DEB:-}" ]; then
  say "packing the extension for VS Code (a minute)"
  SERVERS=$servers OUT=$work/vsix VERSION=${VERSION:-} bash .ci/vsix.sh >&2
  for f in "$work"/vsix/*.vsix; do
    "$work/release" zip --time "$SOURCE_DATE_EPOCH" "$f"
    mv "$f" "$out/"
  done
  notices=editors/vscode/THIRD_PARTY_NOTICES.txt # those of the npm packages, too
fi

# What a prefix holds: /usr for packages, the folder of the archive.
stage=$work/prefix
doc=$stage/share/doc/unitproof
"$here" man --dir "$stage/share/man"
gzip -9n "$stage"/share/man/man*/*
mkdir -p "$stage"/share/{bash-completion/completions,zsh/vendor-completions,fish/vendor_completions.d}
"$here" completion bash >"$stage/share/bash-completion/completions/unitproof"
"$here" completion zsh >"$stage/share/zsh/vendor-completions/_unitproof"
"$here" completion fish >"$stage/share/fish/vendor_completions.d/unitproof.fish"
install -D -m 644 pipeline/clang/unitproof.h "$stage/include/unitproof.h"
for f in buildsystems/cmake/*.cmake; do
  install -D -m 644 "$f" "$stage/share/cmake/unitproof/${f##*/}"
done
sed -i "s/@VERSION@/${version%%-*}/" "$stage/share/cmake/unitproof/unitproofConfigVersion.cmake"
(cd editors/nvim && find lua plugin README.md -type f -exec install -D -m 644 {} "$stage/share/unitproof/nvim/{}" \;)
# The manual for assistants, as those take it that load skills from files.
mkdir -p "$stage/share/unitproof/skill"
{
  printf -- '---\nname: unitproof\ndescription: %s\n---\n\n' \
    'Write and check unit proofs of C code with unitproof: harnesses, loop invariants, contracts, counterexamples'
  "$here" mcp --instructions
} >"$stage/share/unitproof/skill/SKILL.md"
install -D -m 644 -t "$doc" README.md llms.txt
install -D -m 644 -t "$doc/docs" docs/*.md
for f in CHANGELOG.md SECURITY.md; do
  if [ -f $f ]; then install -m 644 $f "$doc/"; fi
done
install -D -m 644 -t "$doc/docs/images" docs/images/*.png
install -D -m 644 -t "$doc/examples" testdata/proofs/examples/*
(cd buildsystems/example && find . -type f -exec install -D -m 644 {} "$doc/examples/ring/{}" \;)
say "collecting the licences"
bash .ci/notices.sh >"$work/notices"
{
  cat LICENSE
  printf '\n\nunitproof is licensed under the Apache License 2.0. This package holds, besides:\n\n'
  cat "$work/notices"
} >"$doc/copyright"
# The root of an archive is also a subproject of Meson and a module of Bazel.
for f in meson/meson.build bazel/defs.bzl bazel/BUILD.bazel bazel/MODULE.bazel; do
  install -D -m 644 "buildsystems/$f" "$work/root/${f#*/}"
  sed -i -e "s/@VERSION@/$version/" -e "s/@MAJOR@/${version%%.*}/" "$work/root/${f#*/}"
done
for arch in $hosts; do
  mkdir -p "$work/stages"
  cp -a "$stage" "$work/stages/linux-$arch"
  install -D -m 755 -t "$work/stages/linux-$arch/bin" "$work/programs/$arch"/unitproof{,-remote}
done

options=(--version "$version" --time "$SOURCE_DATE_EPOCH" --commit "$commit" --url "$url" --stages "$work/stages"
  --out "$out")
if [ -n "${VERSION:-}" ]; then
  git archive --format=tar --prefix="unitproof-$version/" HEAD | gzip -9n >"$out/unitproof-$version-source.tar.gz"
  bases=$(realpath -m "${BASES:-$work/bases}")
  mkdir -p "$bases"
  for arch in ${IMAGES-$hosts}; do
    base=$bases/$arch.tar new=$bases/new.$arch.tar
    [ -f "$base" ] || { bash .ci/dist-base.sh "$arch" "$new" && mv "$new" "$base"; } || say "no image for $arch"
  done
  if [ -n "${IMAGES-$hosts}" ] && [ -n "$(ls "$bases"/*.tar 2>/dev/null)" ]; then
    "$work/release" image "${options[@]}" --bases "$bases"
  fi
fi
say "packing archives and packages"
"$work/release" pack "${options[@]}" --root "$work/root" --notices "$notices" ${KEY:+--key "$KEY"}
ls -sh "$out"
