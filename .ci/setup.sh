#!/usr/bin/env bash
# Installs what building, testing and running the program need, where it is missing. Says what it
# does; doing it again does nothing. Without root it names the missing packages and fails.
# "--with PACKAGE..." adds packages.
set -euo pipefail

packages=(clang-14 llvm-14 libclang-rt-14-dev clang-19 llvm-19 libclang-rt-19-dev rustc
  libz3-dev libcadical-dev gcc g++ libc6-dev make)
if [ "${1:-}" = --with ]; then
  packages+=("${@:2}")
fi

say() { printf 'setup: %s\n' "$*"; }

if ! command -v go >/dev/null 2>&1; then
  say "Go is missing: install version 1.26 or newer" >&2
  exit 1
fi
if ! command -v dpkg-query >/dev/null 2>&1; then
  say "this is no Debian-like system: nothing is installed;" \
    "'make build' and 'bin/unitproof doctor' tell what is missing"
  exit 0
fi

missing=()
for p in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$p" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$p")
done
if [ "${#missing[@]}" -eq 0 ]; then
  say "all packages are there"
  exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    as_root=(sudo -n)
  else
    say "missing packages, and this is not root. Install them with:" >&2
    say "  sudo apt-get install ${missing[*]}" >&2
    exit 1
  fi
fi

install() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"
}

say "installing ${missing[*]}"
# The lists of packages may be absent (a fresh image) or too old to be of use.
known=yes
for p in "${missing[@]}"; do
  apt-cache show "$p" >/dev/null 2>&1 || known=no
done
if [ "$known" = no ]; then
  say "reading the lists of packages"
  "${as_root[@]}" apt-get update
  install
elif ! install; then
  say "trying again with new lists of packages"
  "${as_root[@]}" apt-get update
  install
fi
say "done"
