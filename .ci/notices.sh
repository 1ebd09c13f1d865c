#!/usr/bin/env bash
# Prints the licences of the Go modules, of Go itself and of the C libraries that are linked into the programs.
set -euo pipefail
cd "$(dirname "$0")/.."

part() { printf '%s\n%s\n%s\n\n%s\n\n' "$line" "$1" "$line" "$2"; }
printf -v line '%.0s=' {1..78}

# Modules that come without a licence file; a further one is an error until it was examined.
declare -A unstated=()
text="States no licence. By the author of github.com/llir/llvm, which depends on it (BSD 0-clause, see there)."
unstated[github.com/mewmew/float]=$text

format='{{with .Module}}{{if not (or .Main .Replace)}}{{.Path}} {{.Version}}{{"\t"}}{{.Dir}}{{end}}{{end}}'
modules=$(go list -deps -f "$format" ./cmd/unitproof ./cmd/unitproof-remote | sort -u)
while IFS=$'\t' read -r name folder; do
  mapfile -t files < <(find "$folder" -maxdepth 1 -type f -regextype posix-extended \
    -iregex '.*/(licen[cs]e|copying|notice)[^/]*' | sort)
  if [ "${#files[@]}" -gt 0 ]; then
    part "$name (Go)" "$(cat "${files[@]}")"
  elif [ -n "${unstated[${name%% *}]:-}" ]; then
    part "$name (Go)" "${unstated[${name%% *}]}"
  else
    echo "the Go module $name has no licence" >&2
    exit 1
  fi
done <<<"$modules"
version=$(go env GOVERSION)
part "stdlib ${version#go} (Go)" "$(cat "$(go env GOROOT)/LICENSE")"
# What is linked in, by the Debian package it is from: libc6 into static programs only.
for debian in libcadical-dev libstdc++6 libgcc-s1 libc6; do
  file=/usr/share/doc/$debian/copyright
  [ -f "$file" ] || continue
  version=$(dpkg-query -W -f='${Version}\n' "$debian" | head -n1)
  part "$debian $version (Debian)" "$(cat "$file")"
done
