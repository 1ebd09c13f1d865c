package flow

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// tokens is a loop over words around a loop that skips separators; both move the position i.
const tokens = `declare { i32, i1 } @llvm.sadd.with.overflow.i32(i32, i32)
declare void @__ubsan_handle_add_overflow(i8*, i64, i64)
declare void @llvm.lifetime.start.p0i8(i64, i8*)
declare void @use(i32*)
define void @f(i8* %s, i8* %out, i32 %n, i1 %c) {
entry:
  %i = alloca i32
  %o = alloca i32
  %q = alloca i8*
  store i32 0, i32* %i
  store i32 0, i32* %o
  store i8* %s, i8** %q
  br label %outer
outer:
  %i0 = load i32, i32* %i
  %c0 = icmp ult i32 %i0, %n
  br i1 %c0, label %inner, label %end
inner:
  %i1 = load i32, i32* %i
  %p = getelementptr i8, i8* %s, i32 %i1
  %ch = load i8, i8* %p
  %c1 = icmp eq i8 %ch, 32
  br i1 %c1, label %move, label %word
move:
  %i2 = load i32, i32* %i
  %i3 = add i32 %i2, 1
  store i32 %i3, i32* %i
  br label %inner
word:
  %i4 = load i32, i32* %i
  %i5 = add i32 %i4, 1
  store i32 %i5, i32* %i
  br label %outer
end:
  ret void
}
`

// cursorsOf describes the cursors of a function: their variables, their directions, the heads of the loops that carry
// them, and the blocks at which they keep states separate.
func cursorsOf(fn *Function) string {
	var out []string
	for n, k := range fn.Cursors {
		if !k.Apart {
			continue
		}
		at := fn.RegName(k.reg)
		if k.mem != nil {
			at += fmt.Sprintf("+%d", k.off)
		}
		way := "up"
		if k.Down {
			way = "down"
		}
		var loops, separate []string
		for l := range k.loops {
			loops = append(loops, fn.name(l.Head))
		}
		for b := range fn.Nodes {
			for _, a := range fn.Nodes[b].Cursors {
				if a.Cursor == n {
					separate = append(separate, fn.name(b))
				}
			}
		}
		slices.Sort(loops)
		slices.Sort(separate)
		out = append(out, fmt.Sprintf("%s %s in %s at %s", at, way, strings.Join(loops, " "),
			strings.Join(separate, " ")))
	}
	return strings.Join(out, "; ")
}

func TestCursors(t *testing.T) {
	const found = "i up in inner outer at inner move outer word"
	for _, test := range []struct {
		what string
		edit []string // replacements in tokens: old, new
		want string
	}{
		{"a tokenizer", nil, found},
		{"downwards", []string{"%i2, 1", "%i2, -1", "%i4, 1", "%i4, -1"}, "i down in inner outer at inner move outer word"},
		{"by subtraction", []string{"add i32 %i2, 1", "sub i32 %i2, 1", "add i32 %i4, 1", "sub i32 %i4, 2"},
			"i down in inner outer at inner move outer word"},
		{"both ways", []string{"%i2, 1", "%i2, -1"}, found},
		{"the constant first", []string{"%i2, 1", "1, %i2"}, found},
		{"what is subtracted from a constant is no step", []string{"add i32 %i2, 1", "sub i32 1, %i2"}, ""},
		{"by nothing", []string{"%i2, 1", "%i2, 0"}, ""},
		{"by as much as a variable says", []string{"%i2, 1", "%i2, %n"}, ""},
		{"through a conversion", []string{"%i3 = add i32 %i2, 1",
			"%w = sext i32 %i2 to i64\n  %a = add i64 %w, 1\n  %i3 = trunc i64 %a to i32"}, found},
		{"with a check of the sum", []string{"%i3 = add i32 %i2, 1",
			"%a = call { i32, i1 } @llvm.sadd.with.overflow.i32(i32 %i2, i32 1)\n  %i3 = extractvalue { i32, i1 } %a, 0"},
			found},
		{"the inner loop ends whatever the data are", []string{"icmp eq i8 %ch, 32", "icmp ult i32 %n, 9"}, ""},
		{"what is read where it does not point decides", []string{"i8* %s, i32 %i1", "i8* %s, i32 %n"}, ""},
		{"what is read there decides by way of another variable", []string{"%c1 = icmp eq i8 %ch, 32",
			"%w = zext i8 %ch to i32\n  store i32 %w, i32* %o\n  %v = load i32, i32* %o\n  %c1 = icmp eq i32 %v, 32"}, found},
		{"what is read there decides only that the execution fails", []string{
			"br i1 %c1, label %move, label %word", "br i1 %c, label %move, label %more",
			"end:\n", "more:\n  br i1 %c1, label %word, label %fail\nfail:\n" +
				"  call void @__ubsan_handle_add_overflow(i8* null, i64 0, i64 0) noreturn\n  unreachable\nend:\n"}, ""},
		{"what is read there is one operand of &&", []string{
			"br i1 %c1, label %move, label %word", "br i1 %c1, label %and, label %both",
			"move:\n", "and:\n  br label %both\nboth:\n  %b = phi i1 [ false, %inner ], [ %c, %and ]\n  br i1 %b, label " +
				"%move, label %word\nmove:\n"},
			"i up in inner outer at and both inner move outer word"},
		{"it starts anew in each iteration of the outer loop", []string{"%c0 = icmp ult i32 %i0, %n",
			"%c0 = icmp ult i32 0, %n",
			"outer:\n  %i0 = load i32, i32* %i\n", "outer:\n  store i32 0, i32* %i\n"}, ""},
		{"its address is known elsewhere", []string{"  br label %outer\nouter",
			"  call void @use(i32* %i)\n  br label %outer\nouter"}, ""},
		{"one loop behind the other", []string{"label %inner, label %end", "label %word, label %inner",
			"br i1 %c1, label %move, label %word", "br i1 %c1, label %move, label %end"}, ""},
		{"a pointer", []string{"%i1 = load i32, i32* %i\n  %p = getelementptr i8, i8* %s, i32 %i1", "%p = load i8*, i8** %q",
			"%i2 = load i32, i32* %i\n  %i3 = add i32 %i2, 1\n  store i32 %i3, i32* %i",
			"%q0 = load i8*, i8** %q\n  %q1 = getelementptr i8, i8* %q0, i32 1\n  store i8* %q1, i8** %q",
			"%i4 = load i32, i32* %i\n  %i5 = add i32 %i4, 1\n  store i32 %i5, i32* %i",
			"%q2 = load i8*, i8** %q\n  %q3 = getelementptr i8, i8* %q2, i32 1\n  store i8* %q3, i8** %q",
			"%i0 = load i32, i32* %i\n  %c0 = icmp ult i32 %i0, %n", "%c0 = icmp ult i32 0, %n"},
			"q up in inner outer at inner move outer word"},
		{"and a place that is written to", []string{"move:\n",
			"move:\n  %o1 = load i32, i32* %o\n  %to = getelementptr i8, i8* %out, i32 %o1\n  store i8 %ch, i8* %to\n" +
				"  %o2 = add i32 %o1, 1\n  store i32 %o2, i32* %o\n"},
			"i up in inner outer at inner move outer word; o up in inner outer at inner move outer word"},
		{"and a number that is no address", []string{"move:\n",
			"move:\n  %o1 = load i32, i32* %o\n  %o2 = add i32 %o1, 1\n  store i32 %o2, i32* %o\n"}, found},
		{"not behind the last loop", []string{"end:\n", "end:\n  %i6 = load i32, i32* %i\n  %y = add i32 %i6, 1\n"}, found},
	} {
		text := tokens
		for k := 0; k+1 < len(test.edit); k += 2 {
			if strings.Count(text, test.edit[k]) != 1 {
				t.Fatalf("%s: the text has %q %d times", test.what, test.edit[k], strings.Count(text, test.edit[k]))
			}
			text = strings.Replace(text, test.edit[k], test.edit[k+1], 1)
		}
		if got := cursorsOf(analysed(t, text)); got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.what, got, test.want)
		}
	}
}

