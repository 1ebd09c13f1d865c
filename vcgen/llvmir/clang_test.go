package llvmir

import (
	"fmt"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/clangtest"
)

func TestSourceTypes(t *testing.T) {
	tests := []struct{ decl, name, rest string }{
		{"unsigned v;", "unsigned int", "int 32 unsigned"},
		{"long v;", "long", "int 64 signed"},
		{"char v;", "char", "char 8 signed"},
		{"_Bool v;", "_Bool", "bool 8 unsigned"},
		{"double v;", "double", "float 64 signed"},
		{"typedef unsigned char u8; u8 v[16];", "u8 [16]", "array 128 unsigned"},
		{"struct node { struct node *next; } *v;", "struct node *", "pointer 64 unsigned"},
		{"typedef struct { int x; } point; point v;", "point", "struct 32 unsigned"},
		{"struct { int x; } v;", "struct (anonymous)", "struct 32 unsigned"},
		{"const char *const v = 0;", "const char *", "pointer 64 unsigned const"},
		{"const volatile int v = 1;", "int", "int 32 signed const"},
		{"int v[2][3];", "int [2][3]", "array 192 unsigned"},
		{"int (*v)[4];", "int (*)[4]", "pointer 64 unsigned"},
		{"int (*v)(const char *, ...);", "int (*)(const char *, ...)", "pointer 64 unsigned"},
		{"void (*(*v)(int))(void);", "void (*(*)(int))(void)", "pointer 64 unsigned"},
		{"char *v[3];", "char *[3]", "array 192 unsigned"},
		{"void *v;", "void *", "pointer 64 unsigned"},
		{"enum color { RED = -1, BLUE } v;", "enum color", "enum 32 signed"},
		{"union u { int i; char c[9]; } v;", "union u", "union 96 unsigned"},
		{"_Atomic int v;", "int", "int 32 signed"},
		{"_Complex float v;", "complex", "struct 64 unsigned"},
	}
	kinds := []string{"void", "int", "char", "bool", "float", "pointer", "struct", "union", "array", "enum", "func"}
	var source strings.Builder
	for i, tt := range tests {
		// One compilation for all: each variable has its own name, tags and typedefs their own number.
		d := tt.decl
		for _, name := range []string{"v", "node", "u8", "point", "color", "u"} {
			d = replaceWord(d, name, fmt.Sprintf("%s_%d", name, i))
		}
		d = strings.NewReplacer("RED", fmt.Sprintf("RED%d", i), "BLUE", fmt.Sprintf("BLUE%d", i)).Replace(d)
		fmt.Fprintf(&source, "%s void *use_%d(void) { return (void *)&v_%d; }\n", d, i, i)
	}
	m := read(t, clangtest.Compile(t, source.String()), ReadOptions{})
	for i, tt := range tests {
		t.Run(tt.decl, func(t *testing.T) {
			g := m.GlobalByName[fmt.Sprintf("v_%d", i)]
			if g == nil || g.DIType == nil {
				t.Fatal("no type")
			}
			d := g.DIType
			rest := fmt.Sprintf("%s %d unsigned", kinds[d.Kind], d.Bits)
			if d.Signed {
				rest = strings.Replace(rest, "unsigned", "signed", 1)
			}
			if d.Const {
				rest += " const"
			}
			if name := strings.ReplaceAll(d.Name, fmt.Sprintf("_%d", i), ""); name != tt.name || rest != tt.rest {
				t.Errorf("got %q %q, want %q %q", name, rest, tt.name, tt.rest)
			}
			if g.Loc == nil || g.Loc.Line != i+1 {
				t.Errorf("location %+v", g.Loc)
			}
		})
	}
}

// TestNameInItself checks the name of a type in a member of the type itself, where its definition is not read yet.
func TestNameInItself(t *testing.T) {
	const source = "typedef struct node list; struct node { const list *next; };\nlist *first;\n" +
		"void *use(void) { return &first; }\n"
	m := read(t, clangtest.Compile(t, source), ReadOptions{})
	fields := m.GlobalByName["first"].DIType.Elem.Fields
	if name := fields[0].Type.Name; name != "const list *" {
		t.Errorf("the member is %q", name)
	}
}

