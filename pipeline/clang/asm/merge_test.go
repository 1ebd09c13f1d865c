package asm

import (
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// mergeTexts are two modules with every kind of entity that can clash.
var mergeTexts = [][]byte{[]byte(`source_filename = "a.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
%struct.s = type { i32, %struct.t }
%struct.t = type { ptr }
@.str = private unnamed_addr constant [2 x i8] c"a\00", align 1
@0 = private unnamed_addr global i8 1
@kept = internal global %struct.s zeroinitializer
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @first, ptr null }]
define void @first() #0 !dbg !5 {
  %1 = call i32 @second(ptr @.str, ptr @0, ptr @kept) #1
  %2 = call i32 @external()
  ret void
}
declare i32 @second(ptr, ptr, ptr)
declare i32 @external()
attributes #0 = { nounwind }
attributes #1 = { cold }
!llvm.module.flags = !{!0, !1}
!llvm.dbg.cu = !{!2}
!0 = !{i32 7, !"PIC Level", i32 2}
!1 = !{i32 2, !"Debug Info Version", i32 3}
!2 = distinct !DICompileUnit(language: DW_LANG_C99, file: !3)
!3 = !DIFile(filename: "a.c", directory: "/d")
!4 = !{null, !6}
!5 = distinct !DISubprogram(name: "first", file: !3, line: 1, type: !7, unit: !2)
!6 = !DICompositeType(tag: DW_TAG_structure_type, name: "self", elements: !8)
!7 = !DISubroutineType(types: !4)
!8 = !{!9}
!9 = !DIDerivedType(tag: DW_TAG_member, name: "next", baseType: !10)
!10 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !6, size: 64)
`), []byte(`source_filename = "b.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
%struct.s = type { i32, %struct.t }
%struct.t = type { i64, i64 }
%struct.u = type { ptr }
@.str = private unnamed_addr constant [2 x i8] c"b\00", align 1
@0 = private unnamed_addr global i8 2
@kept = internal global %struct.s zeroinitializer
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @start, ptr null }]
define i32 @second(ptr %a, ptr %b, ptr %c) #0 !dbg !4 {
  %p = getelementptr inbounds %struct.s, ptr @kept, i32 0, i32 1
  store ptr @.str, ptr @0
  %1 = call i32 @external(), !dbg !8
  ret i32 %1
}
define internal void @start() #1 {
  ret void
}
declare !dbg !9 i32 @external()
attributes #0 = { cold }
attributes #1 = { noinline }
!llvm.module.flags = !{!0, !1}
!llvm.dbg.cu = !{!2}
!0 = !{i32 7, !"PIC Level", i32 1}
!1 = !{i32 2, !"Debug Info Version", i32 3}
!2 = distinct !DICompileUnit(language: DW_LANG_C99, file: !3)
!3 = !DIFile(filename: "b.c", directory: "/d")
!4 = distinct !DISubprogram(name: "second", file: !3, line: 2, type: !5, unit: !2)
!5 = !DISubroutineType(types: !6)
!6 = !{!7}
!7 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!8 = !DILocation(line: 3, column: 4, scope: !4)
!9 = !DISubprogram(name: "external", file: !3, line: 1, type: !5)
`)}

func TestMerge(t *testing.T) {
	text, err := Merge(mergeTexts)
	if err != nil {
		t.Fatal(err)
	}
	m, err := llvmir.Read(text, llvmir.ReadOptions{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	var names []string
	for _, g := range m.Globals {
		names = append(names, g.Name)
	}
	if got, want := strings.Join(names, " "), ".str 0 kept .str.1 1 kept.1"; got != want {
		t.Errorf("variables %s, want %s", got, want)
	}
	if len(m.Ctors) != 2 || m.Ctors[0].Name != "first" || m.Ctors[1].Name != "start" {
		t.Errorf("constructors %v", m.Ctors)
	}
	a, b := m.GlobalByName["kept"].Type, m.GlobalByName["kept.1"].Type
	if a.Size != 16 || b.Size != 24 || a.Name != "struct.s" || b.Name != "struct.s.1" {
		t.Errorf("types %s of %d bytes and %s of %d", a, a.Size, b, b.Size)
	}
	second := m.FuncByName["second"]
	if first := m.FuncByName["first"].Blocks[0].Instrs; first[0].Callee.Const.Func != second || len(second.Blocks) != 1 {
		t.Error("a call does not call the definition of another module")
	}
	in := second.Blocks[0].Instrs
	if in[0].ElemType != b || in[1].Args[0].Const.Global.Name != ".str.1" || in[1].Args[1].Const.Global.Name != "1" {
		t.Errorf("names of the second module: %s", text)
	}
	if l := in[2].Loc; l == nil || l.Line != 3 || l.Scope.Function != "second" {
		t.Errorf("location %+v", l)
	}
	if f := m.FuncByName["external"]; f.RetDIType == nil || f.RetDIType.Name != "int" {
		t.Errorf("the declaration without debug information was kept: %+v", f)
	}
	for part, n := range map[string]int{"!llvm.dbg.cu = !{": 1, "PIC Level": 2, "!\"Debug Info Version\"": 1,
		"nounwind": 1,
		"cold":     1, "target triple": 1, "a.c": 2, "b.c": 1} {
		if got := strings.Count(string(text), part); got != n {
			t.Errorf("%q stands there %d times, not %d:\n%s", part, got, n, text)
		}
	}
	flags, _, _ := strings.Cut(string(text)[strings.Index(string(text), "!llvm.module.flags"):], "\n")
	if strings.Count(flags, "!") != 4 {
		t.Errorf("a flag of the module is not there once: %s", flags)
	}
}