// TestSteps checks that a step is the difference to a variable's content in two's complement; for a pointer, in bytes.
func TestSteps(t *testing.T) {
	for _, test := range []struct {
		text  string // of %r
		want  int64
		found bool
	}{
		{"%r = load i32, i32* %v", 0, true},
		{"%r = load i32, i32* %w", 0, false},
		{"%l = load i32, i32* %v\n%r = add i32 %l, 7", 7, true},
		{"%l = load i32, i32* %v\n%r = add i32 -7, %l", -7, true},
		{"%l = load i32, i32* %v\n%r = sub i32 %l, -7", 7, true},
		{"%l = load i32, i32* %v\n%k = add i32 %l, 7\n%r = sub i32 %k, 3", 4, true},
		{"%l = load i32, i32* %v\n%r = mul i32 %l, 7", 0, false},
		{"%l = load i32, i32* %v\n%r = add i32 %l, %l", 0, false},
		{"%l = load i32, i32* %v\n%k = zext i32 %l to i64\n%r = add i64 %k, 4294967295", 1<<32 - 1, true},
		{"%l = load i8*, i8** %p\n%r = getelementptr i8, i8* %l, i64 -2", -2, true},
		{"%l = load i8*, i8** %p\n%c = bitcast i8* %l to [4 x i16]*\n%r = getelementptr [4 x i16], [4 x i16]* %c, i64 1, " +
			"i32 3", 14, true},
		{"%l = load i8*, i8** %p\n%r = getelementptr i8, i8* %l, i64 %x", 0, false},
		{"%l = load i32, i32* %v\n%s = call { i32, i1 } @llvm.usub.with.overflow.i32(i32 %l, i32 2)\n" +
			"%r = extractvalue { i32, i1 } %s, 0", -2, true},
		{"%l = load i32, i32* %v\n%s = call { i32, i1 } @llvm.usub.with.overflow.i32(i32 %l, i32 2)\n" +
			"%r = extractvalue { i32, i1 } %s, 1", 0, false},
		{"%l = load i32, i32* %v\n%s = call { i32, i1 } @llvm.smul.with.overflow.i32(i32 %l, i32 2)\n" +
			"%r = extractvalue { i32, i1 } %s, 0", 0, false},
	} {
		fn := analysed(t, `declare { i32, i1 } @llvm.usub.with.overflow.i32(i32, i32)
declare { i32, i1 } @llvm.smul.with.overflow.i32(i32, i32)
define void @f(i64 %x) {
%v = alloca i32
%w = alloca i32
%p = alloca i8*
`+test.text+"\nret void\n}\n")
		d := newDataflow(fn)
		r := slices.Index(fn.RegNames, "r")
		v := slices.Index(fn.RegNames, "v")
		if strings.Contains(test.text, "%p") {
			v = slices.Index(fn.RegNames, "p")
		}
		got, found := d.step(llvmir.Operand{Kind: llvmir.OperandReg, Reg: r}, variable{reg: v}, 8)
		if found != test.found || found && got != test.want {
			t.Errorf("%s: %d, %v; want %d, %v", test.text, got, found, test.want, test.found)
		}
	}
}
