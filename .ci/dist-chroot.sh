# To be sourced: bare Debian and Ubuntu systems in folders, in which releases are built and tested.
#   DIST_WORK           where they are kept, outside the repository
#   DIST_MIRROR         where Debian's packages come from
#   DIST_UBUNTU_MIRROR  where Ubuntu's come from; there is no default
DIST_WORK=${DIST_WORK:-${XDG_CACHE_HOME:-$HOME/.cache}/unitproof-dist}
DIST_MIRROR=${DIST_MIRROR:-http://deb.debian.org/debian}
export PATH=$PATH:/usr/sbin:/sbin
# Inside of them: the home of the only user, and where folders from outside are mounted.
INSIDE_HOME=/root
INSIDE_MOUNTS=/mnt
export INSIDE_HOME

say() { printf 'dist: %s\n' "$*" >&2; }

if [ "$(id -u)" -ne 0 ] || ! command -v debootstrap >/dev/null; then
  say "this needs root and debootstrap (apt-get install debootstrap)"
  exit 1
fi
mkdir -p "$DIST_WORK"

# distribution SUITE: Debian or Ubuntu. debootstrap has one script for all suites of Ubuntu, under the names that were
# known when it was packaged.
SCRIPTS=/usr/share/debootstrap/scripts
distribution() {
  if [ ! -e "$SCRIPTS/$1" ] || [ "$(readlink -f "$SCRIPTS/$1")" = "$SCRIPTS/gutsy" ]; then
    echo Ubuntu
  else
    echo Debian
  fi
}

# base SUITE ARCH: the folder of a minimal system, which is made when it is not there.
base() {
  local folder=$DIST_WORK/$1.base distribution mirror=$DIST_MIRROR components=main script=
  if [ "$2" != "$(dpkg --print-architecture)" ]; then folder=$DIST_WORK/$1.$2.base; fi
  if [ ! -f "$folder/.made" ]; then
    [ -d "$folder" ] && rm -rf --one-file-system "$folder"
    distribution=$(distribution "$1")
    if [ "$distribution" = Ubuntu ]; then
      mirror=${DIST_UBUNTU_MIRROR:-} script=$SCRIPTS/gutsy
      components=main,universe # as installed systems have
      [ -n "$mirror" ] || { say "Ubuntu $1 needs DIST_UBUNTU_MIRROR=URL, a mirror of its packages"; return 1; }
    fi
    say "making a bare $distribution $1 for $2"
    # For another machine mmdebstrap, as it unpacks with this machine's programs: only the rest is emulated.
    local make=(debootstrap --arch="$2" --components="$components")
    if [ "$2" != "$(dpkg --print-architecture)" ]; then
      script= make=(mmdebstrap --architectures="$2" --components="${components/,/ }" --dpkgopt=force-unsafe-io)
    fi
    "${make[@]}" --variant=minbase "$1" "$folder" "$mirror" ${script:+"$script"} >"$DIST_WORK/$1.log" 2>&1 ||
      { tail -5 "$DIST_WORK/$1.log" >&2; return 1; }
    # The lists of a mirror that is a snapshot may have expired.
    echo 'Acquire::Check-Valid-Until "false";' >"$folder/etc/apt/apt.conf.d/99snapshot"
    touch "$folder/.made"
  fi
  echo "$folder"
}

# inside FOLDER COMMAND...: runs a command there, with an environment of its own. MOUNTS is a list of "outside:inside",
# read only; they are gone when the command ends.
inside() {
  local folder=$1
  shift
  MOUNTS=${MOUNTS:-} unshare --mount --pid --fork --kill-child bash -euc '
    folder=$1
    shift
    mkdir -p "$folder/proc" "$folder/dev"
    mount -t proc proc "$folder/proc"
    mount -t tmpfs tmpfs "$folder/dev" # as an engine of containers makes it
    for d in "null 1 3" "zero 1 5" "full 1 7" "random 1 8" "urandom 1 9" "tty 5 0"; do
      mknod -m 666 "$folder/dev/${d%% *}" c ${d#* }
    done
    mkdir "$folder/dev/pts" "$folder/dev/shm"
    ln -s /proc/self/fd "$folder/dev/fd"
    ln -s /proc/self/fd/0 "$folder/dev/stdin"
    ln -s /proc/self/fd/1 "$folder/dev/stdout"
    ln -s /proc/self/fd/2 "$folder/dev/stderr"
    ln -s pts/ptmx "$folder/dev/ptmx"
    mount -t devpts -o newinstance,ptmxmode=0666 devpts "$folder/dev/pts" # nix-build has a terminal of its own
    for m in $MOUNTS; do
      mkdir -p "$folder${m#*:}"
      mount --bind -o ro "${m%%:*}" "$folder${m#*:}"
    done
    exec chroot "$folder" env -i HOME="$INSIDE_HOME" PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 TERM=dumb \
      DEBIAN_FRONTEND=noninteractive "$@"' - "$folder" "$@"
}