// replaceWord replaces whole words.
func replaceWord(s, word, by string) string {
	isLetter := func(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' }
	var out strings.Builder
	for i := 0; i < len(s); {
		if strings.HasPrefix(s[i:], word) && (i == 0 || !isLetter(s[i-1])) &&
			(i+len(word) == len(s) || !isLetter(s[i+len(word)])) {
			out.WriteString(by)
			i += len(word)
			continue
		}
		out.WriteByte(s[i])
		i++
	}
	return out.String()
}

func TestStructMembers(t *testing.T) {
	m := read(t, clangtest.Compile(t, `
struct s { struct s *next; const struct s *prev; unsigned a : 3, b : 7; enum { X = -2, Y = 9 } e; } v;
void *use(void) { return &v; }`), ReadOptions{})
	d := m.GlobalByName["v"].DIType
	if len(d.Fields) != 5 {
		t.Fatalf("fields %+v", d.Fields)
	}
	next, prev := d.Fields[0].Type, d.Fields[1].Type
	if next.Elem != d {
		t.Error("a pointer to the struct itself leads elsewhere")
	}
	// The const copy of the struct was created while the struct was being read.
	if prev.Elem == nil || !prev.Elem.Const || len(prev.Elem.Fields) != 5 || prev.Name != "const struct s *" {
		t.Errorf("prev is %+v", prev)
	}
	if b := d.Fields[3]; b.Name != "b" || !b.BitField || b.BitOffset != 131 || b.BitSize != 7 {
		t.Errorf("bit-field %+v", b)
	}
	if e := d.Fields[4].Type.Enums; len(e) != 2 || e[0] != (DIEnumerator{"X", -2}) || e[1] != (DIEnumerator{"Y", 9}) {
		t.Errorf("enumerators %+v", e)
	}
}

func TestLocationsAndVariables(t *testing.T) {
	m := read(t, clangtest.Compile(t, `
static int twice(int n) {
  static int calls;
  calls++;
  for (int i = 0; i < n; i++) {
    int n = i;
    calls += n;
  }
  return calls;
}
int entry(const int *p, char *q, int k) { return twice(*p) / k; }
`), ReadOptions{})
	twice := m.FuncByName["twice"]
	if twice.External || !m.FuncByName["entry"].External || twice.Loc == nil || twice.Loc.Line != 2 ||
		twice.Scope.Function != "twice" {
		t.Errorf("function %+v", twice)
	}
	if g := m.GlobalByName["twice.calls"]; g == nil || g.SourceName != "calls" {
		t.Error("a static local has no source name")
	}
	var vars []string
	for _, in := range instrs(twice) {
		if in.Op == OpDbgDeclare {
			depth := 0
			for s := in.Var.Scope; s.Parent != nil; s = s.Parent {
				depth++
			}
			vars = append(vars, fmt.Sprintf("%s:%d arg %d depth %d %s", in.Var.Name, in.Var.Line, in.Var.Arg, depth,
				in.Var.Type.Name))
		}
	}
	want := "n:2 arg 1 depth 0 int; i:5 arg 0 depth 1 int; n:6 arg 0 depth 3 int"
	if got := strings.Join(vars, "; "); got != want {
		t.Errorf("variables %s, want %s", got, want)
	}
	entry := m.FuncByName["entry"]
	if p := entry.Params; !p[0].PointsToConst || p[1].PointsToConst || p[0].DIType.Name != "const int *" ||
		p[2].DIType.Name != "int" {
		t.Errorf("parameters %+v", p)
	}
	checked := 0
	for _, in := range instrs(entry) {
		if in.Op == OpCall && in.NoSanitize {
			checked++
			if in.Loc == nil || in.Loc.Line != 11 || in.Loc.Scope != entry.Scope {
				t.Errorf("location of a check: %+v", in.Loc)
			}
		}
	}
	if checked == 0 {
		t.Error("no instruction is marked as a sanitizer's")
	}
	if f := entry.Loc.File; f == "" || f[0] != '/' {
		t.Errorf("file %q is not joined with its directory", f)
	}
}

func TestDeclarationsKnowConstParameters(t *testing.T) {
	m := read(t, clangtest.Compile(t, `
typedef const char *text;
struct pair { long a, b; }; struct big { long a[4]; };
int f(const void *p, void *q, text r, char *const s);
int g(struct pair x, const int *p);
struct big h(struct big x, const int *p, int *q);
int all(struct pair x, struct big y) { int n = 0; h(y, &n, &n); return f(0, 0, 0, 0) + g(x, &n); }`), ReadOptions{})
	for name, want := range map[string]string{
		"f": "true false true false",
		"g": "false false true", // the pair takes two registers
		"h": "false false true false",
	} {
		var got []string
		for _, p := range m.FuncByName[name].Params {
			got = append(got, fmt.Sprint(p.PointsToConst))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", name, got, want)
		}
	}
	h := m.FuncByName["h"]
	if h.Params[0].SRet == nil || h.Params[1].ByVal == nil || h.Params[1].ByVal.Size != 32 {
		t.Errorf("parameters of h: %+v", h.Params)
	}
}

// TestClangConstructs reads clang's output for less common parts of C. All unsupported constructs are listed.
func TestClangConstructs(t *testing.T) {
	m := read(t, clangtest.Compile(t, `
#include <stdarg.h>
typedef int v4 __attribute__((vector_size(16)));
void *aligned(int) __attribute__((assume_aligned(16)));
long __attribute__((preserve_most)) pm(long a) { return a; }
int atomics(_Atomic int *p) { int e = 3; return __c11_atomic_compare_exchange_strong(p, &e, 4, 5, 5) + (*p)++; }
v4 vectors(v4 a, int i) { a[1] = i; return __builtin_shufflevector(a, a < a, 0, 5, -1, 3); }
int varargs(int n, ...) { va_list l; va_start(l, n); int r = va_arg(l, int); va_end(l); return r; }
int vla(int n) { int a[n][3]; return a[n - 1][2] + sizeof a; }
int jump(int i) { static void *t[] = { &&a, &&b }; goto *t[i]; a: return 1; b: return 2; }
int barrier(int i) { __asm__ volatile("" : "+r"(i) : : "memory"); return i; }
double nans[] = { __builtin_nan("5"), -__builtin_nan(""), __builtin_inf() };
int alias(int) __attribute__((alias("jump")));
void *caller(void) { return aligned(3); }
_Complex double square(_Complex double z) { return z * z; }
long double x87(long double x) { return x * 1.1L; }
`), ReadOptions{})
	var unsupported []string
	for _, f := range m.Funcs {
		if f.Unsupported != "" {
			unsupported = append(unsupported, f.Name+": "+f.Unsupported)
		}
		for _, in := range instrs(f) {
			if in.Op == OpUnsupported {
				unsupported = append(unsupported, f.Name+": "+in.Text)
			}
		}
	}
	if got := strings.Join(unsupported, "; "); got != "" {
		t.Errorf("unsupported: %s", got)
	}
	if got := m.GlobalByName["nans"].Init.String(); got != "{0x7ff8000000000005, 0xfff8000000000000, 0x7ff0000000000000}" {
		t.Errorf("NaNs %s", got)
	}
	for _, in := range instrs(m.FuncByName["barrier"]) {
		if in.Op == OpInlineAsm && (in.Text != "" || !strings.HasPrefix(in.AsmConstraints, "=r,0,~{memory}")) {
			t.Errorf("asm %q, %q", in.Text, in.AsmConstraints)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	var source strings.Builder
	for i := range 300 {
		fmt.Fprintf(&source, "struct s%[1]d { int a[4]; struct s%[1]d *next; };\n"+
			"int f%[1]d(struct s%[1]d *p, int n) { int r = 0; for (int i = 0; i < n; i++) { if (p->a[i %% 4] > r) r += "+
			"p->a[i & 3] * i; p = p->next; } return r; }\n", i)
	}
	text := []byte(clangtest.Compile(b, source.String()))
	b.SetBytes(int64(len(text)))
	b.ResetTimer()
	for range b.N {
		if _, err := Read(text, ReadOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}
