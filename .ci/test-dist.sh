#!/usr/bin/env bash
# Installs what "make dist" or "make release" left in DIST (bin/dist), as a new user would, in clean roots: an empty one
# for the archive; the bare Debian of each of SUITES for the package and the archive, with nothing but apt-get; the
# image. Prints how long each step took. A suite is NAME or NAME:MACHINE: "trixie:arm64" is tried with qemu-user, by
# default if there is a package for it. ACT=FILE (nektos/act) and CACHE_ACTION=CLONE (of actions/cache) run the action
# of GitHub in the systems for this machine that have a Node that is new enough, too; BAZEL=yes the recipe for Bazel
# where Bazel knows modules (sid); APK=FILE (apk of apk-tools 3) the package for Alpine. Needs root, debootstrap and the
# distributions' packages. The logs are left in $DIST_WORK.
set -euo pipefail
cd "$(dirname "$0")/.."
source .ci/dist-chroot.sh
dist=$(realpath "${DIST:-bin/dist}")
here=$(dpkg --print-architecture)
source .ci/qemu.sh
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"; forget_qemu' EXIT

archs=
for f in "$dist"/unitproof_*.deb; do
  [ -f "$f" ] || { say "no package in $dist: make dist, or DIST=FOLDER"; exit 1; }
  name=${f##*_}
  archs+=" ${name%.deb}"
done
if [[ "$archs " == *" arm64 "* && $here != arm64 ]]; then register_qemu; fi

# A root without any file but the program: no C library, no shell.
for arch in $archs; do
  say "trying the archive for $arch in an empty root"
  empty=$work/empty.$arch
  mkdir "$empty"
  tar -xzf "$dist"/unitproof-*-linux-"$arch".tar.gz --strip-components=1 -C "$empty"
  chroot "$empty" /bin/unitproof version
  chroot "$empty" /bin/unitproof doctor >"$work/log" && { say "doctor finds a clang where none is"; exit 1; }
  grep -qE '^MISSING +clang ' "$work/log" && grep -qE '^ok +solver cadical' "$work/log" ||
    { cat "$work/log" >&2; exit 1; }
done

# The package for Alpine by its own program. What it depends on are packages without files, as Alpine is out of reach.
if [ -n "${APK:-}" ]; then
  say "trying the package for Alpine by $("$APK" --version | cut -d, -f1)"
  for f in clang musl-dev compiler-rt; do
    "$APK" mkpkg --info "name:$f" --info version:1-r0 --info arch:x86_64 --info license:none \
      --info description:stand-in --output "$work/$f.apk"
  done
  mkdir "$work/alpine"
  apk=("$APK" --root "$work/alpine" --arch x86_64 --no-network --allow-untrusted)
  "${apk[@]}" add --initdb "$work"/*.apk "$dist"/unitproof_*_x86_64.apk >"$work/log" || { cat "$work/log"; exit 1; }
  chroot "$work/alpine" /usr/bin/unitproof version
  "${apk[@]}" del unitproof >"$work/log"
  [ -z "$(find "$work/alpine" -name '*unitproof*')" ] || { say "the package leaves files"; exit 1; }
fi

suites=${SUITES:-bullseye bookworm trixie sid}
if [ -z "${SUITES:-}" ] && [[ "$archs " == *" arm64 "* ]]; then suites+=" trixie:arm64"; fi
for root in $suites; do
  suite=${root%:*} arch=$here
  if [ "$suite" != "$root" ]; then arch=${root#*:}; fi
  origin=$(base "$suite" "$arch")
  trial=$DIST_WORK/$suite.$arch.trial
  rm -rf --one-file-system "$trial"
  cp -a "$origin" "$trial"
  install -m 644 .ci/test-dist-inside.sh "$trial$INSIDE_HOME/trial.sh"
  say "trying the package in a bare $(distribution "$suite") $suite for $arch"
  mounts="$dist:$INSIDE_MOUNTS/dist $PWD:$INSIDE_MOUNTS/source"
  if [ -n "${ACT:-}" ] && [ "$arch" = "$here" ]; then
    install -m 755 "$ACT" "$trial/usr/bin/act"
    mounts+=" $(realpath "$CACHE_ACTION"):$INSIDE_MOUNTS/cache"
  fi
  MOUNTS=$mounts inside "$trial" BAZEL="${BAZEL:-}" bash "$INSIDE_HOME/trial.sh" "$INSIDE_MOUNTS/dist" 2>&1 |
    tee "$DIST_WORK/$suite.$arch-trial.log" |
    grep --line-buffered -E '^(==|!!)' || { tail -30 "$DIST_WORK/$suite.$arch-trial.log" >&2; exit 1; }
  if [ -z "${KEEP:-}" ]; then rm -rf --one-file-system "$trial"; fi
done

# The image, unpacked as an engine of containers would.
for f in "$dist"/unitproof-*-image.tar; do
  [ -f "$f" ] || continue
  for arch in $archs; do
    image=$work/image.$arch
    (cd release && go run . unpack "$f" "$arch" "$image") 2>"$work/log" ||
      { say "not tried: $(tail -n1 "$work/log")"; continue; }
    say "trying the image for $arch"
    cp testdata/proofs/examples/* "$image/src/"
    inside "$image" bash -c 'cd /src && unitproof check clamp_harness.c ring_harness.c && unitproof doctor' \
      >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
    grep -E 'proved +clamp|failed +ring|^ok +(clang|compiling)' "$work/log"
    rm -rf --one-file-system "$image"
  done
done
