package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/diagnostics"
)

// origin is a way in which a program obtains a pointer q. In the cut form the pointer's object is unknown: a loop is
// cut by induction or by its contract, a call is replaced, a body is missing. The twin form executes everything, with
// small numbers; its pointers are among those that the cut form allows.
type origin struct {
	name                string
	cut, twin           string // declarations
	cutBegin, twinBegin string // statements that declare q
	contract            bool   // the cut form is the proof of a contract with parameter q
}

// loopOrigin returns an origin by a loop over i that sets the pointer in iteration %d.
func loopOrigin(name, loop string, far int) origin {
	return origin{name: name, cutBegin: strings.ReplaceAll(loop, "$AT", fmt.Sprint(far)),
		twinBegin: "n %= 9; " + strings.ReplaceAll(strings.ReplaceAll(loop, "$AT", "3"), "/*contract*/", "")}
}

func origins() []origin {
	const set = "for (unsigned i = 0; i < n; i++) if (i == $AT) q = $TO;"
	to := func(o origin, target string) origin {
		o.cutBegin, o.twinBegin = "char *q = 0; "+o.cutBegin, "char *q = 0; "+o.twinBegin
		o.cutBegin = strings.ReplaceAll(o.cutBegin, "$TO", target)
		o.twinBegin = strings.ReplaceAll(o.twinBegin, "$TO", target)
		return o
	}
	plain := func(name, q string) origin { return origin{name: name, cutBegin: q, twinBegin: q} }
	written := loopOrigin("loop contract", "", 0)
	written.cutBegin = "char *q = 0; for (unsigned i = 0; i < n; i++) __CPROVER_assigns(i, q) " +
		"__CPROVER_loop_invariant(i <= n) { if (i == 300) q = other; }"
	written.twinBegin = "char *q = 0; n %= 9; for (unsigned i = 0; i < n; i++) { if (i == 3) q = other; }"
	return []origin{
		plain("object", "char *q = other;"),
		plain("interior", "char *q = other + 1;"),
		plain("one past", "char *q = other + 4;"),
		plain("null", "char *q = 0;"),
		plain("freed", "char *q = malloc(4); free(q);"),
		plain("out of scope", "char *q; { char x[4] = {0}; q = x; }"),
		plain("integer", "char *q = (char *)nd_uintptr_t();"),
		plain("arbitrary", "char *q = nd_voidp();"),
		to(loopOrigin("cut loop", set, 300), "other"),
		to(loopOrigin("cut loop, interior", set, 300), "other + 1"),
		to(loopOrigin("cut loop, heap", set, 300), "heap"),
		{name: "cut table",
			cutBegin: "char *t[4] = {0}; for (unsigned i = 0; i < n; i++) t[i & 3] = i > 200 ? other : 0; " +
				"char *q = t[2];",
			twinBegin: "char *t[4] = {0}; n %= 9; for (unsigned i = 0; i < n; i++) t[i & 3] = i > 1 ? other : 0; " +
				"char *q = t[2];"},
		written,
		{name: "missing body", cut: "char *get(const char *);",
			twin:     "char *get(const char *p) { return nd_bool() ? (char *)p : 0; }",
			cutBegin: "char *q = get(other);", twinBegin: "char *q = get(other);"},
		{name: "missing body fills", cut: "void fill(const char *, char **);",
			twin:     "void fill(const char *p, char **to) { if (nd_bool()) *to = (char *)p; }",
			cutBegin: "char *q = 0; fill(other, &q);", twinBegin: "char *q = 0; fill(other, &q);"},
		{name: "contract result",
			cut: "char *get(void) __CPROVER_assigns() __CPROVER_ensures(1) " +
				"{ return nd_bool() ? other : 0; }",
			twin:     "char *get(void) { return nd_bool() ? other : 0; }",
			cutBegin: "char *q = get();", twinBegin: "char *q = get();"},
		{name: "contract assigns",
			cut: "static char *held; void put(void) __CPROVER_assigns(held) __CPROVER_ensures(1) " +
				"{ held = other; }",
			twin:     "static char *held; void put(void) { if (nd_bool()) held = other; }",
			cutBegin: "held = 0; put(); char *q = held;", twinBegin: "held = 0; put(); char *q = held;"},
		{name: "undefined variable", cut: "extern char *given; char shared[4]; ",
			twin:     "static char *given; char shared[4];",
			cutBegin: "char *q = given;", twinBegin: "given = nd_bool() ? shared : 0; char *q = given;"},
		{name: "contract parameter", contract: true, twinBegin: "char *q = nd_bool() ? other : 0;"},
	}
}

