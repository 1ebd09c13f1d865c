package asm

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// placedProgram is a program with a function in two files and a sanitizer's check.
const placedProgram = `@0 = private unnamed_addr global { {ptr, i32, i32}, ptr } { {} { ptr @.src, i32 L2, i32 36 }, ptr @3 }
@3 = private unnamed_addr constant { i16, i16, [6 x i8] } { i16 0, i16 11, [6 x i8] c"'int'\00" }
define i32 @f() !dbg !0 {
  ret i32 L1, !dbg !1
}
!0 = distinct !DISubprogram(name: "line: 7", scope: !3, file: !3, line: L1, type: !9, scopeLine: L2, unit: !8)
!1 = !DILocation(line: L2, column: 7, scope: !0)
!2 = !DILocation(line: L3, column: 7, scope: !5)
!3 = !DIFile(filename: "f.c", directory: "/d")
!4 = !DIFile(filename: "/d/h.h", directory: "/e")
!5 = !DILexicalBlockFile(scope: !0, file: !4, discriminator: 0)
!6 = !DILocation(line: 0, scope: !0)
!7 = !DILocalVariable(name: "x", scope: !0, file: !3, line: L4, type: !9)
!9 = !{i32 7, !"line: 7", i32 5}
`

func TestShapeOf(t *testing.T) {
	with := func(constant, l1, l2, l3, l4 string) string {
		text := strings.Replace(placedProgram, "ret i32 L1", "ret i32 "+constant, 1)
		return strings.NewReplacer("L1", l1, "L2", l2, "L3", l3, "L4", l4).Replace(text)
	}
	base := with("7", "10", "12", "5", "14")
	shape, ok := ShapeOf([]byte(base))
	if want := map[string][]int{"/d/f.c": {10, 12, 14}, "/d/h.h": {5}}; !ok ||
		!maps.EqualFunc(shape.Lines, want, slices.Equal[[]int]) {
		t.Fatalf("%v, %v", shape.Lines, ok)
	}
	for _, x := range []struct {
		what, text string
		same       bool
	}{
		{"nothing", base, true},
		{"lines before", with("7", "110", "112", "5", "114"), true},
		{"lines between", with("7", "10", "100", "5", "104"), true},
		{"a line of the other file", with("7", "10", "12", "9", "14"), true},
		{"a line of the other file that passes another one", with("7", "10", "12", "11", "14"), false},
		{"a line of the other file that is the same number", with("7", "10", "12", "10", "14"), false},
		{"two lines that become one", with("7", "10", "12", "5", "12"), false},
		{"another order", with("7", "10", "14", "5", "12"), false},
		{"a constant", with("8", "10", "12", "5", "14"), false},
		{"a column", strings.Replace(base, "column: 7", "column: 8", 1), false},
		{"a column of a check", strings.Replace(base, "i32 36", "i32 37", 1), false},
		{"a name", strings.Replace(base, `name: "line: 7"`, `name: "line: 8"`, 1), false},
		{"a number in metadata", strings.Replace(base, `!"line: 7"`, `!"line: 8"`, 1), false},
		{"a scope", strings.Replace(base, "column: 7, scope: !0", "column: 7, scope: !5", 1), false},
		{"a file", strings.Replace(base, "f.c", "g.c", 1), false},
		{"a line that is nowhere", strings.Replace(base, "line: 0", "line: 3", 1), false},
	} {
		got, ok := ShapeOf([]byte(x.text))
		if !ok || (got.Sum == shape.Sum) != x.same {
			t.Errorf("%s: understood %v, the same %v", x.what, ok, got.Sum == shape.Sum)
		}
	}
	for what, text := range map[string]string{
		"inlined":          strings.Replace(base, "column: 7, scope: !0", "column: 7, scope: !0, inlinedAt: !2", 1),
		"scopes in a ring": strings.Replace(base, "LexicalBlockFile(scope: !0,", "LexicalBlockFile(scope: !5,", 1),
		"an open string":   strings.Replace(base, `name: "line: 7"`, `name: "line: 7`, 1),
		"an escape":        strings.Replace(base, "f.c", `f\22.c`, 1),
		"a node twice":     base + "!7 = !DILocation(line: 1, scope: !0)\n",
	} {
		if _, ok := ShapeOf([]byte(text)); ok {
			t.Errorf("%s: understood", what)
		}
	}
}
