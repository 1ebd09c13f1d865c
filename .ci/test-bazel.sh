#!/usr/bin/env bash
# Runs the rules of buildsystems/bazel by Debian's Bazel (apt-get install bazel-bootstrap) without a network: the
# example project, a library in another package with flags of its own, a proof that fails.
#   .ci/test-bazel.sh PROGRAM   or DIST, the folder of a release: its recipe for MODULE.bazel, with its archive
# Bazel 4.2 of Debian 12 and 13 has no MODULE.bazel, so workspaces are used; repositories that it would download are
# replaced by small ones that export Bazel's own rules. Debian sid has Bazel 7 with rules_cc; modules that Bazel itself
# depends on, and that these builds do not use, are empty ones.
set -euo pipefail
cd "$(dirname "$0")/.."
given=$(realpath "$1")
version=$(dpkg-query -W -f='${Version}' bazel-bootstrap)
work=$(mktemp -d)
bazel() { command bazel --output_user_root="$work/out" "$@"; }
trap 'cd "$work/ring" && bazel shutdown >/dev/null 2>&1; chmod -R u+w "$work"; rm -rf "$work"' EXIT

cp -r buildsystems/example "$work/ring"
if [ -f "$given" ]; then
  mkdir -p "$work/unitproof/bin"
  cp buildsystems/bazel/* "$work/unitproof/"
  sed -i -e 's/@VERSION@/1.0.0/' -e 's/@MAJOR@/1/' "$work/unitproof/MODULE.bazel"
  cp "$given" "$work/unitproof/bin/unitproof"
fi
cd "$work"

workspaces() { # in the place of modules
  rm ring/MODULE.bazel unitproof/MODULE.bazel
  mkdir -p rules_cc/cc/common rules_java/java coverage
  touch {unitproof,rules_cc,rules_java,coverage}/WORKSPACE
  touch {rules_cc/cc,rules_cc/cc/common,rules_java,rules_java/java}/BUILD
  echo 'NativeCcInfo = CcInfo' >rules_cc/cc/common/native.bzl
  printf 'load(":native.bzl", "NativeCcInfo")\nCcInfo = NativeCcInfo\n' >rules_cc/cc/common/cc_info.bzl
  echo 'cc_library = native.cc_library' >rules_cc/cc/cc_library.bzl
  own() { for rule in $2; do echo "$1_$rule = native.$1_$rule"; done; }
  own cc 'library binary test import toolchain toolchain_suite proto_library' >rules_cc/cc/defs.bzl
  own fdo 'profile prefetch_hints' >>rules_cc/cc/defs.bzl
  own objc library >>rules_cc/cc/defs.bzl
  own java 'library binary import test plugin toolchain runtime package_configuration proto_library
    lite_proto_library' >rules_java/java/defs.bzl
  echo 'filegroup(name = "coverage_report_generator", visibility = ["//visibility:public"])' >coverage/BUILD
  {
    echo 'workspace(name = "ring")'
    for r in rules_cc rules_java unitproof; do echo "local_repository(name = \"$r\", path = \"../$r\")"; done
    echo 'local_repository(name = "remote_coverage_tools", path = "../coverage")'
  } >ring/WORKSPACE
}
modules() {
  echo 'common --noenable_workspace --lockfile_mode=off' >ring/.bazelrc
  for m in apple_support buildozer protobuf zlib; do
    mkdir -p "empty/$m"
    echo "module(name = \"$m\")" >"empty/$m/MODULE.bazel"
    touch "empty/$m/BUILD"
    echo "common --override_module=$m=$work/empty/$m" >>ring/.bazelrc
  done
  echo 'buildozer_binary = module_extension(implementation = lambda ctx: None)' >empty/buildozer/buildozer_binary.bzl
  if [ -d "$given" ]; then
    sed -i '/^# Of a release/,$d' ring/MODULE.bazel
    sed -E "s|https?://[^\"]*/(unitproof-)|file://$given/\1|" \
      "$given/unitproof-$(dpkg --print-architecture).MODULE.bazel" >>ring/MODULE.bazel
  fi
}
if [ "${version%%.*}" -ge 7 ]; then modules; else workspaces; fi

cd ring
sed -i 's/name = "ring",/&\n    visibility = ["\/\/visibility:public"],/' BUILD.bazel
mkdir -p sub/lib
cat >sub/lib/BUILD.bazel <<'END'
load("@rules_cc//cc:cc_library.bzl", "cc_library")

cc_library(
    name = "half",
    srcs = ["half.c", "private.h"],
    hdrs = ["half.h"],
    copts = ["'-DNAME=\"a b\"'"],
    local_defines = ["BY=2"],
    visibility = ["//visibility:public"],
    deps = ["//:ring"],
)
END
echo 'int half(int x);' >sub/lib/half.h
echo '#define ZERO 0' >sub/lib/private.h
cat >sub/lib/half.c <<'END'
#include "half.h"
#include "private.h"
#include <ring/ring.h>
int half(int x) { return x / BY + ZERO * RING_CAPACITY * (int)sizeof NAME; }
END
cat >sub/half_harness.c <<'END'
#include "sub/lib/half.h"
#include <unitproof.h>
int stub(void);
void good_proof(void) { int x = nd_int(); assume(x >= 0); sassert(half(x) <= x && stub() == N); }
void bad_proof(void) { sassert(half(nd_int()) <= 0); }
END
echo 'int stub(void) { return 3; }' >sub/stub.c
cat >sub/BUILD.bazel <<'END'
load("@unitproof//:defs.bzl", "unitproof_test")

[
    unitproof_test(
        name = name,
        srcs = ["stub.c"],
        defines = ["N=3"],
        entry = name + "_proof",
        flags = ["--unwind", "3"],
        proof = "half_harness.c",
        deps = ["//sub/lib:half"],
    )
    for name in ["good", "bad"]
]
END
status=0
bazel test //... --test_output=errors --noshow_progress >"$work/log" 2>&1 || status=$?
wrong() { cat "$work/log"; echo "!! $*"; exit 1; }
for t in full push_pop sub:good; do grep -qE "^//:?$t +PASSED" "$work/log" || wrong "$t does not pass"; done
[ $status = 3 ] && grep -qE '^//sub:bad +FAILED' "$work/log" || wrong "the status is $status"
grep -q 'sub/half_harness.c:5:24: failed \[assertion\]' "$work/log" || wrong "the failed assertion is not shown"
echo "== bazel $version: three proofs pass, one fails"
