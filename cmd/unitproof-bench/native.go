package main

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/unitproof/unitproof/diagnostics/csource"
)

// The attack on equiv: mutants of the versions after commits that equiv calls equivalent. Each is compared with equiv
// again, and natively: both versions are compiled, and run on the same random arguments and memory. A mutant that equiv
// calls equivalent must not differ natively.

//go:embed testdata/pair.c
var pairProgram []byte

// swaps are the changes of an operator.
var swaps = map[string][]string{"<": {"<=", ">"}, "<=": {"<"}, ">": {">=", "<"}, ">=": {">"}, "==": {"!="},
	"!=": {"=="}, "&&": {"||"}, "||": {"&&"}, "+": {"-"}, "-": {"+"}, "*": {"+"}, "/": {"*"}, "%": {"/"}, "&": {"|"},
	"|": {"&"}, "^": {"|"}, "<<": {">>"}, ">>": {"<<"}, "++": {"--"}, "--": {"++"}, "+=": {"-="}, "-=": {"+="},
	"|=": {"&="}, "&=": {"|="}, "!": {""}}

// tokenMutants returns changes of single tokens of a function's body, in random order.
func tokenMutants(text []byte, from, to int, random *rand.Rand) (list []seededBug) {
	tokens := codeTokens(text, from, to)
	for i, t := range tokens {
		word := t.Of(text)
		if i == 0 || i+1 == len(tokens) {
			continue
		}
		before := tokens[i-1]
		binary := before.Kind != csource.Operator || before.Is(text, ")") || before.Is(text, "]")
		switch {
		case t.Kind == csource.Operator && !binary && (word == "*" || word == "&" || word == "-" || word == "+"):
		case t.Kind == csource.Operator:
			for _, other := range swaps[word] {
				list = append(list, seededBug{"operator", t.Start, t.End, other})
			}
		case word != "" && csource.IsDigit(word[0]) && !strings.ContainsAny(word, "."):
			list = append(list, seededBug{"constant", t.Start, t.End, "(" + word + " + 1)"})
		case word == "break" || word == "continue":
			list = append(list, seededBug{"dropped jump", t.Start, t.End, ""})
		}
		if before.Is(text, ";") || before.Is(text, "}") || before.Is(text, "{") { // an assignment
			end := bytes.IndexByte(text[t.Start:to], ';')
			if end > 0 && dropped.Match(text[t.Start:t.Start+end]) {
				list = append(list, seededBug{"dropped statement", t.Start, t.Start + end, ""})
			}
		}
	}
	random.Shuffle(len(list), func(i, k int) { list[i], list[k] = list[k], list[i] })
	return list
}

// dropped matches assignments that are no declarations.
var dropped = regexp.MustCompile(`^[*\w.>\[\]-]+\s*(=[^=]|[-+|&^]=)[^;{}]*$`)

// attack makes mutants of a commit that is equivalent. first is the outcome of the commit, before and after its texts.
func (flags *refactoringFlags) attackOn(ctx context.Context, dir string, first *refactoring, before, after []byte) (
	list []refactoring, err error) {
	file := filepath.Join(dir, first.File)
	f, ok := csource.NewSource(after).Function(first.Function)
	if !ok {
		return nil, nil
	}
	random := rand.New(rand.NewSource(int64(len(after))))
	for _, bug := range tokenMutants(after, f.Body, f.End, random) {
		if len(list) == flags.attack || ctx.Err() != nil {
			break
		}
		text := bug.in(after)
		if same, err := flags.sameCode(ctx, dir, file, after, text); err != nil || same {
			continue
		}
		mutant := *first
		mutant.Mutant = bug.describe(after)
		if err := os.WriteFile(file, text, 0o644); err != nil {
			return list, err
		}
		flags.equiv(ctx, dir, &mutant)
		if mutant.Answer == "error" {
			continue // it does not compile
		}
		mutant.Native = flags.natively(ctx, dir, &mutant, before, text)
		list = append(list, mutant)
	}
	return list, nil
}

// nativeRuns is how often both versions are run.
const nativeRuns = "1000"

