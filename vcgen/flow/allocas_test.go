package flow

import (
	"slices"
	"strings"
	"testing"
)

// TestPromotedAllocas checks that a local variable lives in a register if its only uses are loads and stores of the
// whole.
func TestPromotedAllocas(t *testing.T) {
	const declarations = `%s = type { i32, i32 }
declare void @use(i32*)
declare void @bytes(i8*)
declare void @llvm.lifetime.start.p0i8(i64, i8*)
declare void @llvm.dbg.declare(metadata, metadata, metadata)
define void @f(i32 %x, i1 %c, i32** %pp) {
entry:
`
	for _, test := range []struct {
		what, body string
		want       bool
	}{
		{"loads and stores", "%v = alloca i32\nstore i32 %x, i32* %v\n%l = load i32, i32* %v", true},
		{"a pointer", "%v = alloca i32*\nstore i32* null, i32** %v\n%l = load i32*, i32** %v", true},
		{"never used", "%v = alloca i32", true},
		{"markers of its lifetime, through a cast",
			"%v = alloca i32\n%b = bitcast i32* %v to i8*\ncall void @llvm.lifetime.start.p0i8(i64 4, i8* %b)\nstore i32 %x, " +
				"i32* %v", true},
		{"markers of its lifetime, without a cast",
			"%v = alloca i8\ncall void @llvm.lifetime.start.p0i8(i64 1, i8* %v)\nstore i8 0, i8* %v", true},
		{"an array of one", "%v = alloca i32, i32 1\nstore i32 %x, i32* %v", true},
		{"an array of two", "%v = alloca i32, i32 2\nstore i32 %x, i32* %v", false},
		{"as many as a variable says", "%v = alloca i32, i32 %x\nstore i32 %x, i32* %v", false},
		{"a struct", "%v = alloca %s", false},
		{"not in the first block", "br label %next\nnext:\n%v = alloca i32\nstore i32 %x, i32* %v", false},
		{"its address is an argument", "%v = alloca i32\ncall void @use(i32* %v)", false},
		{"its address is stored", "%v = alloca i32\nstore i32* %v, i32** %pp", false},
		{"its address is compared", "%v = alloca i32\n%e = icmp eq i32* %v, null", false},
		{"its address is chosen", "%v = alloca i32\n%p = select i1 %c, i32* %v, i32* null\n%l = load i32, i32* %p", false},
		{"an element of it", "%v = alloca i32\n%p = getelementptr i32, i32* %v, i32 0\n%l = load i32, i32* %p", false},
		{"a part of it is read", "%v = alloca i32\n%p = bitcast i32* %v to i8*\n%l = load i8, i8* %p", false},
		{"a cast of it is an argument", "%v = alloca i32\n%p = bitcast i32* %v to i8*\ncall void @bytes(i8* %p)", false},
		{"a cast of a cast of it",
			"%v = alloca i32\n%p = bitcast i32* %v to i8*\n%q = bitcast i8* %p to i16*\n%l = load i16, i16* %q",
			false},
		{"an atomic operation", "%v = alloca i32\n%l = atomicrmw add i32* %v, i32 1 seq_cst", false},
		{"it holds its own address", "%v = alloca i8*\n%p = bitcast i8** %v to i8*\nstore i8* %p, i8** %v", false},
	} {
		fn := analysed(t, declarations+test.body+"\nret void\n}\n")
		v := slices.Index(fn.RegNames, "v")
		if v < 0 || fn.Alloca[v] == nil {
			t.Fatalf("%s: no variable", test.what)
		}
		if fn.Promoted[v] != test.want {
			t.Errorf("%s: promoted: %v", test.what, fn.Promoted[v])
		}
	}
}

func TestUses(t *testing.T) {
	fn := analysed(t, `declare i32 @g(i32)
declare void @llvm.dbg.declare(metadata, metadata, metadata)
define i32 @f(i32 %x, i32 (i32)* %h, i32* %p) {
  %retval = alloca i32
  %unused = call i32 @g(i32 %x)
  %called = call i32 %h(i32 0)
  %cast = bitcast i32* %p to i8*
  store i32 %called, i32* %retval
  %r = load i32, i32* %retval
  ret i32 %r
}
`)
	var used []string
	for r, u := range fn.Used {
		if u {
			used = append(used, fn.RegName(r))
		}
	}
	slices.Sort(used)
	if got, want := strings.Join(used, " "), "called h p r retval x"; got != want {
		t.Errorf("used are %s, want %s", got, want)
	}
}
