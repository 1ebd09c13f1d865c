package clang

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/unitproof/unitproof/pipeline/cache"
	"github.com/unitproof/unitproof/pipeline/clang/asm"
	"github.com/unitproof/unitproof/pipeline/lazyregexp"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/language"
)

//go:embed models
var modelFiles embed.FS

// modelSource returns one translation unit with all models. arith.c comes first: only it is sanitized. The rest is
// well-defined, or contains memory errors of the caller, which the engine finds. One unit costs one process the first
// time and none later, since the result is cached; slimming keeps the models that a proof uses.
//
// A new model is a function in one of the files, a row of docs/libc.md, and a comparison with the library of the
// machine in testdata/library.c or values.c. A new file is added to the list below.
var modelSource = sync.OnceValue(func() []byte {
	text := func(name string) string {
		data, err := modelFiles.ReadFile("models/" + name)
		if err != nil {
			panic("embedded file: " + err.Error())
		}
		return fmt.Sprintf("#line 1 %q\n%s", language.ModelPrefix+name, data)
	}
	var b strings.Builder
	b.WriteString(text("prelude.h"))
	b.WriteString(text("arith.c"))
	b.WriteString("#pragma clang attribute push(__attribute__((no_sanitize(\"undefined\"))), apply_to = function)\n")
	for _, name := range []string{"ctype.c", "string.c", "number.c", "array.c", "system.c", "format.c", "atomic.c",
		"cprover.c", "float.c", "math.c", "fenv.c", "wide.c", "scan.c", "file.c", "fuzz.c", "thread.c"} {
		b.WriteString(text(name))
	}
	b.WriteString("#pragma clang attribute pop\n")
	return []byte(b.String())
})

var modelDefinition = lazyregexp.New(`(?m)^(?:[a-z]\w*[ *]+)+(\w+)\([^;\n]*\) \{`)

// modelRenamed matches the names of models of functions that clang does not allow to be defined under their own names.
var modelRenamed = lazyregexp.New(`(?m)^#pragma redefine_extname (\w+) (\w+)$`)

// modelNames returns the functions that have a model, from the source: finding out whether a program needs one requires
// no compilation.
var modelNames = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	for _, m := range modelDefinition.FindAllSubmatch(modelSource(), -1) {
		if !strings.HasPrefix(string(m[0]), "static ") {
			names[string(m[1])] = true
		}
	}
	for _, m := range modelRenamed.FindAllSubmatch(modelSource(), -1) {
		delete(names, string(m[1]))
		names[string(m[2])] = true
	}
	return names
})

// mainWithArguments matches the head of a main with parameters.
var mainWithArguments = lazyregexp.New(`@main\(i(?:32|16) [^,()]*, (?:i8\*\*|ptr) `)

// fuzzTarget matches the head of a fuzz target with a pointer and a number, pointerBits the width of pointers of 32 and
// 16 bits in a module.
var (
	fuzzTarget  = lazyregexp.New(`@LLVMFuzzerTestOneInput\((?:i8\*|ptr) [^,()]*, i(64|32|16) [^,()]*\)`)
	pointerBits = lazyregexp.New(`(?m)^target datalayout = "[^"]*-p:(32|16):`)
)

// takesFuzzerInput reports whether the parameters of a fuzz target are libFuzzer's on the machine of its module.
func takesFuzzerInput(module *asm.Module, head asm.Span) bool {
	size, width := fuzzTarget.FindSubmatch(module.Bytes(head)), pointerBits.FindSubmatch(module.Text)
	if width == nil {
		return size != nil && string(size[1]) == "64"
	}
	return size != nil && string(size[1]) == string(width[1])
}

