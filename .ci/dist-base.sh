#!/usr/bin/env bash
# Writes the root file system of the image: Debian with clang, its sanitizers and the headers of the C library.
#   .ci/dist-base.sh ARCH FILE.tar
# Needs root and mmdebstrap; for another machine than this one, its emulator (qemu-user-static). The bytes
# depend on SOURCE_DATE_EPOCH and on the packages that the mirror serves.
set -euo pipefail
arch=$1 out=$2
suite=${IMAGE_SUITE:-trixie}
clang=${IMAGE_CLANG:-19}
mirror=${DIST_MIRROR:-http://deb.debian.org/debian}

say() { printf 'dist: %s\n' "$*" >&2; }
if [ "$(id -u)" -ne 0 ] || ! command -v mmdebstrap >/dev/null; then
  say "an image needs root and mmdebstrap (apt-get install mmdebstrap)"
  exit 1
fi
source "$(dirname "$0")/qemu.sh"
trap forget_qemu EXIT
if [ "$arch" != "$(dpkg --print-architecture)" ]; then register_qemu; fi
say "making a Debian $suite for $arch with clang $clang"
mmdebstrap --quiet --variant=minbase --architectures="$arch" \
  --aptopt='APT::Install-Recommends "false"' --dpkgopt='path-exclude=/usr/share/man/*' \
  --dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-exclude=/usr/share/doc/*' \
  --dpkgopt='path-include=/usr/share/doc/*/copyright' \
  --include="ca-certificates,clang-$clang,libclang-rt-$clang-dev,libc6-dev,make" \
  --customize-hook='mkdir -p "$1/src"' \
  --customize-hook='rm -rf "$1"/var/cache/ldconfig/aux-cache "$1"/var/log/* "$1"/etc/machine-id "$1"/etc/resolv.conf \
    "$1"/etc/hostname' \
  "$suite" "$out" "deb $mirror $suite main" >&2
