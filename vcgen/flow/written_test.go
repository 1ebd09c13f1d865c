package flow

import (
	"testing"

	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// TestWrittenFalse checks the detection of a failure call's condition in the branches before it. Up to clang 21 all
// tokens of a macro have the position of its name; from 22 on its arguments have their own, as in these tests.
func TestWrittenFalse(t *testing.T) {
	for _, c := range []struct {
		name, branch string // position of the branch before the failure call
		want         bool
	}{
		{"what assert was given", "line: 4, column: 14, scope: !6", false},
		{"on a later line", "line: 5, column: 3, scope: !6", false},
		{"all at the macro's name", "line: 4, column: 5, scope: !6", false},
		{"an if before", "line: 4, column: 1, scope: !6", true},
		{"the condition of a loop around assert(0)", "line: 4, column: 24, scope: !5", true},
	} {
		m, err := clangir.Read([]byte(`target triple = "x86_64-pc-linux-gnu"

define void @f(i1 %a) !dbg !5 {
entry:
  br label %body

body:
  br i1 %a, label %next, label %fails, !dbg !7

fails:
  call void @__assert_fail(ptr null, ptr null, i32 4, ptr null), !dbg !8
  unreachable

next:
  br label %body
}

declare void @__assert_fail(ptr, ptr, i32, ptr)

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}

!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, isOptimized: false, runtimeVersion: 0, emissionKind: FullDebug)
!1 = !DIFile(filename: "a.c", directory: "/")
!2 = !{i32 7, !"Dwarf Version", i32 5}
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = !DISubroutineType(types: !9)
!5 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 1, type: !4, unit: !0)
!6 = distinct !DILexicalBlock(scope: !5, file: !1, line: 4, column: 5)
!7 = !DILocation(`+c.branch+`)
!8 = !DILocation(line: 4, column: 5, scope: !6)
!9 = !{null}
`), llvmir.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		f := m.FuncByName["f"]
		b := f.Blocks[2]
		if got := WrittenFalse(f, b, b.Instrs[0]); got != c.want {
			t.Errorf("%s: %t, want %t", c.name, got, c.want)
		}
	}
}
