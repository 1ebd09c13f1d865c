# To be sourced: bare Debian systems in folders, for building what is given away and for trying it out.
#   DIST_WORK    where they are kept, outside the repository
#   DIST_MIRROR  where Debian's packages come from
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

# base SUITE ARCH: the folder of a minimal system, which is made when it is not there.
base() {
  local folder=$DIST_WORK/$1.base
  if [ "$2" != "$(dpkg --print-architecture)" ]; then folder=$DIST_WORK/$1.$2.base; fi
  if [ ! -f "$folder/.made" ]; then
    [ -d "$folder" ] && rm -rf --one-file-system "$folder"
    say "making a bare Debian $1 for $2"
    debootstrap --arch="$2" --variant=minbase "$1" "$folder" "$DIST_MIRROR" >"$DIST_WORK/$1.log" 2>&1 ||
      { tail -5 "$DIST_WORK/$1.log" >&2; return 1; }
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
    mkdir -p "$folder/proc"
    mount -t proc proc "$folder/proc"
    for m in $MOUNTS; do
      mkdir -p "$folder${m#*:}"
      mount --bind -o ro "${m%%:*}" "$folder${m#*:}"
    done
    exec chroot "$folder" env -i HOME="$INSIDE_HOME" PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 TERM=dumb \
      DEBIAN_FRONTEND=noninteractive "$@"' - "$folder" "$@"
}
