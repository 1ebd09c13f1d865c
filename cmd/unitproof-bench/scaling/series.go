package scaling

import (
	"fmt"
	"strings"
)

// Series is a family of programs.
type Series struct {
	Name  string // for file names
	Title string
	// N is the meaning of n; Program describes the programs in a sentence.
	N, Program string
	Sizes      []int
	// Files returns the programs of size n by file name. All proofs in them are proved.
	Files func(n int) map[string]string
	// Unwind returns the loop bound for size n; 0 is the automatic one. It may be nil.
	Unwind func(n int) int
}

// All are the families to measure.
var All = []Series{
	{Name: "writes-loop", Title: "Reading after n writes, in a loop", N: "writes",
		Sizes:   []int{1000, 3000, 10000, 30000, 100000},
		Program: "A loop with a constant bound writes n elements of an array; then two of them are read.",
		Files:   one(func(n int) string { return loopWrites(n, false) })},
	{Name: "writes-loop-symbolic", Title: "Reading after n writes in a loop, one of them at an unknown place", N: "writes",
		Sizes:   []int{1000, 3000, 10000, 30000, 100000},
		Program: "The same, and half way one write goes to an index that is an input.",
		Files:   one(func(n int) string { return loopWrites(n, true) })},
	{Name: "writes-line", Title: "Reading after n writes, one line each", N: "writes",
		Sizes:   []int{1000, 3000, 10000, 30000, 100000},
		Program: "A function of n lines `a[17] = 119;` for all n elements of an array; then two of them are read.",
		Files:   one(func(n int) string { return straightWrites(n, false) })},
	{Name: "writes-line-symbolic", Title: "Reading after n writes of one line each, one of them at an unknown place",
		N: "writes", Sizes: []int{1000, 3000, 10000, 30000, 100000},
		Program: "The same, and half way one write goes to an index that is an input.",
		Files:   one(func(n int) string { return straightWrites(n, true) })},
	{Name: "array", Title: "Array length", N: "elements", Sizes: []int{1000, 10000, 100000, 1000000, 10000000},
		Program: "An array of n arbitrary elements is written at one unknown index and read at another.",
		Files:   one(arrayLength)},
	{Name: "array-filled", Title: "Length of an array that was filled", N: "elements",
		Sizes:   []int{64, 128, 256, 512, 1024, 2048, 4096},
		Program: "A loop fills an array with n different values; then it is read at an unknown index.",
		Files:   one(arrayFilled)},
	{Name: "loop", Title: "Loop bound", N: "bound", Sizes: []int{8, 16, 32, 64, 128, 256, 512},
		Program: "A loop that runs an unknown number of times, at most n, counts elements of an array with a property; at " +
			"its end the count is at most the number.",
		Files: one(loopBound), Unwind: func(n int) int { return n + 1 }},
	{Name: "obligations", Title: "Number of obligations", N: "assertions", Sizes: []int{100, 300, 1000, 3000, 10000},
		Program: "n assertions, each about an input of its own and none settled by folding.",
		Files:   one(obligations)},
	{Name: "size", Title: "Size of the program", N: "lines", Sizes: []int{625, 1250, 2500, 5000, 10000},
		Program: "A source of n lines with n/25 functions that call each other in chains, and n/5 assertions, in one proof.",
		Files:   one(programSize)},
	{Name: "proofs", Title: "Number of proofs", N: "proofs", Sizes: []int{1, 2, 4, 8, 16, 32, 64},
		Program: "n small proofs, one after the other in one call.",
		Files:   manyProofs},
}

// one returns the Files function of a family of single files.
func one(text func(n int) string) func(n int) map[string]string {
	return func(n int) map[string]string { return map[string]string{"main_harness.c": text(n)} }
}

// value returns the value that the programs write at index i.
func value(i int) int { return i * 7 % 1000 }

// checks returns the reads at the end of the programs with writes. One element was written last; the other was
// written before x was written to the unknown index j.
func checks(n int, symbolic bool) string {
	text := fmt.Sprintf("  sassert(a[%d] == %d);\n", n-1, value(n-1))
	if symbolic {
		return text + fmt.Sprintf("  sassert(a[3] == (j == 3 ? x : %d));\n", value(3))
	}
	return text + fmt.Sprintf("  sassert(a[3] == %d);\n", value(3))
}

func inputs(n int, symbolic bool) string {
	if !symbolic {
		return ""
	}
	return fmt.Sprintf("  unsigned j = nd_uint();\n  int x = nd_int();\n  assume(j < %d);\n", n)
}

func loopWrites(n int, symbolic bool) string {
	write := ""
	if symbolic {
		write = fmt.Sprintf("    if (i == %d)\n      a[j] = x;\n", n/2)
	}
	return fmt.Sprintf("#include <unitproof.h>\nstatic int a[%d];\nint main(void) {\n%s  for (unsigned i = 0; i < %d; "+
		"i++) {\n    a[i] = i * 7 %% 1000;\n%s  }\n%s  return 0;\n}\n",
		n, inputs(n, symbolic), n, write, checks(n, symbolic))
}