// natively compares two versions of a function in native runs, and returns the outcome in words.
func (flags *refactoringFlags) natively(ctx context.Context, dir string, r *refactoring, before, after []byte) string {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	work := filepath.Join(filepath.Dir(dir), "native")
	if err := os.MkdirAll(work, 0o755); err != nil {
		return err.Error()
	}
	folder := filepath.Dir(filepath.Join(dir, r.File))
	includes := []string{"-I", folder}
	for _, include := range headerFolders(dir) {
		includes = append(includes, "-I", filepath.Join(dir, include))
	}
	run := func(name string, args ...string) (string, error) {
		cmd := exec.CommandContext(ctx, name, args...)
		cmd.Dir = work
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	var code [2]string
	var missing []string
	kinds := ""
	for i, text := range [][]byte{before, after} {
		f, ok := csource.NewSource(text).Function(r.Function)
		if !ok {
			return "not run: the function is not found"
		}
		kinds = kindsOf(string(text[f.NameEnd:f.Body]))
		if len(kinds) > 6 {
			return "not run: more than six parameters"
		}
		name := fmt.Sprintf("version%d", i)
		source := filepath.Join(folder, "unitproof_"+name+".c")
		call := fmt.Sprintf("((long (*)(long, long, long, long, long, long))%s)(a, b, c, d, e, f)", r.Function)
		entry := fmt.Sprintf("\n#line 1\nlong unitproof_entry(long a, long b, long c, long d, long e, long f) { %s; }\n",
			result(string(text[f.Start:f.NameStart]), call))
		if err := os.WriteFile(source, slices.Concat(text, []byte(entry)), 0o644); err != nil {
			return err.Error()
		}
		defer os.Remove(source)
		common := append([]string{"-w", "-std=gnu11", "-fPIC"}, includes...)
		if out, err := run("cc", append(common, "-O2", "-S", "-o", name+".s", source)...); err != nil {
			return "not run: " + string(csource.OneLine([]byte(out)))
		}
		assembly, _ := os.ReadFile(filepath.Join(work, name+".s"))
		code[i] = placeInAssembly.ReplaceAllString(string(assembly), "")
		if out, err := run("cc", append(common, "-O0", "-shared", "-o", name+".so", source)...); err != nil {
			return "not run: " + string(csource.OneLine([]byte(out)))
		}
		symbols, _ := run("nm", "-D", "--undefined-only", name+".so")
		for line := range strings.Lines(symbols) {
			words := strings.Fields(line)
			if len(words) == 2 && words[0] == "U" && !strings.Contains(words[1], "@") &&
				!slices.Contains(missing, words[1]) {
				missing = append(missing, words[1])
			}
		}
	}
	if code[0] == code[1] {
		return "same code"
	}
	var stubs strings.Builder
	stubs.WriteString("long unitproof_called(long);\n")
	for i, name := range missing {
		fmt.Fprintf(&stubs, "long stub%d(void) __asm__(\"%s\");\n", i, name)
		fmt.Fprintf(&stubs, "long stub%d(void) { return unitproof_called(%d); }\n", i, i)
	}
	for name, text := range map[string][]byte{"pair.c": pairProgram, "stubs.c": []byte(stubs.String())} {
		if err := os.WriteFile(filepath.Join(work, name), text, 0o644); err != nil {
			return err.Error()
		}
	}
	if out, err := run("cc", "-w", "-rdynamic", "-o", "pair", "pair.c", "stubs.c", "-ldl"); err != nil {
		return "not run: " + string(csource.OneLine([]byte(out)))
	}
	out, err := run("./pair", "./version0.so", "./version1.so", kinds, nativeRuns, "1")
	if out = strings.TrimSpace(out); out == "" && err != nil {
		return "not run: " + err.Error()
	}
	return out
}

// placeInAssembly matches the lines of an assembly file that name its source.
var placeInAssembly = regexp.MustCompile(`(?m)^\s*\.(file|ident|string\s+".*unitproof_version).*$`)

// kindsOf returns a letter for each parameter in the head of a function: p for a pointer, i for others.
func kindsOf(head string) (kinds string) {
	open, shut := strings.IndexByte(head, '('), strings.LastIndexByte(head, ')')
	if open < 0 || shut < open {
		return ""
	}
	for part := range strings.SplitSeq(head[open+1:shut], ",") {
		switch part = strings.TrimSpace(part); {
		case part == "" || part == "void":
		case strings.ContainsAny(part, "*["):
			kinds += "p"
		default:
			kinds += "i"
		}
	}
	return kinds
}

// result returns a statement that returns the result of a call, given the text before the function's name.
func result(head, call string) string {
	switch {
	case strings.Contains(head, "*"), regexp.MustCompile(`\b(size_t|ssize_t|long|u?int64_t|u64|i64)\b`).MatchString(head):
		return "return " + call
	case regexp.MustCompile(`\bvoid\b`).MatchString(head):
		return call + "; return 0"
	case regexp.MustCompile(`\b(bool|_Bool|char|u?int8_t|u8)\b`).MatchString(head):
		return "return (unsigned char)" + call
	case regexp.MustCompile(`\b(short|u?int16_t|u16)\b`).MatchString(head):
		return "return (unsigned short)" + call
	}
	return "return (int)" + call
}
