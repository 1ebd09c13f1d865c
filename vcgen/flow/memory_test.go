package flow

import (
	"slices"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/flow/flowtest"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// lexer has a position in memory that @next moves in a loop, and with which @f walks by calls of @next.
const lexer = `%lexer = type { i8*, i64 }
declare void @use(i64*)
define void @next(%lexer* %arg) {
entry:
  %lx = alloca %lexer*
  store %lexer* %arg, %lexer** %lx
  br label %skip
skip:
  %l0 = load %lexer*, %lexer** %lx
  %a0 = getelementptr %lexer, %lexer* %l0, i32 0, i32 1
  %i0 = load i64, i64* %a0
  %t0 = getelementptr %lexer, %lexer* %l0, i32 0, i32 0
  %s0 = load i8*, i8** %t0
  %p0 = getelementptr i8, i8* %s0, i64 %i0
  %ch = load i8, i8* %p0
  %c0 = icmp eq i8 %ch, 32
  br i1 %c0, label %move, label %done
move:
  %l1 = load %lexer*, %lexer** %lx
  %a1 = getelementptr %lexer, %lexer* %l1, i32 0, i32 1
  %i1 = load i64, i64* %a1
  %i2 = add i64 %i1, 1
  store i64 %i2, i64* %a1
  br label %skip
done:
  ret void
}
define void @through(i64 %n, %lexer* %arg) {
  call void @next(%lexer* %arg)
  ret void
}
define void @f(i64 %n) {
entry:
  %x = alloca { i64, %lexer }
  br label %loop
loop:
  %at = getelementptr { i64, %lexer }, { i64, %lexer }* %x, i32 0, i32 1
  call void @through(i64 %n, %lexer* %at)
  %pp = getelementptr %lexer, %lexer* %at, i32 0, i32 1
  %pos = load i64, i64* %pp
  %c = icmp ult i64 %pos, %n
  br i1 %c, label %again, label %end
again:
  br label %loop
end:
  ret void
}
`

// TestCursorsInMemory checks that memory with which a called function walks is a cursor of the caller, at the offset
// from the caller's pointer. It keeps states separate if another walk with it may follow, and no write has many
// possible places.
func TestCursorsInMemory(t *testing.T) {
	const found = "x+16 up in loop at again loop"
	for _, test := range []struct {
		what string
		edit []string // replacements in lexer: old, new
		want string
	}{
		{"in a loop", nil, found},
		{"downwards", []string{"%i1, 1", "%i1, -1"}, "x+16 down in loop at again loop"},
		{"once only", []string{"br i1 %c, label %again, label %end", "br label %end"}, ""},
		{"one call behind the other", []string{"br i1 %c, label %again, label %end", "br label %end",
			"end:\n", "end:\n  %at2 = getelementptr { i64, %lexer }, { i64, %lexer }* %x, i32 0, i32 1\n" +
				"  call void @through(i64 %n, %lexer* %at2)\n"}, "x+16 up in  at end loop"},
		{"not by steps", []string{"%i1, 1", "%i1, %i1"}, ""},
		{"what is read elsewhere decides", []string{"i8* %s0, i64 %i0", "i8* %s0, i64 0"}, ""},
		{"what a function says that may read there decides", []string{"%ch = load i8, i8* %p0",
			"%ch = call i8 @peek(%lexer* %l0)", "define void @f(i64 %n) {",
			"define i8 @peek(%lexer* %l) {\n  ret i8 0\n}\ndefine void @f(i64 %n) {"}, found},
		{"no loop", []string{"store i64 %i2, i64* %a1\n  br label %skip", "store i64 %i2, i64* %a1\n  br label %done"}, ""},
		{"the pointer that is passed is another one", []string{"call void @next(%lexer* %arg)",
			"%other = load %lexer*, %lexer** null\n  call void @next(%lexer* %other)"}, ""},
		{"what the parameter is stored in changes", []string{"move:\n",
			"move:\n  store %lexer* null, %lexer** %lx\n"}, ""},
		{"a table is written, too", []string{"again:\n",
			"again:\n  %to = getelementptr i8, i8* null, i64 %pos\n  store i8 0, i8* %to\n"}, ""},
		{"a table is written by what is called", []string{"define void @through(i64 %n, %lexer* %arg) {\n",
			"define void @through(i64 %n, %lexer* %arg) {\n  %to = getelementptr i8, i8* null, i64 %n\n  store i8 0, i8* %to\n"},
			""},
		{"a table is written before", []string{"  %x = alloca { i64, %lexer }\n",
			"  %x = alloca { i64, %lexer }\n  %to = getelementptr i8, i8* null, i64 %n\n  store i8 0, i8* %to\n"}, found},
		{"a recursion", []string{"  call void @next(%lexer* %arg)\n",
			"  call void @next(%lexer* %arg)\n  call void @through(i64 %n, %lexer* %arg)\n"}, found},
		{"a recursion with another pointer each time", []string{"  call void @next(%lexer* %arg)\n",
			"  call void @next(%lexer* %arg)\n  %b = getelementptr %lexer, %lexer* %arg, i64 1\n" +
				"  call void @through(i64 %n, %lexer* %b)\n"}, "many"},
	} {
		text := lexer
		for k := 0; k+1 < len(test.edit); k += 2 {
			if strings.Count(text, test.edit[k]) != 1 {
				t.Fatalf("%s: the text has %q %d times", test.what, test.edit[k], strings.Count(text, test.edit[k]))
			}
			text = strings.Replace(text, test.edit[k], test.edit[k+1], 1)
		}
		m := flowtest.Read(t, text)
		got := cursorsOf(NewProgram(m).Function(m.FuncByName["f"]))
		if n := strings.Count(got, ";") + 1; test.want == "many" && n > 1 && n <= maxWalks {
			continue
		}
		if got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.what, got, test.want)
		}
	}
}

