#!/usr/bin/env bash
# Installs the formula of a release by Homebrew, in a bare Debian sid with the Ruby of experimental. Homebrew is no part
# of the project: BREW is a clone of it, whose HEAD needs the Ruby that Debian has (3.4: of early March 2026). Its own
# packages cannot be downloaded in tests, so llvm is a stand-in that links Debian's clang. The formula is installed from
# a tap, as Homebrew refuses files. Needs root and debootstrap.
#   BREW=CLONE DIST=bin/release .ci/test-brew.sh
set -euo pipefail
cd "$(dirname "$0")/.."
source .ci/dist-chroot.sh
dist=$(realpath "${DIST:-bin/release}") brew=$(realpath "${BREW:?a clone of github.com/Homebrew/brew}")
ruby=ruby$(git -C "$brew" show HEAD:Library/Homebrew/.ruby-version | cut -d. -f1,2)
[ -f "$dist/unitproof.rb" ] || { say "no formula in $dist: make release, or DIST=FOLDER"; exit 1; }

origin=$(base sid "$(dpkg --print-architecture)")
trial=$DIST_WORK/brew.trial
rm -rf --one-file-system "$trial"
cp -a "$origin" "$trial"
sed 's/ sid / experimental /' "$trial/etc/apt/sources.list" >"$trial/etc/apt/sources.list.d/experimental.list"
prefix=/home/linuxbrew/.linuxbrew
core=$trial$prefix/Homebrew/Library/Taps/homebrew/homebrew-core
mkdir -p "$trial$prefix/bin"
git clone -q --depth 1 "file://$brew" "$trial$prefix/Homebrew"
ln -s ../Homebrew/bin/brew "$trial$prefix/bin/brew"
mkdir -p "$core/Formula/l" "$trial$prefix/none-1.0"
tar -czf "$trial$prefix/none-1.0.tar.gz" -C "$trial$prefix" none-1.0
cat >"$core/Formula/l/llvm.rb" <<END
class Llvm < Formula
  desc "Stand-in: the clang of the system"
  homepage "https://llvm.org"
  url "file://$prefix/none-1.0.tar.gz"
  sha256 "$(sha256sum <"$trial$prefix/none-1.0.tar.gz" | cut -d' ' -f1)"
  def install
    bin.install_symlink Dir["/usr/lib/llvm-*/bin/clang"]
  end
end
END
git -C "$core" init -q .
git -C "$core" -c user.name=trial -c user.email=trial@example.com commit -q --allow-empty -m first
tap=$trial$prefix/Homebrew/Library/Taps/trial/homebrew-tap/Formula
mkdir -p "$tap"
sed -E "s|https?://[^\"]*/(unitproof-)|file://$INSIDE_MOUNTS/dist/\1|" "$dist/unitproof.rb" >"$tap/unitproof.rb"

cat >"$trial$INSIDE_HOME/trial.sh" <<'END'
set -euo pipefail
apt-get update -q
apt-get install -q -y --no-install-recommends -t experimental "$1"
apt-get install -q -y --no-install-recommends clang libc6-dev g++ git curl ca-certificates make file procps
ln -sf "$1" /usr/bin/ruby
rm -f /usr/bin/clang /usr/bin/clang-[0-9]* # as on a system without one
useradd --home-dir /home/linuxbrew linuxbrew
chown -R linuxbrew /home/linuxbrew
cat >/home/linuxbrew/trial.sh <<'USER'
set -euo pipefail
cd
brew install --build-from-source llvm
brew install trial/tap/unitproof
unitproof version
unitproof doctor | grep -E '^ok +compiling a proof'
sed -n '/<<~EOS/,/EOS$/p' "$(brew --repository trial/tap)/Formula/unitproof.rb" | sed '1d;$d' >one_harness.c
unitproof check one_harness.c
man -w unitproof-check 2>/dev/null || ls "$(brew --prefix)/share/man/man1/unitproof-check.1.gz"
brew uninstall trial/tap/unitproof
! command -v unitproof
echo "== the formula: installed from a tap by Homebrew, a verdict, removed"
USER
runuser -u linuxbrew -- env HOME=/home/linuxbrew USER=linuxbrew PATH=/home/linuxbrew/.linuxbrew/bin:/usr/bin:/bin \
  HOMEBREW_NO_AUTO_UPDATE=1 HOMEBREW_NO_ANALYTICS=1 HOMEBREW_NO_INSTALL_FROM_API=1 HOMEBREW_NO_ENV_HINTS=1 \
  bash /home/linuxbrew/trial.sh
END
say "trying the formula by Homebrew"
MOUNTS="$dist:$INSIDE_MOUNTS/dist" inside "$trial" bash "$INSIDE_HOME/trial.sh" "$ruby" >"$DIST_WORK/brew.log" 2>&1 ||
  { tail -30 "$DIST_WORK/brew.log" >&2; exit 1; }
grep '^==' "$DIST_WORK/brew.log"
if [ -z "${KEEP:-}" ]; then rm -rf --one-file-system "$trial"; fi
