package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/diagnostics"
)

// limitFolders have the numeric limits of the engine: constants of packages.
var limitFolders = []string{"vcgen", "pipeline/solver"}

// engineLimit is a numeric constant of a package of the engine.
type engineLimit struct {
	name, value, reason string
	file                string // with the folder
	line                int
	from, to            int // offsets of the value
}

func (l *engineLimit) String() string { return fmt.Sprintf("%s:%d %s", l.file, l.line, l.name) }

// limitsCommand lists the limits, or changes each and checks programs.
func limitsCommand(std cli.Streams) *cobra.Command {
	var only string
	cmd := &cobra.Command{
		Use:   "limits [flags] [FILE.c | DIR]...",
		Short: "List the numeric limits of the engine, or halve and double each and print which verdicts change",
		Long: `limits lists the numeric constants of the engine, with their values and reasons. With programs, it halves and
doubles each constant, builds unitproof, checks the programs, and prints the verdicts that change. A build takes about
half a minute, so --only should select some constants. It is run from the repository's root.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return limits(cmd.Context(), std, only, args)
		},
	}
	cmd.Flags().StringVar(&only, "only", "", "constants that match `REGEXP` (file:line name)")
	return cmd
}

func limits(ctx context.Context, std cli.Streams, only string, programs []string) error {
	matches, err := regexp.Compile(only)
	if err != nil {
		return fmt.Errorf("--only: %w", err)
	}
	list, err := findLimits(".")
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(l engineLimit) bool { return !matches.MatchString(l.String()) })
	if len(programs) == 0 {
		for i := range list {
			fmt.Fprintf(std.Out, "%-60s %-12s %s\n", list[i].String(), list[i].value, list[i].reason)
		}
		fmt.Fprintf(std.Out, "%d limits\n", len(list))
		return nil
	}
	folder, err := os.MkdirTemp("", "unitproof-limits")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	base, err := verdictsWith(ctx, folder, nil, "", programs)
	if err != nil {
		return err
	}
	fmt.Fprintf(std.Out, "%d limits, %d verdicts\n", len(list), len(base))
	for i := range list {
		for _, change := range []string{"(%s)/2", "(%s)*2"} {
			got, err := verdictsWith(ctx, folder, &list[i], change, programs)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			fmt.Fprintf(std.Out, "%s = %s: ", list[i].String(), fmt.Sprintf(change, list[i].value))
			if err != nil {
				fmt.Fprintf(std.Out, "cannot be changed: %v\n", err)
				continue
			}
			lines := verdictChanges(base, got)
			fmt.Fprintf(std.Out, "%d verdicts change\n", len(lines))
			for _, l := range lines {
				fmt.Fprintf(std.Out, "  %s\n", l)
			}
		}
	}
	return nil
}

// findLimits returns the limits of the source below a root, in the order of files.
func findLimits(root string) (list []engineLimit, err error) {
	for _, folder := range limitFolders {
		walked := filepath.WalkDir(filepath.Join(root, folder), func(path string, _ fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return err
			}
			found, err := limitsOf(path)
			list = append(list, found...)
			return err
		})
		err = errors.Join(err, walked)
	}
	return list, err
}

// limitsOf returns the numeric constants of a file's package scope, without enumerations and the numbers 0 and 1.
func limitsOf(path string) (list []engineLimit, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, d := range file.Decls {
		group, is := d.(*ast.GenDecl)
		if !is || group.Tok != token.CONST {
			continue
		}
		reason, next := "", 0 // of the constant before, and the line after it
		for _, spec := range group.Specs {
			s := spec.(*ast.ValueSpec)
			if s.Type != nil { // a number with a meaning
				continue
			}
			above := reason
			if set.Position(s.Pos()).Line != next || s.Doc != nil || s.Comment != nil {
				above = ""
			}
			reason = cmp.Or(oneLine(s.Doc.Text()), oneLine(s.Comment.Text()), above, oneLine(group.Doc.Text()))
			next = set.Position(s.End()).Line + 1
			for i, v := range s.Values {
				at := set.Position(v.Pos())
				l := engineLimit{name: s.Names[i].Name, file: path, line: at.Line, from: at.Offset,
					to: set.Position(v.End()).Offset}
				l.value = string(text[l.from:l.to])
				if !isNumeric(v) || l.value == "0" || l.value == "1" {
					continue
				}
				l.reason = reason
				list = append(list, l)
			}
		}
	}
	return list, nil
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// isNumeric reports whether an expression consists of number literals and operators.
func isNumeric(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return e.Kind == token.INT || e.Kind == token.FLOAT
	case *ast.BinaryExpr:
		return isNumeric(e.X) && isNumeric(e.Y)
	case *ast.ParenExpr:
		return isNumeric(e.X)
	}
	return false
}

// changed returns a file's text with another value of the limit.
func (l *engineLimit) changed(text []byte, change string) []byte {
	return slices.Concat(text[:l.from], fmt.Appendf(nil, change, l.value), text[l.to:])
}

// verdictsWith builds unitproof with a changed limit, unless that is nil, and returns the verdicts of programs by proof
// and finding.
func verdictsWith(ctx context.Context, folder string, l *engineLimit, change string, programs []string) (
	map[string]string, error) {
	program := filepath.Join(folder, "unitproof")
	build := []string{"build", "-o", program}
	if l != nil {
		text, err := os.ReadFile(l.file)
		if err != nil {
			return nil, err
		}
		original, err := filepath.Abs(l.file)
		if err != nil {
			return nil, err
		}
		with, overlay := filepath.Join(folder, "changed.go"), filepath.Join(folder, "overlay.json")
		if err := os.WriteFile(with, l.changed(text, change), 0o600); err != nil {
			return nil, err
		}
		replace, err := json.Marshal(map[string]map[string]string{"Replace": {original: with}})
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(overlay, replace, 0o600); err != nil {
			return nil, err
		}
		build = append(build, "-overlay", overlay)
	}
	if out, err := exec.CommandContext(ctx, "go", append(build, "./cmd/unitproof")...).CombinedOutput(); err != nil {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		return nil, fmt.Errorf("go build: %s", lines[len(lines)-1])
	}
	args := append([]string{"check", "--no-cache", "-q", "--json", "-"}, programs...)
	check := exec.CommandContext(ctx, program, args...)
	var out bytes.Buffer
	check.Stdout = &out
	var exit *exec.ExitError
	if err := check.Run(); err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	var doc diagnostics.Document
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
		return nil, fmt.Errorf("check: %w", err)
	}
	verdicts := map[string]string{}
	for i := range doc.Proofs {
		p := &doc.Proofs[i]
		verdicts[p.Name] = string(p.Verdict)
		for k := range p.Obligations {
			f := &p.Obligations[k]
			verdicts[fmt.Sprintf("%s %s:%d %s", p.Name, f.File, f.Line, f.Kind)] = string(f.Verdict)
		}
	}
	return verdicts, nil
}

// verdictChanges returns the verdicts that differ, sorted: "p a.c:3 assertion: proved, now bounded".
func verdictChanges(before, after map[string]string) (lines []string) {
	for name, was := range before {
		if is := after[name]; is != was {
			if is == "" {
				is = "not listed"
			}
			lines = append(lines, fmt.Sprintf("%s: %s, now %s", name, was, is))
		}
	}
	for name, is := range after {
		if before[name] == "" {
			lines = append(lines, fmt.Sprintf("%s: not listed, now %s", name, is))
		}
	}
	slices.Sort(lines)
	return lines
}