// linkModels adds the models of functions that the program calls and does not define, and the code that runs before and
// after its entry. It returns the roots with the added ones.
func (t *Toolchain) linkModels(ctx context.Context, r Request, p *program, triple string, roots []string) ([]string,
	error) {
	needed := false
	for name, kind := range p.missing {
		needed = needed || kind == asm.Function && modelNames()[name]
		if name == language.AtExit && kind == asm.Function {
			roots = append(slices.Clip(roots), language.AtEnd)
		}
	}
	if h := p.owner[r.Entry]; r.Entry == "main" && mainWithArguments.Match(p.modules[h.module].Bytes(h.Span)) {
		needed = true
		roots = append(slices.Clip(roots), language.MakeArguments, language.CountArguments)
	}
	fuzzed := r.Entry == language.FuzzTarget
	if fuzzed {
		if !takesFuzzerInput(p.modules[p.owner[r.Entry].module], p.owner[r.Entry].Span) {
			return nil, entryError(p.modules[p.owner[r.Entry].module], "the parameters of "+language.FuzzTarget+
				" are not those that libFuzzer calls it with: (const uint8_t *data, size_t size)")
		}
		needed = true
		maker := language.MakeInput
		if r.Input != nil {
			maker = language.TakeInput
			p.notes = append(p.notes, found.Assumption{What: found.GivenInput, Name: r.Input.Name,
				Count: int64(len(r.Input.Data))})
		}
		roots = append(slices.Clip(roots), maker)
		if _, ok := p.owner[language.FuzzInitialize]; ok {
			roots = append(roots, language.StartFuzzing)
		}
	}
	if !needed {
		return roots, nil
	}
	a, err := t.models(ctx, r.Checks, triple)
	if err != nil {
		return nil, err
	}
	if err := p.addModels(a, roots); err != nil || !fuzzed {
		return roots, err
	}
	constants, err := asm.Cut(language.ModelPrefix, inputConstants(r, sizeWidth(a)))
	if err != nil {
		return nil, err
	}
	p.add(constants)
	return roots, p.reach(roots)
}

// declaredSize matches the declaration of the constant whose type is size_t.
var declaredSize = lazyregexp.New(`@` + language.MaxLen + ` = external [^\n]*constant (i\d+)`)

// sizeWidth returns the LLVM type of size_t in the models.
func sizeWidth(models *asm.Module) string {
	if m := declaredSize.FindSubmatch(models.Text); m != nil {
		return string(m[1])
	}
	return "i64"
}

// inputConstants returns the definitions of the constants that the models of a fuzz target's input declare.
//
// size is the type of size_t.
func inputConstants(r Request, size string) []byte {
	if r.Input == nil {
		return fmt.Appendf(nil, "@%s = constant %s %d\n", language.MaxLen, size, r.MaxLen)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "@%s = constant %s %d\n@%s = constant [%d x i8] c\"", language.GivenSize, size, len(r.Input.Data),
		language.GivenInput, len(r.Input.Data))
	for _, c := range r.Input.Data {
		fmt.Fprintf(&b, "\\%02X", c)
	}
	b.WriteString("\", align 1\n")
	return b.Bytes()
}

// models compiles the models for a target, or takes them from memory or the user's cache folder. A broken cache only
// costs time.
func (t *Toolchain) models(ctx context.Context, checks map[found.Kind]bool, triple string) (*asm.Module, error) {
	arith := map[found.Kind]bool{"signed-overflow": checks["signed-overflow"],
		"division-by-zero": checks["division-by-zero"]}
	args := slices.Concat(t.ours(), []string{"-x", "c", "-std=gnu11", "-ffreestanding", "-nostdlibinc", "--target=" +
		triple,
		"-fdebug-compilation-dir=."})
	if s := sanitizeFlag(arith); s != "" {
		args = append(args, s)
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s\x00%s\x00%q\x00", t.Clang, t.Version, args)
	h.Write(modelSource())
	key := fmt.Sprintf("%x", h.Sum(nil)[:16])
	if a, ok := t.compiledModels.Load(key); ok {
		return a.(*asm.Module), nil
	}
	file := ""
	if dir, err := cacheDir(); err == nil {
		file = filepath.Join(dir, "models", key+".ll")
	}
	if file != "" {
		if text, err := cache.ReadSummed(file); err == nil {
			if a, err := asm.Cut(language.ModelPrefix, text); err == nil {
				t.compiledModels.Store(key, a)
				return a, nil
			}
		}
	}
	text, stderr, err := t.Run(ctx, "", t.Clang, append(args, "-o", "-", "-"), modelSource())
	if err != nil {
		return nil, fmt.Errorf("models of libc: %w", processError(ctx, "compile", err, stderr))
	}
	if file != "" {
		_ = cache.WriteSummed(file, text) // only a cache
	}
	a, err := asm.Cut(language.ModelPrefix, text)
	if err != nil {
		return nil, err
	}
	t.compiledModels.Store(key, a)
	return a, nil
}
