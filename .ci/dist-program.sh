#!/usr/bin/env bash
# Builds the programs for a Linux machine, statically linked: they run with every C library, or without one.
#   .ci/dist-program.sh ARCH FOLDER     ARCH is amd64 or arm64; writes FOLDER/unitproof and FOLDER/unitproof-remote
# For another machine than this one it needs Debian's cross compiler, and gets CaDiCaL from Debian's packages for that
# machine, which it keeps in $DIST_WORK. VERSION is what the program says; the bytes depend on nothing else than the
# commit, the Go release and Debian's release.
set -euo pipefail
cd "$(dirname "$0")/.."
arch=$1 out=$2
DIST_WORK=${DIST_WORK:-${XDG_CACHE_HOME:-$HOME/.cache}/unitproof-dist}

say() { printf 'dist: %s\n' "$*" >&2; }
case $arch in
  amd64) triple=x86_64-linux-gnu package=g++-x86-64-linux-gnu ;;
  arm64) triple=aarch64-linux-gnu package=g++-aarch64-linux-gnu ;;
  *) say "unknown machine $arch: there are amd64 and arm64"; exit 1 ;;
esac

export GOOS=linux GOARCH=$arch
if [ "$arch" != "$(dpkg --print-architecture)" ]; then
  command -v $triple-g++ >/dev/null || { say "the program for $arch needs apt-get install $package"; exit 1; }
  # The version of CaDiCaL of this Debian, from a list of packages of that machine beside the system's.
  foreign=$DIST_WORK/apt-$arch
  version=$(dpkg-query -W -f='${Version}' libcadical-dev)
  root=$foreign/cadical-$version
  if [ ! -f "$root/usr/lib/$triple/libcadical.a" ]; then
    say "getting CaDiCaL $version for $arch"
    mkdir -p "$foreign"/{lists/partial,cache/archives/partial} "$root"
    : >"$foreign/status"
    apt=(apt-get -q -o "APT::Architecture=$arch" -o "APT::Architectures=$arch" -o "Dir::State=$foreign"
      -o "Dir::State::status=$foreign/status" -o "Dir::Cache=$foreign/cache" -o APT::Sandbox::User=root)
    (cd "$foreign" && "${apt[@]}" update && "${apt[@]}" download "libcadical-dev=$version") >"$foreign/log" 2>&1 ||
      { tail -5 "$foreign/log" >&2; exit 1; }
    dpkg-deb -x "$foreign"/libcadical-dev_*.deb "$root"
  fi
  export CC=$triple-gcc CXX=$triple-g++ CGO_CXXFLAGS="-O2 -isystem $root/usr/include"
  export CGO_LDFLAGS="-L$root/usr/lib/$triple"
fi

module=github.com/unitproof/unitproof/cmd/internal/cli
commit=$(git describe --always --dirty=+changes --abbrev=12 --exclude '*')
flags="-s -w -X $module.commit=$commit ${VERSION:+-X $module.Version=$VERSION}"
say "building the program for $arch"
mkdir -p "$out"
# netgo and osusergo: what the C library would load at run time is done in Go.
CGO_ENABLED=1 go build -trimpath -buildvcs=false -tags static,netgo,osusergo \
  -ldflags "$flags -linkmode external -extldflags -static" -o "$out/unitproof" ./cmd/unitproof
# What speaks to servers is a program of its own, beside the other.
CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags "$flags" -o "$out/unitproof-remote" ./cmd/unitproof-remote

if needed=$(objdump -p "$out/unitproof" | grep NEEDED); then
  say "$out/unitproof is not static:" $needed
  exit 1
fi
