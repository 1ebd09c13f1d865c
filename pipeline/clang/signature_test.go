package clang

import (
	"slices"
	"testing"

	"github.com/unitproof/unitproof/vcgen/found"
)

// TestSignatures checks the parsed first lines of functions, and which lines may belong to one function.
func TestSignatures(t *testing.T) {
	for _, c := range []struct {
		a, b   string
		agrees bool
	}{
		{"define dso_local i32 @abs(i32 noundef %0) #0 !dbg !12 {", "declare i32 @abs(i32 noundef) #1", true},
		{"define dso_local i32 @abs(i32 noundef %0) #0 !dbg !12 {", "declare i32 @abs(i32 noundef, i32 noundef) #1", false},
		{"define i64 @strlen(i8* noundef %s) {", "declare dso_local i32 @strlen(ptr noundef)", true},
		{"define i64 @strlen(i8* noundef %s) {", "declare i64 @strlen(i32 noundef)", false},
		{"define i64 @strlen(i8* noundef %s) {", "declare i64 @strlen(...)", true},
		{"define i64 @strlen(i8* noundef %s) {", "declare i8* @strlen(...)", false},
		{"define i32 @open(i8* noundef %p, i32 noundef %f, ...) {", "declare i32 @open(i8* noundef, i32 noundef)", true},
		{"define i32 @open(i8* noundef %p, i32 noundef %f, ...) {", "declare i32 @open(i8* noundef)", false},
		{"define i32 @open(i8* noundef %p, i32 noundef %f, ...) {", "declare i32 @open(i8* noundef, i32, i32, i32)", true},
		{"define i32 @remove(i8* %p) {", "declare void @remove(%struct.node* noundef)", false},
		// Not parsed, so nothing is known about it.
		{"define i64 @time(i64* %p) {", "declare nonnull align 8 dereferenceable(8) ptr @time(ptr)", true},
		{"define i64 @time(i64* %p) {", "declare !dbg !41 void @time(ptr noundef) #3", false},
		{"define double @cbrt(double %x) {", "declare float @cbrt(float)", false},
		{"define void @qsort(i8* %b, i64 %n, i64 %s, i32 (i8*, i8*)* %c) {",
			"declare void @qsort(ptr, i64, i64, ptr)", true},
		{"define { i32, i32 } @div(i32 %a, i32 %b) {", "declare i64 @div(i32, i32)", false},
		{"define void @f(%struct.s* byval(%struct.s) align 8 %0, i32 %1) {",
			"declare void @f(ptr byval(%struct.s) align 8, i32)", true},
	} {
		a, known := signatureOf([]byte(c.a))
		b, same := signatureOf([]byte(c.b))
		if agrees := !known || !same || a.agrees(b); agrees != c.agrees {
			t.Errorf("%s\n%s\nagree: %v, want %v (%v %v)", c.a, c.b, agrees, c.agrees, a, b)
		}
		if agrees := !known || !same || b.agrees(a); agrees != c.agrees {
			t.Errorf("%s\n%s\nagree the other way: %v, want %v", c.a, c.b, agrees, c.agrees)
		}
	}
}

// TestOtherFunctions checks that a function with the name of a library function but another type gets no model.
func TestOtherFunctions(t *testing.T) {
	dir := files(t,
		"a.c", "struct node { int n; };\nvoid remove(struct node *);\nint close(struct node *), atoi(const char *);\n"+
			"unsigned long strnlen(const char *);\n"+
			"int main(void) { struct node n = {1}; remove(&n); return close(&n) + atoi(\"1\") + "+
			"(int)strnlen(\"b\"); }",
		"own.c", "struct node { int n; };\nvoid remove(struct node *n) { n->n = 2; }",
		"uses.c", "char *strrchr(const char *, int);\nunsigned long strlen(int);\n"+
			"int main(void) { return strrchr(\"a\", 'a') != 0 && strlen(3) == 3; }")
	noted := func(m *Module) (out []string) {
		for _, a := range m.Assumptions {
			if a.What == found.OtherFunction {
				out = append(out, a.Name)
			}
		}
		return out
	}
	m := build(t, Request{Entry: "main", EntryUnit: unit(dir, "a.c", "")})
	if want := []string{"close", "remove", "strnlen"}; !slices.Equal(m.Missing, want) || !slices.Equal(noted(m), want) {
		t.Errorf("missing %q, noted %q, want %q", m.Missing, noted(m), want)
	}
	if have := defined(m); !slices.Contains(have, "atoi") {
		t.Errorf("no body of atoi: %q", have)
	}
	m = build(t, Request{Entry: "main", EntryUnit: unit(dir, "a.c", ""), Sources: []Unit{unit(dir, "own.c", "")}})
	if want := []string{"close", "strnlen"}; !slices.Equal(m.Missing, want) || !slices.Contains(defined(m), "remove") {
		t.Errorf("missing %q, defined %q", m.Missing, defined(m))
	}
	// A model that uses the name keeps its meaning.
	m = build(t, Request{Entry: "main", EntryUnit: unit(dir, "uses.c", "")})
	if len(m.Missing) > 0 || len(noted(m)) > 0 || !slices.Contains(defined(m), "strlen") {
		t.Errorf("missing %q, noted %q, defined %q", m.Missing, noted(m), defined(m))
	}
}
