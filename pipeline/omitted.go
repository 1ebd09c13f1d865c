package pipeline

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/unitproof/unitproof/pipeline/clang"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/found"
)

// omitted finds the assertions in the file of the entry of which clang makes no code since it sees for itself that no way leads there
// (`if (0) sassert(x)`, `return; sassert(x)`). The engine cannot know of them, and a proof in which nothing is asserted would be
// called proved. A call that is written in a function of the program, and whose place the program does not mention, is one, unless its
// condition is constant, as that of assert(sizeof(int) == 4), which is dropped as well: so the file is compiled once more, with calls of
// unknown functions in their stead, of which clang knows nothing but whether it gets there.
func (c *Checker) omitted(ctx context.Context, p *project.Proof, b *built, live *Live) ([]vcgen.Instance, error) {
	if p.Options.Vacuity == vcgen.VacuityOff {
		return nil, nil
	}
	file := p.EntryUnit.File
	text := live.sources(c.settings.Root)(file)
	program := b.module.Text
	calls := project.AssertionCalls(text, func(line, column int) bool {
		return !bytes.Contains(program, fmt.Appendf(nil, "DILocation(line: %d, column: %d,", line, column))
	})
	calls = slices.DeleteFunc(calls, func(a project.AssertionCall) bool { return !defines(program, a.Function) })
	if len(calls) == 0 {
		return nil, nil
	}
	if live.onlyKept {
		return nil, clang.ErrNotKept
	}
	t, err := c.toolchain(ctx, p.Clang)
	if err != nil {
		return nil, err
	}
	var other bytes.Buffer
	var names []string
	last := 0
	for i, a := range calls {
		names = append(names, fmt.Sprintf("unitproof_gets_here_%d", i))
		other.Write(text[last:a.Start])
		other.WriteString(names[i])
		last = a.End
	}
	other.Write(text[last:])
	r := c.buildRequest(p)
	r.Virtual = live.Virtual
	emitted, err := t.Emits(ctx, r, other.Bytes(), names)
	var out []vcgen.Instance
	for i, a := range calls {
		in := vcgen.Instance{Kind: found.Assertion, Pos: found.Pos{File: file, Line: a.Line, Column: a.Column, Function: a.Function}, InEntryFile: true,
			Verdict: found.Unreached, LeftOut: true}
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil: // which the proof itself did not have
			in.Verdict, in.LeftOut, in.Reason = found.Unknown, false, found.Reason{Why: found.NoCode}
		case emitted[i]:
			continue
		}
		out = append(out, in)
	}
	return out, nil
}

// defines reports whether the program has a body of a function.
func defines(program []byte, name string) bool {
	for rest := program; ; {
		i := bytes.Index(rest, []byte("@"+name+"("))
		if i < 0 {
			return false
		}
		if bytes.HasPrefix(rest[bytes.LastIndexByte(rest[:i], '\n')+1:], []byte("define ")) {
			return true
		}
		rest = rest[i+1:]
	}
}
