package clangir

import (
	"slices"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

func TestNeededGlobals(t *testing.T) {
	for _, test := range []struct{ what, text, want string }{
		{"what the source names, used or not", "@a = external global i32\n@b = global i32 0, !dbg !1\n", "a b"},
		{"what the compiler made, where something uses it",
			"@s = private constant [2 x i8] c\"s\\00\"\n@t = private constant [2 x i8] c\"t\\00\"\n" +
				"define i8* @f() {\n  ret i8* getelementptr ([2 x i8], [2 x i8]* @t, i32 0, i32 0)\n}\n", "t"},
		{"in the initial value of something that is needed",
			"@s = private constant [2 x i8] c\"s\\00\"\n" +
				"@m = private constant { i8* } { i8* getelementptr ([2 x i8], [2 x i8]* @s, i32 0, i32 0) }\n" +
				"@p = external global i8*\n@q = private global { i8* }* @m\n" +
				"define { i8* }** @f() {\n  ret { i8* }** @q\n}\n", "m p q s"},
		{"in the initial value of something that is not",
			"@s = private constant [2 x i8] c\"s\\00\"\n@m = private global i8* getelementptr ([2 x i8], [2 x i8]* @s, i32 " +
				"0, i32 0)\n", ""},
		{"in a computed constant",
			"@s = private constant i32 0\ndefine i64 @f(i64 %x) {\n  %r = add i64 %x, ptrtoint (i32* @s to i64)\n  ret i64 " +
				"%r\n}\n", "s"},
		{"the data of a sanitizer's handler, which is read from the module",
			"@d = private constant { i32 } zeroinitializer\ndeclare void @__ubsan_handle_add_overflow(i8*, i64, i64)\n" +
				"define void @f() {\n" +
				"  call void @__ubsan_handle_add_overflow(i8* bitcast ({ i32 }* @d to i8*), i64 0, i64 0)\n  ret void\n}\n", ""},
		{"what another argument of a handler points to",
			"@d = private constant { i32 } zeroinitializer\ndeclare void @__ubsan_handle_add_overflow(i8*, i64, i64)\n" +
				"define void @f() {\n" +
				"  call void @__ubsan_handle_add_overflow(i8* null, i64 ptrtoint ({ i32 }* @d to i64), i64 0)\n  ret void\n}\n",
			"d"},
		{"the first argument of a function that is only called like one",
			"@d = private constant { i32 } zeroinitializer\ndefine void @__ubsan_handle_of_mine(i8* %p) {\n  ret void\n}\n" +
				"define void @f() {\n  call void @__ubsan_handle_of_mine(i8* bitcast ({ i32 }* @d to i8*))\n  ret void\n}\n", "d"},
		{"what refers to itself", "@d = private global { i8* } { i8* bitcast ({ i8* }* @d to i8*) }\n" +
			"define { i8* }* @f() {\n  ret { i8* }* @d\n}\n", "d"},
	} {
		m, err := Read([]byte(test.text+debugOfAGlobal), llvmir.ReadOptions{})
		if err != nil {
			t.Fatalf("%v\n%s", err, test.text)
		}
		var got []string
		for g := range m.NeededGlobals() {
			got = append(got, g.Name)
		}
		slices.Sort(got)
		if s := strings.Join(got, " "); s != test.want {
			t.Errorf("%s: %q, want %q", test.what, s, test.want)
		}
	}
}

// debugOfAGlobal is the debug information of a variable of the source.
const debugOfAGlobal = `
!llvm.dbg.cu = !{!3}
!llvm.module.flags = !{!7}
!1 = !DIGlobalVariableExpression(var: !2, expr: !DIExpression())
!2 = distinct !DIGlobalVariable(name: "b", scope: !3, file: !4, line: 1, type: !6, isLocal: true, isDefinition: true)
!3 = distinct !DICompileUnit(language: DW_LANG_C99, file: !4, emissionKind: FullDebug, globals: !5)
!4 = !DIFile(filename: "f.c", directory: "/src")
!5 = !{!1}
!6 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!7 = !{i32 2, !"Debug Info Version", i32 3}
`