// TestCursorsOfCallers checks that a called function keeps nothing separate by itself, but has the cursor that a
// caller may keep.
func TestCursorsOfCallers(t *testing.T) {
	m := flowtest.Read(t, lexer)
	p := NewProgram(m)
	fn := p.Function(m.FuncByName["next"])
	if len(fn.Cursors) != 1 || fn.Cursors[0].Apart {
		t.Fatalf("@next has %s, want a cursor that keeps nothing apart by itself", cursorsOf(fn))
	}
	if reg, off, _ := fn.Cursors[0].Memory(); fn.Parameter(reg) != 0 || off != 8 {
		t.Errorf("the cursor of @next is at %s + %d, want where its parameter points, + 8", fn.RegName(reg), off)
	}
	if loops := fn.LoopsOf(fn.Cursors[0]); len(loops) != 1 {
		t.Errorf("%d loops move it, want 1", len(loops))
	}
	counted := strings.NewReplacer("%x = alloca { i64, %lexer }\n  br",
		"%x = alloca { i64, %lexer }\n  %k = alloca i64\n  store i64 0, i64* %k\n  br",
		"%c = icmp ult i64 %pos, %n", "%k0 = load i64, i64* %k\n  %k1 = add i64 %k0, 1\n  store i64 %k1, i64* %k\n"+
			"  %c = icmp ult i64 %k1, %n").Replace(lexer)
	for text, want := range map[string]int{lexer: 1, counted: 0} {
		m := flowtest.Read(t, text)
		f := NewProgram(m).Function(m.FuncByName["f"])
		if loops := f.LoopsOf(f.Cursors[0]); len(loops) != want {
			t.Errorf("positions tell states apart in %d loops of @f, want %d:\n%s", len(loops), want, text)
		}
	}
	if walks := p.Walks(m.FuncByName["through"]); len(walks) != 1 || walks[0].param != 1 || walks[0].off != 8 {
		t.Errorf("@through walks with %v, want what its parameter 1 points to, + 8", walks)
	}
	if walks := p.Walks(m.FuncByName["f"]); len(walks) != 0 {
		t.Errorf("@f walks with %v, want nothing that it shares", walks)
	}
}

// TestAfter checks that the registers that are live behind a call are the ones that are used later in the block or in
// its successors.
func TestAfter(t *testing.T) {
	m := flowtest.Read(t, lexer)
	fn := NewProgram(m).Function(m.FuncByName["f"])
	b := slices.IndexFunc(fn.Blocks, func(b *llvmir.Block) bool { return b.Name == "loop" })
	var live []string
	for _, r := range fn.After(b, 1).Live {
		live = append(live, fn.RegName(r))
	}
	if got, want := strings.Join(live, " "), "n x at"; got != want {
		t.Errorf("behind the call %s are live, want %s", got, want)
	}
	if n := len(fn.After(b, 1).Cursors); n != 1 {
		t.Errorf("behind the call %d cursors matter, want 1", n)
	}
}