// questions are uses of a pointer by name. Each ends with an assertion that holds if a pointer to an unknown object
// is treated as one to no object.
func questions() map[string]string {
	out := map[string]string{
		"w_ok":           "sassert(!__CPROVER_w_ok(q, 1));",
		"OBJECT_SIZE":    "sassert(!q || __CPROVER_OBJECT_SIZE(q) != 4);",
		"POINTER_OFFSET": "sassert(!q || __CPROVER_POINTER_OFFSET(q) != 0);",
		"POINTER_OBJECT": "sassert(!q || __CPROVER_POINTER_OBJECT(q) != __CPROVER_POINTER_OBJECT(other));",
		"same_object":    "sassert(!q || !__CPROVER_same_object(q, other));",
		"is_modified": "sea_tracking_on(); sea_reset_modified(other); other[0] = 1; " +
			"sassert(!q || !sea_is_modified(q));",
		"reset_modified":      "sea_tracking_on(); other[0] = 1; sea_reset_modified(q); sassert(sea_is_modified(other));",
		"assume r_ok":         "assume(__CPROVER_r_ok(q, 1)); sassert(q != other);",
		"assume not r_ok":     "if (q) { assume(!__CPROVER_r_ok(q, 1)); sassert(q != other); }",
		"branch on r_ok":      "int r = 0; if (__CPROVER_r_ok(q, 1)) r = 1; sassert(r == 0);",
		"free":                "free(q); if (heap) sassert(__CPROVER_r_ok(heap, 1));",
		"realloc":             "char *r = realloc(q, 8); if (heap && r) sassert(__CPROVER_r_ok(heap, 1));",
		"missing body":        "if (heap) heap[0] = 0; ext(q); sassert(other[0] == 0 && (!heap || heap[0] == 0));",
		"missing by word":     "ext_word((uintptr_t)q); sassert(other[0] == 0);",
		"missing in a struct": "struct box b; b.p = q; b.n = 0; ext_box(&b); sassert(other[0] == 0);",
		"missing by copy":     "struct box b; b.p = q; b.n = 0; ext_copy(b); sassert(other[0] == 0);",
		"missing twice":       "char *r = pass(q); ext(r); sassert(other[0] == 0);",
		"write":               "if (q) { *q = 1; sassert(other[0] == 0); }",
		"read":                "if (q) { char c = *q; sassert(c != 0); }",
		"memset":              "if (q) { memset(q, 1, 1); sassert(other[0] == 0); }",
		"memcpy to":           "char s[1] = {1}; if (q) { memcpy(q, s, 1); sassert(other[0] == 0); }",
		"memcpy from":         "char s[1] = {1}; if (q) { memcpy(s, q, 1); sassert(s[0] != 0); }",
		"strlen":              "if (q) sassert(strlen(q) != 0);",
		"strcpy":              "if (q) { strcpy(q, \"\"); sassert(q[0] != 0); }",
		"strchr":              "if (q) sassert(strchr(q, 1) != 0);",
		"memcmp":              "char s[1] = {0}; if (q) sassert(memcmp(q, s, 1) != 0);",
		"equal":               "sassert(q != other);",
		"less":                "if (q) sassert(!(q < other + 4));",
		"difference":          "if (q) sassert(q - other != 0);",
		"copied and asked":    "char *r; memcpy(&r, &q, sizeof r); sassert(!__CPROVER_r_ok(r, 1));",
		"as a number":         "uintptr_t w = (uintptr_t)q; char *r = (char *)(w ^ 0); sassert(!__CPROVER_r_ok(r, 1));",
	}
	// Uses of a valid pointer to an unknown object.
	for name, use := range map[string]string{"write": "*q = 1;", "memset": "memset(q, 1, 1);",
		"memhavoc": "memhavoc(q, 1);", "memcpy": "memcpy(q, \"x\", 1);", "strcpy": "strcpy(q, \"\");",
		"missing body": "ext(q);"} {
		out["valid "+name] = "other[0] = 5; if (sea_is_dereferenceable(q, 1)) { " + use + " } sassert(other[0] == 5);"
	}
	out["valid free"] = "if (heap && sea_is_dereferenceable(q, 1) && q != other) free(q); " +
		"if (heap) sassert(__CPROVER_r_ok(heap, 1));"
	for _, name := range []string{"__CPROVER_r_ok", "__CPROVER_rw_ok", "sea_is_dereferenceable"} {
		out[strings.TrimPrefix(name, "__CPROVER_")] = "sassert(!" + name + "(q, 1));"
		out["not "+strings.TrimPrefix(name, "__CPROVER_")] = "if (q) sassert(" + name + "(q, 1));"
	}
	return out
}

