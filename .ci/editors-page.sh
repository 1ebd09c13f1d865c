# What the tests of the editors' configurations share: to be sourced.

# page_block SECTION LANGUAGE prints the first block of that language in a section of docs/editors.md.
page_block() {
  awk -v section="$1" -v fence='```'"$2" '
    /^## / { inside = index($0, "## " section) == 1 }
    !inside { next }
    block && /^```/ { exit }
    block { print }
    $0 == fence { block = 1 }' docs/editors.md | grep . ||
    { echo "docs/editors.md has no $2 in its section on $1" >&2; return 1; }
}

# asking_folder PROOF FOLDER... makes folders that hold the proof and ask for a compiler of their own, so that they wait
# for a permission. The compiler leaves the file "ran" where it stands.
asking_folder() {
  local proof=$1 folder
  shift
  for folder; do
    mkdir "$folder"
    cp "$proof" "$folder"
    printf '[compile]\nclang = "./their-clang"\n' >"$folder/unitproof.toml"
    printf '#!/bin/sh\ntouch "$(dirname "$0")/ran"\nexec clang-14 "$@"\n' >"$folder/their-clang"
    chmod +x "$folder/their-clang"
  done
}
