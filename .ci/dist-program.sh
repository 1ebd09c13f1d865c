#!/usr/bin/env bash
# Builds the program in a Debian 11, so that it runs with any C library since (glibc 2.29 is enough at present):
#   .ci/dist-program.sh OUT
# Needs root and debootstrap, and Debian's packages. What it makes is kept for the next time, in $DIST_WORK.
set -euo pipefail
cd "$(dirname "$0")/.."
out=$(realpath -m "$1")
source .ci/dist-chroot.sh

root=$DIST_WORK/bullseye.build
# The version of CaDiCaL is that of Debian 12, with which everything is tested: Debian 11 has none.
cadical=1.5.3
if [ ! -f "$root/usr/local/lib/libcadical.a" ]; then
  origin=$(base bullseye)
  rm -rf --one-file-system "$root"
  cp -a "$origin" "$root"
  say "preparing Debian 11: a compiler, and CaDiCaL $cadical"
  cat >"$root/etc/apt/sources.list" <<END
deb $DIST_MIRROR bullseye main
deb-src $DIST_MIRROR bookworm main
END
  inside "$root" sh -exc "
    apt-get update
    apt-get install -y --no-install-recommends g++ libc6-dev libz3-dev make dpkg-dev
    cd
    apt-get source --download-only cadical=$cadical-2
    dpkg-source -x cadical_$cadical-2.dsc
    cd cadical-$cadical
    CXXFLAGS='-DNBUILD -fPIC' ./configure
    make -C build libcadical.a
    install -m 644 src/cadical.hpp /usr/local/include/
    install -m 644 build/libcadical.a /usr/local/lib/
  " >"$DIST_WORK/bullseye-build.log" 2>&1 || { tail -20 "$DIST_WORK/bullseye-build.log" >&2; exit 1; }
fi

say "building the program in Debian 11"
go mod download
commit=$(git describe --always --dirty=+changes --abbrev=12)
flags="-s -w -X github.com/unitproof/unitproof/cmd/internal/cli.commit=$commit"
goroot=$INSIDE_MOUNTS/go modules=$INSIDE_MOUNTS/modules source=$INSIDE_MOUNTS/source
MOUNTS="$(go env GOROOT):$goroot $(go env GOMODCACHE):$modules $PWD:$source" inside "$root" \
  env GOROOT="$goroot" GOPATH="$INSIDE_HOME/go" GOMODCACHE="$modules" GOFLAGS=-mod=readonly GOPROXY=off \
  GOTOOLCHAIN=local PATH="$goroot/bin:/usr/bin:/bin" \
  sh -ec "cd $source; go build -trimpath -buildvcs=false -ldflags '$flags' -o $INSIDE_HOME/unitproof ./cmd/unitproof"
install -D -m 755 "$root$INSIDE_HOME/unitproof" "$out"
