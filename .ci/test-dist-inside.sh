# Runs as root in a bare Debian, from .ci/test-dist.sh: bash FILE DIST, the folder of the release. Lines that begin
# with "==" are what is shown.
set -euo pipefail
dist=$1 source=${1%/*}/source # the folders of the release and of the repository

last=$(date +%s%N) installed=
step() { # step TEXT: how long what ran since the last one took
  local now
  now=$(date +%s%N)
  awk -v ms=$(((now - last) / 1000000)) -v text="$*" 'BEGIN { printf "== %6.1f s  %s\n", ms / 1000, text }'
  last=$(date +%s%N)
}
wrong() { echo "!! $*"; exit 1; }
as_user() { runuser -u tester -- env -i HOME=/home/tester PATH="${where:-}/usr/bin:/bin" LANG=C.UTF-8 TERM=dumb "$@"; }
expect() { # expect STATUS TEXT COMMAND...: run as the user
  local want=$1 text=$2 status=0
  shift 2
  as_user "$@" >/tmp/output 2>&1 || status=$?
  cat /tmp/output
  [ "$status" = "$want" ] || wrong "status $status, want $want: $*"
  grep -qE -- "$text" /tmp/output || wrong "no \"$text\" is said by: $*"
}

. /etc/os-release
echo "== $PRETTY_NAME, $(dpkg-query -W -f='${Package}\n' | wc -l) packages, $(nproc) processors"
useradd --create-home tester
apt-get update -q
step "apt-get update"
apt-get install -q -y --no-install-recommends "$dist"/unitproof_*_"$(dpkg --print-architecture)".deb
step "apt-get install ./unitproof_*.deb, with $(dpkg-query -W -f='${db:Status-Status} ${Package}\n' |
  sed -nE 's/^installed ((clang|llvm|libclang-rt)-[0-9]+(-dev)?)$/\1/p' | xargs)"
installed=$last

doc=/usr/share/doc/unitproof
as_user cp -r $doc/examples /home/tester/
cd /home/tester/examples
expect 0 'proved +clamp' unitproof check clamp_harness.c
step "the first verdict: unitproof check clamp_harness.c"
[ $((last - installed)) -lt 60000000000 ] || wrong "the first verdict took more than a minute"
expect 0 'failed +ring' unitproof check ring_harness.c # as its unitproof.toml expects
step "unitproof check ring_harness.c, with a counterexample"
if [ "$(dpkg --print-architecture)" = amd64 ]; then
  expect 0 'reproduced' unitproof replay ring_harness.c
else # under qemu, AddressSanitizer finds no room
  expect 2 'not run' unitproof replay ring_harness.c
fi
step "unitproof replay ring_harness.c: the same natively"
# Each program of the package has the verdict that its first comment states.
examples() { # examples COMMAND...
  local f stated
  for f in ./*_harness.c; do
    stated=$(sed -nE '1,15s/^verdict: (\w+)$/\1/p' "$f")
    expect 0 "^$stated +$(basename "$f" _harness.c)" "$@" unitproof check --no-cache "$f"
  done
}
examples
expect 0 '2 proofs: 2 proved' unitproof check --source ring/src/ring.c -I ring/include -D RING_CAPACITY=16 ring/proofs
expect 0 'ok +compiling a proof' unitproof doctor
step "all examples, a project of two proofs, unitproof doctor"
expect 0 'lsp over stdio' bash $source/.ci/test-sessions.sh unitproof
step "the language server and the tools for assistants over stdio"

# With the headers of musl only, and the machine that Alpine's clang compiles for.
apt-get install -q -y --no-install-recommends musl-dev >/dev/null
printf '#!/bin/sh\nexec clang-%s --target=%s-linux-musl -nostdlibinc -isystem /usr/include/%s-linux-musl "$@"\n' \
  "$(compgen -c clang- | sed -nE 's/^clang-([0-9]+)$/\1/p' | sort -n | tail -n1)" "$(uname -m)" "$(uname -m)" \
  >/usr/local/bin/musl-clang
chmod +x /usr/local/bin/musl-clang
cat >musl_harness.c <<'END'
/*
verdict: proved
*/
#include <ctype.h>
#include <unitproof.h>
#ifdef __GLIBC__
#error the headers are those of glibc
#endif
int main(void) {
  int c = nd_uchar();
  sassert(!isdigit(c) || ('0' <= c && c <= '9'));
}
END
examples env UNITPROOF_CLANG=/usr/local/bin/musl-clang
rm musl_harness.c
step "all examples with the headers of musl in place of glibc's"

# What else the package has.
/usr/bin/unitproof cache key >/dev/null || wrong "unitproof-remote does not run"
dpkg-deb --contents "$dist"/unitproof_*_"$(dpkg --print-architecture)".deb >/tmp/contents
for f in man/man1/unitproof.1.gz man/man1/unitproof-check.1.gz man/man5/unitproof.toml.5.gz; do
  # dpkg of a minimal image leaves pages out, so the package is asked.
  grep -q "share/$f$" /tmp/contents || wrong "no $f"
done
grep -q "share/unitproof/skill/SKILL.md$" /tmp/contents || wrong "no skill for assistants"
expect 0 '^ok +must_be_proved' unitproof selftest
apt-get install -q -y --no-install-recommends bash-completion fish zsh cmake make gcc libc6-dev >/dev/null
expect 0 '^check.* --vacuity|^--vacuity' bash -c '
  . /usr/share/bash-completion/bash_completion
  _completion_loader unitproof || [ $? = 124 ]
  COMP_WORDS=(unitproof check --vac) COMP_CWORD=2 COMP_LINE="unitproof check --vac" COMP_POINT=21
  __start_unitproof
  printf "%s\n" "${COMPREPLY[@]}"'
expect 0 '^entry' fish -c 'complete -C "unitproof check --vacuity "'
expect 0 '^autoloaded' zsh -fc '
  autoload -U compinit; compinit -D -u
  [ "${_comps[unitproof]}" = _unitproof ] && autoload +X _unitproof && echo autoloaded'
step "completion in bash, fish and zsh"
expect 0 'Build files' cmake -S ring -B /tmp/ring
expect 0 '100% tests passed' sh -c 'cd /tmp/ring && ctest'
step "a project with CMake: find_package(unitproof), ctest"

apt-get remove -q -y unitproof >/dev/null
left=$(find / -xdev -path /home -prune -o -path "${dist%/*}" -prune -o -path /tmp -prune -o \
  -name '*unitproof*' -not -path '/var/*' -print)
[ -z "$left" ] || wrong "after the removal there are still $left"

# The archive: no root, a folder with a space, the clang that is there.
as_user mkdir -p "/home/tester/my tools"
cd "/home/tester/my tools"
as_user tar -xzf "$dist"/unitproof-*-linux-"$(dpkg --print-architecture)".tar.gz
where="$(echo "$PWD"/unitproof-*)/bin:"
cd /home/tester/examples
expect 0 'proved +clamp' unitproof check --no-cache clamp_harness.c
expect 0 'Build files' cmake -S ring -B /tmp/ring2 # found through PATH
expect 0 '100% tests passed' sh -c 'cd /tmp/ring2 && ctest'
step "the archive in \"my tools\": a verdict, CMake finds it"

# Recipes of a release, with the archive in place of its address.
if [ -f "$dist/unitproof.cmake" ]; then
  project=/home/tester/fetched where=
  as_user cp -r /home/tester/examples/ring $project
  sed -E "s|https?://[^\"]*/|file://$dist/|" "$dist/unitproof.cmake" >$project/unitproof.cmake
  sed -i -e 's/^find_package.*/include(unitproof.cmake)/' -e 's/VERSION 3.12/VERSION 3.14/' $project/CMakeLists.txt
  expect 0 'Build files' cmake -S $project -B /tmp/ring3
  expect 0 '100% tests passed' sh -c 'cd /tmp/ring3 && ctest'
  grep -q 'unitproof-src/bin/unitproof' /tmp/ring3/CTestTestfile.cmake || wrong "ctest runs another program"
  step "a project that downloads the archive by CMake: unitproof.cmake"
fi

# The package for Fedora, by its own program; the dependencies have other names here.
rpm=$(echo "$dist"/unitproof-*."$(uname -m)".rpm)
if [ -f "$rpm" ]; then
  apt-get install -q -y --no-install-recommends rpm >/dev/null
  rpm --install --nodeps --nosignature "$rpm"
  cd /home/tester/examples
  where=
  expect 0 'proved +clamp' unitproof check --no-cache clamp_harness.c
  rpm --verify --nodeps unitproof || wrong "files differ from the package"
  rpm --erase unitproof
  ! command -v unitproof || wrong "the program is left"
  step "the package for Fedora by rpm: installed, a verdict, removed"
fi

# The expression for nix, by Debian's nix. nixpkgs is replaced by a few functions that use the tools of this system.
if [ -f "$dist/unitproof.nix" ] && apt-get install -q -y --no-install-recommends nix-bin >/dev/null 2>&1; then
  sed -E "s|https?://[^\"]*/(unitproof-)|file://$dist/\1|" "$dist/unitproof.nix" >/tmp/unitproof.nix
  nix-build --option sandbox false --option build-users-group '' --option substituters '' --out-link /tmp/nix \
    --arg pkgs "import $source/testdata/nix/nixpkgs.nix" /tmp/unitproof.nix
  cd /home/tester/examples
  expect 0 'proved +clamp' /tmp/nix/bin/unitproof check --no-cache clamp_harness.c
  step "unitproof.nix by nix-build $(nix-build --version | cut -d' ' -f3), with a stand-in for nixpkgs: a verdict"
fi

# The action of GitHub, which installs the package.
if [ -n "$(command -v act)" ] &&
  apt-get install -q -y --no-install-recommends nodejs git sudo gcc libc6-dev make >/dev/null &&
  node -e 'process.exit(parseInt(process.versions.node) < 18 ? 1 : 0)'; then
  ACT=$(command -v act) CACHE_ACTION=${dist%/*}/cache bash "$source/.ci/test-act.sh" \
    "$dist"/unitproof_*_"$(dpkg --print-architecture)".deb
  step "the action of GitHub by nektos/act, with its installation"
fi

# The recipe for Bazel 7.
if [ -n "$BAZEL" ] && apt-cache policy bazel-bootstrap | grep -q 'Candidate: 7'; then
  apt-get install -q -y --no-install-recommends bazel-bootstrap g++ python3 >/dev/null
  bash "$source/.ci/test-bazel.sh" "$dist"
  step "a project that downloads the archive by Bazel: MODULE.bazel"
fi
