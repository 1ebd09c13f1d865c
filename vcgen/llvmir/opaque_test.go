package llvmir

import (
	"strings"
	"testing"
)

// opaqueText has the syntax of LLVM 15 to 19 that differs from LLVM 14: opaque pointers, debug records, attributes,
// flags.
const opaqueText = `target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
%struct.s = type { i32, %struct.t, ptr }
%struct.t = type { i8, i128 }
%struct.node = type { ptr, ptr }
@g = global %struct.s zeroinitializer, no_sanitize_address, code_model "large", align 16
@inside = global ptr getelementptr inbounds nuw (i8, ptr @g, i64 32), align 8
@table = constant ptr getelementptr inbounds inrange(-16, 8) ([2 x ptr], ptr @pair, i32 0, i32 1)
@pair = constant [2 x ptr] [ptr @f, ptr null]
define i32 @f(ptr dead_on_unwind noalias writable sret(%struct.t) align 16 %r, ptr byval(%struct.s) align 16 %s,
    i32 range(i32 0, 7) %n, double nofpclass(nan inf) %d) #0 !dbg !4 {
  %x = alloca %struct.s, align 16
    #dbg_declare(ptr %x, !5, !DIExpression(), !7)
    #dbg_value(i32 %n, !5, !DIExpression(DW_OP_plus_uconst, 4), !7)
    #dbg_label(!8, !7)
  %m = getelementptr inbounds nusw nuw %struct.s, ptr %x, i32 0, i32 1, i32 1
  store i128 1, ptr %m, align 16
  %w = zext nneg i32 %n to i64
  %o = or disjoint i64 %w, 8
  %t = trunc nuw nsw i64 %o to i32
  %c = icmp samesign ult i32 %t, 4
  %u = uitofp nneg nsz i32 %n to double
  %v = call ptr @llvm.ptrmask.p0.i64(ptr %m, i64 -16)
  call void asm sideeffect "", "=*m,~{memory}"(ptr elementtype(i32) %v)
  %k = call i32 %v(i32 3) #1
  %old = atomicrmw uinc_wrap ptr %v, i32 1 seq_cst
  %p = load ptr, ptr %v, align 8
  ret i32 %k
}
declare ptr @llvm.ptrmask.p0.i64(ptr, i64)
attributes #0 = { nounwind memory(argmem: readwrite) uwtable(sync) allockind("alloc,zeroed") presplitcoroutine optdebug }
attributes #1 = { nocallback }
!1 = !DIFile(filename: "a.c", directory: "/d")
!4 = distinct !DISubprogram(name: "f", file: !1, line: 1)
!5 = !DILocalVariable(name: "x", scope: !4, file: !1, line: 2)
!7 = !DILocation(line: 2, column: 3, scope: !4)
!8 = !DILabel(scope: !4, name: "again", file: !1, line: 3)
`

