package pipeline

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline/clang"
	"github.com/unitproof/unitproof/pipeline/export"
	"github.com/unitproof/unitproof/pipeline/ir"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/pipeline/replay"
	"github.com/unitproof/unitproof/pipeline/scratch"
)

// ExportFormats are the formats of exported proofs: a C program, LLVM assembly, LLVM bitcode.
var ExportFormats = []string{"sv-comp", "ll", "bc"}

// Exported is a proof for other tools.
type Exported struct {
	Data []byte
	// Notes are differences of the program's meaning in other tools.
	Notes []string
}

// Export writes a proof for other tools. A proof that does not compile is the first result; the error is for the user,
// and names the construct that other tools' programs cannot express.
func (c *Checker) Export(ctx context.Context, p project.Proof, define Define, format string) (*diagnostics.Proof,
	*Exported, error) {
	ctx, cancel := context.WithTimeout(ctx, p.Timeout)
	defer cancel()
	switch {
	case p.Contract:
		return nil, nil, errors.New("the proof of a contract cannot be expressed in other tools' C")
	case p.NondetStatic:
		return nil, nil, errors.New("variables that start with any value (nondet-static) cannot be expressed in C")
	case len(p.RemoveBodies) > 0:
		return nil, nil, errors.New("remove-bodies cannot be expressed in C: write stubs in a file of override")
	case len(p.Overrides) > 0:
		return nil, nil, errors.New("the definitions of override replace others, which one C file cannot express")
	}
	b, err := c.build(ctx, &p, define, &Live{})
	if err != nil {
		failed := failedBuild(ctx, &p, c.meta(&p), err)
		return &failed, nil, nil
	}
	m, err := b.read()
	if err != nil {
		return nil, nil, err
	}
	t, err := c.toolchain(ctx, p.Clang)
	if err != nil {
		return nil, nil, err
	}
	request := c.buildRequest(&p)
	r := export.Request{Name: p.Name, Program: m, Entry: p.Start(), MallocMayFail: p.Options.MallocMayFail,
		MaxLen: p.MaxLen}
	standard := ""
	for i, u := range slices.Concat([]clang.Unit{request.EntryUnit}, request.Sources) {
		if ir.KindOf(u.File) != ir.C {
			return nil, nil, fmt.Errorf("%s is not a C file, and is not exported", filepath.Base(u.File))
		}
		text, err := t.Preprocess(ctx, request, u)
		if err != nil {
			return nil, nil, err
		}
		r.Units = append(r.Units, replay.SourceText{Name: filepath.Base(u.File), Text: text, Flags: u.Flags, Entry: i == 0})
		for _, f := range u.Flags {
			if strings.HasPrefix(f, "-std=") && i == 0 {
				standard = f
			}
		}
	}
	program, err := export.Write(r)
	if err != nil {
		return nil, nil, err
	}
	out := &Exported{Data: program.Text, Notes: program.Notes}
	if missing := b.module.Missing; len(missing) > 0 {
		out.Notes = append(out.Notes, "no body for "+strings.Join(missing, ", ")+
			": other tools assume that it only returns an arbitrary value")
	}
	compiled, err := compileExported(ctx, t, program.Text, standard, format, len(r.Units))
	if format != "sv-comp" {
		out.Data = compiled
	}
	return nil, out, err
}

// compileExported compiles an exported program as any compiler does, without a header of ours.
func compileExported(ctx context.Context, t *clang.Toolchain, text []byte, standard, format string, units int) ([]byte,
	error) {
	dir, err := scratch.Mkdir("export-*")
	if err != nil {
		return nil, fmt.Errorf("temporary files: %w", err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "exported.c")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return nil, fmt.Errorf("temporary files: %w", err)
	}
	args := []string{"-w", "-fsyntax-only"}
	switch format {
	case "ll":
		args = []string{"-w", "-S", "-emit-llvm", "-g", "-O0", "-Xclang", "-disable-O0-optnone", "-o", "-"}
	case "bc":
		args = []string{"-w", "-c", "-emit-llvm", "-g", "-O0", "-Xclang", "-disable-O0-optnone", "-o", "-"}
	}
	if standard != "" {
		args = append(args, standard)
	}
	out, stderr, err := t.Run(ctx, dir, t.Clang, append(args, file), nil)
	if err == nil {
		return out, nil
	}
	first := ""
	for line := range strings.Lines(string(stderr)) {
		if _, message, ok := strings.Cut(line, " error: "); ok {
			first = strings.TrimSpace(message)
			break
		}
	}
	if first == "" {
		return nil, fmt.Errorf("the exported program does not compile: %w: %s", err, stderr)
	}
	if units > 1 {
		return nil, fmt.Errorf("the %d files of the proof cannot be merged into one program: %s", units, first)
	}
	return nil, fmt.Errorf("the exported program does not compile: %s", first)
}
