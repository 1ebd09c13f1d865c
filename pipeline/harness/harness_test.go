package harness_test

import (
	"flag"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/pipeline/harness"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/clangtest"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

var update = flag.Bool("update", false, "write the proofs of testdata anew")

// prelude replaces the headers, which clang would need longer to read than everything else.
const prelude = `typedef unsigned long size_t; typedef unsigned char uint8_t; typedef unsigned uint32_t;
typedef __builtin_va_list va_list; typedef _Bool bool;
#define NULL ((void *)0)
void *malloc(size_t); void free(void *); size_t strlen(const char *);
void *memcpy(void *, const void *, size_t); void *memset(void *, int, size_t); int memcmp(const void *, const void *, size_t);
#line 1 "page.c"
`

// TestProofs compares the proof of the function f of each page of testdata with the expected one. A page is a txtar
// archive: a comment with its subject, the C, and the proof with its questions; "-update" writes the proofs.
func TestProofs(t *testing.T) {
	clangtest.Pages(t, "testdata", 25, "proof", *update, func(t *testing.T, comment, source string) string {
		m, err := clangir.Read([]byte(clangtest.Compile(t, prelude+source)), llvmir.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		made, err := harness.Write(harness.Request{Program: m, Function: "f", File: "/project/page.c",
			Text: []byte(source), Texts: [][]byte{[]byte(source)}, Dir: "/project/proofs",
			Own: func(string) bool { return true }, Size: 4, Include: strings.Contains(comment, "is included")})
		if err != nil {
			t.Fatal(err)
		}
		got := string(made.Text)
		for _, q := range made.Questions {
			got += "question: " + q + "\n"
		}
		return got
	})
}

// TestNoFunction checks that an undefined function is an error.
func TestNoFunction(t *testing.T) {
	text := clangtest.Compile(t, "int g(void);\nint h(void) { return g(); }\n")
	m, err := clangir.Read([]byte(text), llvmir.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"f", "g"} {
		_, err := harness.Write(harness.Request{Program: m, Function: name, File: "/project/page.c", Dir: "/project"})
		if err == nil {
			t.Errorf("a proof of %s, which has no definition", name)
		}
	}
}
