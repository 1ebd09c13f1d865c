package asm

import (
	"slices"
	"strings"
	"testing"
)

// TestArbitraryStatics checks which variables of a program lose their initialisers, and that nothing else changes.
func TestArbitraryStatics(t *testing.T) {
	text := `@counted = internal global i32 5, align 8, !dbg !0
@table = dso_local global [2 x i32] [i32 1, i32 2], align 4
@zero = common dso_local global i64 0
@local.static = internal unnamed_addr global %struct.s { i8* bitcast (i32* @counted to i8*), i32 3 }, section "data", align 8, !dbg !0, !dbg !1
@constant = dso_local constant i32 7, align 4
@.str = private unnamed_addr constant [4 x i8] c"a g\00", align 1
@0 = private unnamed_addr global { i16, i16, [6 x i8] } { i16 0, i16 11, [6 x i8] c"'int'\00" }
@__unitproof_errno = dso_local global i32 0, align 4
@llvm.used = appending global [1 x i8*] [i8* bitcast (i32* @counted to i8*)], section "llvm.metadata"
@elsewhere = external global i32, align 4
@perhaps = extern_weak global i32
@last = weak thread_local(initialexec) global i8 1, align 1
define i32 @main() {
  ret i32 0
}
`
	got, err := ArbitraryStatics([]byte("%struct.s = type { i8*, i32 }\n" + text))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"counted": "@counted = external externally_initialized global i32, align 8, !dbg !0",
		"table":   "@table = external dso_local externally_initialized global [2 x i32], align 4",
		"zero":    "@zero = external dso_local externally_initialized global i64",
		"last":    "@last = external thread_local(initialexec) externally_initialized global i8, align 1",
		"local.static": "@local.static = external unnamed_addr externally_initialized global %struct.s, align 8, !dbg !0, " +
			"!dbg !1",
	}
	before := strings.Split("%struct.s = type { i8*, i32 }\n"+text, "\n")
	after := strings.Split(string(got), "\n")
	if len(before) != len(after) {
		t.Fatalf("%d lines became %d:\n%s", len(before), len(after), got)
	}
	for i, line := range before {
		name, _, _ := strings.Cut(strings.TrimPrefix(line, "@"), " ")
		if w, ok := want[name]; ok && strings.HasPrefix(line, "@") {
			line = w
			delete(want, name)
		}
		if have := strings.Join(strings.Fields(after[i]), " "); have != strings.Join(strings.Fields(line), " ") {
			t.Errorf("%s\nbecame %s\nwant   %s", before[i], after[i], line)
		}
	}
	if len(want) > 0 {
		t.Errorf("not met: %v", want)
	}
	for _, wrong := range []string{"@a = internal global", "@a = internal global ???"} {
		if got, err := ArbitraryStatics([]byte(wrong + "\n")); err == nil {
			t.Errorf("%q became %q", wrong, got)
		}
	}
	again, err := ArbitraryStatics(got)
	if err != nil || !slices.Equal(again, got) {
		t.Errorf("once more: %v\n%s", err, again)
	}
}