func TestOpaquePointers(t *testing.T) {
	m, err := Read([]byte(opaqueText), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := Verify(m); err != nil {
		t.Fatal(err)
	}
	f, g := m.FuncByName["f"], m.GlobalByName["g"]
	if s := g.Type; s.Size != 64 || s.Offsets[1] != 16 || s.Fields[1].Offsets[1] != 16 {
		t.Errorf("%s has size %d and offsets %v", s, s.Size, s.Offsets)
	}
	if c := m.GlobalByName["inside"].Init; c.Kind != ConstGlobal || c.Global != g || c.Offset != 32 {
		t.Errorf("an address within a variable: %s", c)
	}
	if c := m.GlobalByName["table"].Init; c.Kind != ConstGlobal || c.Offset != 8 {
		t.Errorf("an address with a range: %s", c)
	}
	if p := f.Params; p[0].SRet == nil || p[0].SRet.Name != "struct.t" || p[1].Pointee() != g.Type ||
		p[0].Type != p[1].Type {
		t.Errorf("parameters %+v", p)
	}
	in := f.Blocks[0].Instrs
	want := []Op{OpAlloca, OpDbgDeclare, OpDbgValue, OpGEP, OpStore, OpZExt, OpOr, OpTrunc, OpICmp, OpUIToFP, OpCall,
		OpInlineAsm, OpCall, OpUnsupported, OpLoad, OpRet}
	if len(in) != len(want) {
		t.Fatalf("%d instructions, not %d", len(in), len(want))
	}
	for i, op := range want {
		if in[i].Op != op {
			t.Errorf("instruction %d is %s, not %s", i, in[i].Op, op)
		}
	}
	if d := in[1]; d.Var == nil || d.Var.Name != "x" || d.Args[0].Reg != in[0].Dst || d.Loc == nil || d.Loc.Line != 2 {
		t.Errorf("the record of a declaration: %+v", d)
	}
	if v := in[2]; v.Args[0].Reg != 2 || v.Text != "!DIExpression(DW_OP_plus_uconst, 4)" {
		t.Errorf("the record of a value: %+v", v)
	}
	if a := in[3]; a.GEP.Const != 32 || a.GEP.To != m.FuncByName["f"].Params[0].SRet.Fields[1] || !a.Inbounds ||
		in[4].Ordinal != 5 {
		t.Errorf("an address computation: %+v %+v", a, a.GEP)
	}
	if in[10].Intrinsic != "ptrmask" || len(in[11].Indirect) != 1 || in[11].Indirect[0].Bits != 32 {
		t.Errorf("intrinsic %q, assembly writes %v", in[10].Intrinsic, in[11].Indirect)
	}
	if call := in[12]; call.FuncType.Params[0].Bits != 32 || call.Callee.Type != in[14].Type {
		t.Errorf("a call through a pointer: %+v", call)
	}
}

// TestOpaqueRefusals checks that a text with one word more or less is rejected.
func TestOpaqueRefusals(t *testing.T) {
	for _, tt := range []struct{ from, to, want string }{
		{"no_sanitize_address", "no_sanitize_anything", "not known"},
		{"#dbg_label", "#dbg_labels", "no debug record"},
		{"zext nneg", "zext disjoint", "\"disjoint\" is no type"},
		{"or disjoint", "or nneg", "\"nneg\""},
		{"nusw nuw", "nusw nsw", "\"nsw\""},
		{"range(i32 0, 7)", "range", "promises"},
		{"nofpclass(nan inf)", "nofpclasses(nan)", "nofpclasses"},
		{"ptr %s,", "i8* %s,", "whose pointers have none"},
		{"uinc_wrap", "uinc_wraps", "no operation"},
		{"#dbg_value(i32 %n, !5", "#dbg_value(i32 %n, !1", "names no variable"},
	} {
		text := strings.Replace(opaqueText, tt.from, tt.to, 1)
		if tt.from == "ptr %s," {
			text = strings.Replace(opaqueText, "ptr byval(%struct.s) align 16 %s", "i8* %s", 1)
		}
		if _, err := Read([]byte(text), ReadOptions{}); err == nil || !strings.Contains(err.Error(), tt.want) ||
			!strings.Contains(err.Error(), "line ") {
			t.Errorf("%s: error %v, want one with %q", tt.to, err, tt.want)
		}
	}
}

// TestWordPtr checks that typed pointers are recognized although a name is ptr.
func TestWordPtr(t *testing.T) {
	for text, want := range map[string]bool{
		"define void @f(i8* %ptr) {\nptr:\n  ret void\n}":            false,
		"@ptr = global i32 0 ; ptr x":                                false,
		`!1 = !DILocalVariable(name: "a ptr b", arg: 1)`:             false,
		`@s = constant [5 x i8] c" ptr "` + "\n@t = global i8* null": false,
		"%\"a ptr\" = type { i32 }":                                  false,
		"%ptr.x = type { i8* }\n!ptr = !{}\n$ptr = comdat any":       false,
		`@s = constant [3 x i8] c"a;b"` + "\n@t = global ptr null":   true,
		"declare void @f(ptr)":                                       true,
		"@a = global [2 x ptr] zeroinitializer":                      true,
	} {
		if got := opaquePointers([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// TestCarriedIndex reads constant addresses of LLVM 15 to 18 whose index is out of bounds.
//
// These versions carry such an index into the preceding one.
func TestCarriedIndex(t *testing.T) {
	const text = `target triple = "x86_64-pc-linux-gnu"
%struct.row = type { [4 x i32], [8 x i8], [4 x i32] }
@g = global %struct.row zeroinitializer, align 4
@rows = global [2 x %struct.row] zeroinitializer, align 4
@matrix = global { [2 x [4 x i32]], i32 } zeroinitializer, align 4
@plain = global [4 x i32] zeroinitializer, align 4
define void @f() {
STORE
  ret void
}
`
	for _, test := range []struct {
		address string
		want    *Outside
	}{
		{"([4 x i32], ptr @g, i64 1, i64 0)", &Outside{4, 4}},
		{"([4 x i32], ptr @g, i64 -1, i64 3)", &Outside{-1, 4}},
		{"([4 x i32], ptr @rows, i64 2, i64 1)", &Outside{9, 4}},
		{"([4 x i32], ptr getelementptr inbounds (%struct.row, ptr @g, i32 0, i32 2), i64 1, i64 0)", &Outside{4, 4}},
		{"([4 x i32], ptr @g, i64 0, i64 3)", nil},
		{"([2 x i32], ptr @g, i64 1, i64 0)", nil},      // a pointer of another type
		{"([4 x i32], ptr @matrix, i64 1, i64 0)", nil}, // the next row
		{"([4 x i32], ptr @plain, i64 1, i64 0)", nil},  // leaves the object; other checks detect that
	} {
		store := "  store i32 1, ptr getelementptr inbounds " + test.address
		m, err := Read([]byte(strings.Replace(text, "STORE", store, 1)), ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		c := m.FuncByName["f"].Blocks[0].Instrs[0].Args[1].Const
		if got := c.Outside; got == nil != (test.want == nil) || got != nil && *got != *test.want {
			t.Errorf("%s: %v, want %v", test.address, got, test.want)
		}
	}
}
