#!/usr/bin/env bash
# Packs what users install, in bin/dist: an archive that runs from any folder, a Debian package, and the extension for
# VS Code with the program inside. The program is built here; with PORTABLE=1 in a Debian 11 (.ci/dist-program.sh), so
# that it runs with older C libraries than this machine's; PROGRAM=FILE takes one that is there. DEB=1 makes the Debian
# package only, which needs no Node.
set -euo pipefail
cd "$(dirname "$0")/.."

# The clangs that the package can be installed with, in the order in which the program looks for them (its Candidates;
# a test compares them).
clangs=(23 22 21 20 19 18 17 16 15 14)

say() { printf 'dist: %s\n' "$*" >&2; }
out=$PWD/bin/dist
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022
rm -rf "$out"
mkdir -p "$out"

program=${PROGRAM:-$work/unitproof}
if [ -n "${PROGRAM:-}" ]; then
  say "taking $program"
elif [ -n "${PORTABLE:-}" ]; then
  bash .ci/dist-program.sh "$program"
else
  say "compiling the program (minutes, the first time)"
  commit=$(git describe --always --dirty=+changes --abbrev=12)
  go build -trimpath -ldflags "-s -w -X github.com/unitproof/unitproof/cmd/internal/cli.commit=$commit" \
    -o "$program" ./cmd/unitproof
fi
version=$("$program" version | cut -d' ' -f2) # "unitproof VERSION (COMMIT)"
machine=$(uname -m)

# Whoever installs this has a C library, and nothing else is promised.
needed=$(objdump -p "$program" | awk '$1 == "NEEDED" { print $2 }')
if others=$(grep -vE '^(libc|libm|libdl|libpthread|librt|libresolv|ld-linux-.*)\.so\.' <<<"$needed"); then
  say "$program is linked with more than the C library:" $others
  exit 1
fi
glibc=$(objdump -T "$program" | grep -oE 'GLIBC_[0-9.]+' | sort -uV | tail -n1)
glibc=${glibc#GLIBC_}
say "unitproof $version needs the C library of version $glibc"

# What a prefix holds: /usr for the Debian package, the folder of the archive.
# What speaks to servers is a program of its own, beside the other.
CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o "$work/unitproof-remote" ./cmd/unitproof-remote

stage=$work/prefix
doc=$stage/share/doc/unitproof
install -D -m 755 "$program" "$stage/bin/unitproof"
install -m 755 "$work/unitproof-remote" "$stage/bin/unitproof-remote"
"$program" man --dir "$stage/share/man"
gzip -9n "$stage"/share/man/man*/*
mkdir -p "$stage"/share/{bash-completion/completions,zsh/vendor-completions,fish/vendor_completions.d}
"$program" completion bash >"$stage/share/bash-completion/completions/unitproof"
"$program" completion zsh >"$stage/share/zsh/vendor-completions/_unitproof"
"$program" completion fish >"$stage/share/fish/vendor_completions.d/unitproof.fish"
install -D -m 644 pipeline/clang/unitproof.h "$stage/include/unitproof.h"
for f in buildsystems/cmake/*.cmake; do
  install -D -m 644 "$f" "$stage/share/cmake/unitproof/${f##*/}"
done
sed -i "s/@VERSION@/${version%%-*}/" "$stage/share/cmake/unitproof/unitproofConfigVersion.cmake"
(cd editors/nvim && find lua plugin README.md -type f -exec install -D -m 644 {} "$stage/share/unitproof/nvim/{}" \;)
# The manual for assistants, as those take it that load skills from files.
mkdir -p "$stage/share/unitproof/skill"
{
  printf -- '---\nname: unitproof\ndescription: %s\n---\n\n' \
    'Write and check unit proofs of C code with unitproof: harnesses, loop invariants, contracts, counterexamples'
  "$program" mcp --instructions
} >"$stage/share/unitproof/skill/SKILL.md"
install -D -m 644 -t "$doc" README.md llms.txt
install -D -m 644 -t "$doc/docs" docs/*.md
install -D -m 644 -t "$doc/docs/images" docs/images/*.png
install -D -m 644 -t "$doc/examples" testdata/proofs/examples/*
(cd buildsystems/example && find . -type f -exec install -D -m 644 {} "$doc/examples/ring/{}" \;)

say "collecting the licences"
{
  cat LICENSE
  printf '\n\nunitproof is licensed under the Apache License 2.0. This package holds, besides:\n\n'
  bash .ci/notices.sh
} >"$doc/copyright"

if [ -z "${DEB:-}" ]; then
  say "packing the extension for VS Code (a minute)"
  SERVER=$program bash .ci/vsix.sh
  mv bin/unitproof-*.vsix "$out/"
  say "packing the archive"
  name=unitproof-$version-linux-$machine
  mkdir "$work/archive"
  cp -a "$stage" "$work/archive/$name"
  tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$(git log -1 --format=%ct)" \
    -C "$work/archive" -czf "$out/$name.tar.gz" "$name"
fi
say "packing the Debian package"

# Not held against the policy of Debian: this is a package to be installed, not one for an archive.
any() { local list; printf -v list '%s | ' "$@"; echo "${list% | }"; }
linkers=("${clangs[@]/#/clang-}")
linkers=("${linkers[@]/#clang-14/llvm-14}") # the others need no linker
newest=$(printf '%s\n' "${clangs[@]}" | sort -n | tail -n1)
root=$work/deb
mkdir -p "$root/DEBIAN"
cp -a "$stage" "$root/usr"
compiler=$(any "${clangs[@]/#/clang-}" "clang (>= 1:$newest)")
linker=$(any "${linkers[@]}" "clang (>= 1:$newest)")
cat >"$root/DEBIAN/control" <<END
Package: unitproof
Version: ${version/-/\~}
Architecture: $(dpkg --print-architecture)
Maintainer: unitproof maintainers <maintainers@unitproof.invalid>
Section: devel
Priority: optional
Installed-Size: $(du -k -s "$root/usr" | cut -f1)
Depends: libc6 (>= $glibc), $compiler, $linker
Recommends: $(any $(printf 'libclang-rt-%s-dev ' "${clangs[@]}"))
Suggests: bash-completion
Description: checks unit proofs of C code
 A unit proof is a C function like a unit test, only that its inputs are
 arbitrary. unitproof proves its assertions and the safety of every memory
 access on the way, or shows an execution that violates one.
 .
 Clang 14 is used together with llvm-link, newer ones alone. The sanitizers of
 clang are needed for running counterexamples natively.
END
deb=unitproof_${version/-/\~}_$(dpkg --print-architecture).deb
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct) dpkg-deb --root-owner-group -Zxz --build "$root" "$out/$deb" >/dev/null
ls -sh "$out"
