# A stand-in for nixpkgs: the names that unitproof.nix of a release uses, with the tools of this machine in place of
# packages. .ci/test-dist-inside.sh builds the expression with it, where no package of nix can be downloaded.
let
  system = builtins.currentSystem;
  shell = name: script: attributes: derivation ({
    inherit name system;
    builder = "/bin/bash";
    # nix kills a builder that has closed its output and not ended yet, as a last command does that bash becomes: bash
    # itself ends the script.
    args = [ "-euc" ("export PATH=/usr/bin:/bin\n" + script + "\nexit 0") ];
  } // attributes);
in
{
  stdenv.hostPlatform = { inherit system; };
  fetchurl = import <nix/fetchurl.nix>; # compares the checksum
  makeWrapper = null;
  clang = shell "clang" ''
    mkdir -p $out/bin
    ln -s $(ls -d /usr/lib/llvm-*/bin/clang | sort -V | tail -n1) $out/bin/clang
  '' { };
  lib = {
    makeBinPath = packages: builtins.concatStringsSep ":" (map (p: "${p}/bin") packages);
    licenses.asl20 = "Apache-2.0";
  };
  stdenvNoCC.mkDerivation = a: shell "${a.pname}-${a.version}" ''
    # The wrapper that makeWrapper of nixpkgs writes, for one --suffix.
    wrapProgram() {
      local hidden
      hidden=$(dirname "$1")/.$(basename "$1")-wrapped
      mv "$1" "$hidden"
      printf '#!/bin/bash -e\nexport PATH=$PATH''${PATH:+:}%s\nexec -a "$0" "%s" "$@"\n' "$5" "$hidden" >"$1"
      chmod +x "$1"
    }
    tar -xzf $src
    cd */
    eval "$installPhase"
  '' { inherit (a) src installPhase; };
}
