#!/usr/bin/env bash
# Installs what "make dist" left, or DIST=FOLDER, as a new user would: in a bare Debian of each of SUITES, with nothing
# but apt-get and the package, and prints how long each step took; then the archive in a folder of its own, without
# root. ARCH=arm64 tries the package for that machine with qemu-user. Needs root, debootstrap and Debian's packages. The
# logs are left in $DIST_WORK.
set -euo pipefail
cd "$(dirname "$0")/.."
source .ci/dist-chroot.sh
dist=$(realpath "${DIST:-bin/dist}")
arch=${ARCH:-$(dpkg --print-architecture)}
source .ci/qemu.sh
empty=$(mktemp -d)
trap 'rm -rf --one-file-system "$empty"; forget_qemu' EXIT
if [ "$arch" != "$(dpkg --print-architecture)" ]; then register_qemu; fi
[ -f "$(echo "$dist"/unitproof_*_"$arch".deb)" ] || { say "no package for $arch in $dist: make dist"; exit 1; }

# A root without any file but the program: no C library, no shell.
say "trying the archive in an empty root"
tar -xzf "$dist"/unitproof-*-linux-"$arch".tar.gz --strip-components=1 -C "$empty"
chroot "$empty" /bin/unitproof version
chroot "$empty" /bin/unitproof doctor >"$DIST_WORK/empty.log" && { say "doctor finds a clang where none is"; exit 1; }
grep -qE '^MISSING +clang ' "$DIST_WORK/empty.log" && grep -qE '^ok +solver cadical' "$DIST_WORK/empty.log" ||
  { cat "$DIST_WORK/empty.log" >&2; exit 1; }

for suite in ${SUITES:-bullseye bookworm trixie}; do
  origin=$(base "$suite" "$arch")
  trial=$DIST_WORK/$suite.$arch.trial
  rm -rf --one-file-system "$trial"
  cp -a "$origin" "$trial"
  install -m 644 .ci/test-dist-inside.sh "$trial$INSIDE_HOME/trial.sh"
  say "trying the package in a bare Debian $suite for $arch"
  MOUNTS="$dist:$INSIDE_MOUNTS/dist" inside "$trial" bash "$INSIDE_HOME/trial.sh" "$INSIDE_MOUNTS/dist" 2>&1 |
    tee "$DIST_WORK/$suite-trial.log" |
    grep --line-buffered -E '^(==|!!)' || { tail -30 "$DIST_WORK/$suite-trial.log" >&2; exit 1; }
  if [ -z "${KEEP:-}" ]; then rm -rf --one-file-system "$trial"; fi
done