func straightWrites(n int, symbolic bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "#include <unitproof.h>\nstatic int a[%d];\nint main(void) {\n%s", n, inputs(n, symbolic))
	for i := range n {
		fmt.Fprintf(&b, "  a[%d] = %d;\n", i, value(i))
		if symbolic && i == n/2 {
			b.WriteString("  a[j] = x;\n")
		}
	}
	b.WriteString(checks(n, symbolic) + "  return 0;\n}\n")
	return b.String()
}

func arrayLength(n int) string {
	return fmt.Sprintf(`#include <unitproof.h>
static int a[%[1]d];
int main(void) {
  unsigned i = nd_uint(), j = nd_uint();
  int x = nd_int();
  memhavoc(a, sizeof a);
  assume(i < %[1]d && j < %[1]d);
  int old = a[j];
  a[i] = x;
  sassert(a[i] == x);
  sassert(a[j] == (i == j ? x : old));
  return 0;
}
`, n)
}

func arrayFilled(n int) string {
	return fmt.Sprintf(`#include <unitproof.h>
static unsigned a[%[1]d];
int main(void) {
  for (unsigned i = 0; i < %[1]d; i++)
    a[i] = 3 * i + 1;
  unsigned j = nd_uint();
  assume(j < %[1]d);
  sassert(a[j] > j && a[j] < 3 * %[1]d);
  return 0;
}
`, n)
}

func loopBound(n int) string {
	return fmt.Sprintf(`#include <unitproof.h>
static unsigned char a[%[1]d];
int main(void) {
  unsigned n = nd_uint(), count = 0;
  memhavoc(a, sizeof a);
  assume(n <= %[1]d);
  for (unsigned i = 0; i < n; i++)
    if (a[i] > 127)
      count++;
  sassert(count <= n);
  return 0;
}
`, n)
}

func obligations(n int) string {
	var b strings.Builder
	b.WriteString("#include <unitproof.h>\nint main(void) {\n")
	for i := range n {
		fmt.Fprintf(&b, "  { unsigned x = nd_uint(), y = nd_uint(); assume(x < %d); sassert((x & y) < %d); }\n", 20+i%50,
			20+i%50)
	}
	b.WriteString("  return 0;\n}\n")
	return b.String()
}

// programSize returns a program with functions of 25 lines: five assertions, a branch, an access, and a call of the
// function ten places before.
func programSize(n int) string {
	const lines = 25
	var b strings.Builder
	b.WriteString("#include <unitproof.h>\nstatic unsigned state[16];\n")
	functions := max(n/lines, 1)
	for f := range functions {
		fmt.Fprintf(&b, "static unsigned f%d(unsigned x, unsigned y) {\n", f)
		fmt.Fprintf(&b, "  unsigned r = 0;\n  assume(x < 1000);\n  if (x > %d)\n    r = x - %d;\n  else\n    r = x + 1;\n",
			f%100, f%100)
		fmt.Fprintf(&b, "  sassert(r <= 1000);\n  unsigned k = y %% 16;\n  sassert(k < 16);\n  state[k] = r;\n  "+
			"sassert(state[k] == r);\n")
		fmt.Fprintf(&b, "  unsigned m = (y & 255) / 3;\n  sassert(m <= 85);\n  unsigned z = x / 7;\n  if (z > 100)\n    z "+
			"= 100;\n  sassert(z + m <= 185);\n")
		if f >= 10 {
			fmt.Fprintf(&b, "  r = f%d(z, y);\n", f-10)
		} else {
			b.WriteString("  r = r / 2;\n")
		}
		b.WriteString("  state[0] = r & 255;\n  if (r > 999)\n    r = 999;\n  return r;\n}\n")
		b.WriteString("\n")
	}
	b.WriteString("int main(void) {\n")
	// Each function is called once, by main or along a chain from the last ten.
	for f := max(functions-10, 0); f < functions; f++ {
		fmt.Fprintf(&b, "  f%d(nd_uint(), nd_uint());\n", f)
	}
	b.WriteString("  return 0;\n}\n")
	return b.String()
}

func manyProofs(n int) map[string]string {
	files := map[string]string{}
	for i := range n {
		files[fmt.Sprintf("p%03d_harness.c", i)] = fmt.Sprintf(`#include <unitproof.h>
int main(void) {
  unsigned x = nd_uint(), y = nd_uint();
  unsigned a[8] = {0};
  assume(x < 8 && y < %d);
  a[x] = y;
  sassert(a[x] < %d);
  return 0;
}
`, i+2, i+2)
	}
	return files
}