const originsHead = `#include <unitproof.h>
#include <stdlib.h>
#include <string.h>
struct box { char *p; long n; };
static char other[4];
void ext(char *);
void ext_word(uintptr_t);
void ext_box(struct box *);
void ext_copy(struct box);
char *pass(char *);
`

// originsProgram returns a program with an entry for each question; entries are their names.
func originsProgram(o origin, cut bool, names []string, ask map[string]string) (text string, entries []string) {
	var b strings.Builder
	b.WriteString(originsHead)
	begin := o.twinBegin
	if cut {
		b.WriteString(o.cut)
		begin = o.cutBegin
	} else {
		b.WriteString(o.twin)
	}
	b.WriteString("\n")
	for i, name := range names {
		entry := fmt.Sprintf("ask%d", i)
		if o.contract && cut {
			fmt.Fprintf(&b, "void %s(char *q, char *heap)\n__CPROVER_requires(other[0] == 0 && (!heap || "+
				"__CPROVER_is_fresh(heap, 4))) __CPROVER_ensures(1)\n{ %s }\n", entry, ask[name])
		} else {
			entry += "_proof"
			fmt.Fprintf(&b, "void %s(void) { unsigned n = nd_uint(); char *heap = malloc(4); %s %s }\n", entry, begin, ask[name])
		}
		entries = append(entries, entry)
	}
	return b.String(), entries
}

// TestUnknownObjects compares the verdicts for a pointer to an unknown object with those of full execution: no
// assertion that fails in the latter may hold in the former. -v prints the table.
func TestUnknownObjects(t *testing.T) {
	program, cache := buildProgram(t), t.TempDir()
	ask := questions()
	names := slices.Sorted(maps.Keys(ask))
	// All cells take two minutes. By default a sample of them is checked.
	asked := func(o origin, name string) bool {
		return *everything || (o.cut != o.twin || o.cutBegin != o.twinBegin) && sampled(t, o.name+name, 12)
	}
	runs := map[string][]string{"": nil}
	if *everything {
		runs["frees"] = []string{"--no-check", "invalid-free", "--no-check", "double-free"}
		runs["accesses"] = []string{"--no-check", "invalid-pointer", "--no-check", "null-dereference"}
	}
	for run, flags := range runs {
		for _, o := range origins() {
			t.Run(o.name+run, func(t *testing.T) {
				t.Parallel()
				selected := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !asked(o, name) })
				if len(selected) == 0 {
					return
				}
				cut := askOrigins(t, program, cache, o, true, selected, ask, flags)
				twin := askOrigins(t, program, cache, o, false, selected, ask, flags)
				var row strings.Builder
				for _, name := range names {
					fmt.Fprintf(&row, "%s%s ", letter(cut[name]), letter(twin[name]))
					green := cut[name] == "proved" || cut[name] == "vacuous" || cut[name] == "unreached"
					if green && (twin[name] == "failed" || twin[name] == "unknown") {
						t.Errorf("%s of a pointer by %s: %s, and %s where everything is executed", name, o.name, cut[name], twin[name])
					}
				}
				t.Logf("%-20s %s", o.name, row.String())
			})
		}
	}
	t.Logf("columns: %s; F failed, U unknown, B bounded, P proved, V vacuous or unreached: cut, and executed",
		strings.Join(names, ", "))
}

func letter(verdict string) string {
	switch verdict {
	case "":
		return "-"
	case "unreached":
		return "V"
	}
	return strings.ToUpper(verdict[:1])
}

// askOrigins checks a program of one origin, and returns the verdict of each question's assertion.
func askOrigins(t *testing.T, program, cache string, o origin, cut bool, names []string, ask map[string]string,
	flags []string) map[string]string {
	t.Helper()
	text, entries := originsProgram(o, cut, names, ask)
	file := filepath.Join(t.TempDir(), "ask.c")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"--timeout", "5s"}, flags...)
	doc, said, _ := runCheck(t, program, cache, append(args, file)...)
	out := map[string]string{}
	for i, name := range names {
		p := proofOfEntry(&doc, entries[i])
		if p == nil || p.Verdict == "error" {
			t.Fatalf("no proof of %s (%s):\n%s\n%s", entries[i], name, said, text)
		}
		for _, f := range p.Obligations {
			if f.Kind == "assertion" {
				out[name] = string(f.Verdict)
			}
		}
	}
	return out
}

func proofOfEntry(doc *diagnostics.Document, entry string) *diagnostics.Proof {
	for i := range doc.Proofs {
		if p := &doc.Proofs[i]; p.Entry == entry {
			return p
		}
	}
	return nil
}
