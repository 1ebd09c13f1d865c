package clang

import (
	"bytes"
	_ "embed" // for the header's text
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/pipeline/lazyregexp"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/language"
)

//go:embed cprover.h
var cproverHeader []byte

// cproverHeaderName is the name of the header that declares what CBMC knows undeclared.
const cproverHeaderName = "unitproof_cprover.h"

// primitives are the names of CBMC's that programs use undeclared: those that our header declares or defines, but for
// assumptions and assertions. An undeclared function is one of `int` and unknown parameters to clang, which is another
// one than CBMC's; for these it makes no difference.
var primitives = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	for _, m := range headerName.FindAllSubmatch(cproverHeader, -1) {
		if name := string(m[1]); !language.Lookup(name).HasCondition() {
			names[name] = true
		}
	}
	return names
})

var headerName = lazyregexp.New(`(?m)^(?:#define |[^#/\n*][^(\n]*[ *])(__CPROVER_\w+)\(`)

const cproverPrefix = "__CPROVER_"

// namesOfCBMC are the identifiers of a text that begin like CBMC's, each with where it ends. (A regular expression
// takes 20 ns a byte.)
func namesOfCBMC(text []byte) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		for at := 0; ; {
			i := bytes.Index(text[at:], []byte(cproverPrefix))
			if i < 0 {
				return
			}
			start := at + i
			for at = start + len(cproverPrefix); at < len(text) && csource.IsIdentByte(text[at]); at++ {
			}
			if start > 0 && csource.IsIdentByte(text[start-1]) {
				continue
			}
			if !yield(string(text[start:at]), at) {
				return
			}
		}
	}
}

// declaredByCBMC are the functions of a module with such names that it declares, and whether without parameters, as
// clang does what was called undeclared.
func declaredByCBMC(module []byte) iter.Seq2[string, bool] {
	return func(yield func(string, bool) bool) {
		for name, end := range namesOfCBMC(module) {
			line := module[bytes.LastIndexByte(module[:end], '\n')+1 : end-len(name)]
			if bytes.HasPrefix(line, []byte("declare ")) && bytes.IndexByte(line, '@') == len(line)-1 &&
				bytes.HasPrefix(module[end:], []byte("(")) && !yield(name, bytes.HasPrefix(module[end:], []byte("(...)"))) {
				return
			}
		}
	}
}

// callsUndeclared tells whether a module has calls of primitives that were not declared.
func callsUndeclared(module []byte) bool {
	for name, undeclared := range declaredByCBMC(module) {
		if undeclared && primitives()[name] {
			return true
		}
	}
	return false
}

// namesPrimitive tells whether a text has the name of a primitive.
func namesPrimitive(text []byte) bool {
	for name := range namesOfCBMC(text) {
		if primitives()[name] {
			return true
		}
	}
	return false
}

// dialect finds out what a unit needs that was written for another compiler: further options to compile it
// with, on top of those it was compiled with, or none. The output is clang's, of a compilation that failed or
// did not.
func (c *compilation) dialect(u Unit, output []byte, stderr string, more []string) (
	further []string, note *found.Assumption) {
	if !slices.Contains(more, "-include") &&
		(callsUndeclared(output) || stderr != "" && c.complainsOf(u, stderr, mentionsCPROVER)) {
		return []string{"-include", filepath.Join(c.headers, cproverHeaderName)}, nil
	}
	// A stand-in for what glibc's checking macros call: nothing calls it here, since they are off.
	for _, m := range redefined.FindAllStringSubmatch(stderr, -1) {
		define := fmt.Sprintf("-D%s=unitproof_redefined_%s", m[1], m[1])
		if !slices.Contains(more, define) && !slices.Contains(further, define) {
			further = append(further, define)
			note = &found.Assumption{What: found.OwnBuiltin, Name: m[1], At: found.Pos{File: u.path()}}
		}
	}
	return further, note
}

// guessDialect is what dialect would find out of a compilation, as far as the texts tell that a unit may be read from,
// which saves that compilation. Where nothing needs the options they change nothing; where they make clang complain, a
// file declares itself what they declare, and is compiled without.
func (c *compilation) guessDialect(reached []reachedFile) []string {
	uses := false
	for _, f := range reached {
		if mentionsCPROVER(f.text) {
			if asksForPrimitive.Match(f.text) {
				return nil
			}
			uses = uses || namesPrimitive(f.text)
		}
	}
	if !uses {
		return nil
	}
	return []string{"-include", filepath.Join(c.headers, cproverHeaderName)}
}

// headerAsks reports whether one of the files that a unit was read from, beside its own, asks whether a name of CBMC's
// is defined. With ours declared before it, it saw the wrong answer.
func (c *compilation) headerAsks(u Unit, files []string) bool {
	return slices.ContainsFunc(files, func(f string) bool {
		if f == u.path() || filepath.Base(f) == cproverHeaderName {
			return false
		}
		text, err := c.read(f)
		return err == nil && bytes.Contains(text, []byte(cproverPrefix)) && asksForPrimitive.Match(text)
	})
}

// asksForPrimitive finds a question whether a name of CBMC's is defined: the answer is no, unless it is declared for
// want of it.
var asksForPrimitive = lazyregexp.New(`(?m)^[ \t]*#[ \t]*(?:if|ifdef|ifndef|elif)\b.*__CPROVER_`)

var redefined = lazyregexp.New(`(?:definition of|cannot redeclare) builtin function '(\w+)'`)

// complainsOf reports whether a line that clang complains about, or the line of a macro that was expanded there,
// mentions something; or what clang says of it does.
func (c *compilation) complainsOf(u Unit, stderr string, mentions func(text []byte) bool) bool {
	if mentions([]byte(stderr)) {
		return true
	}
	lines := map[string][]string{}
	for _, d := range parseDiagnostics(stderr, u.path(), u.Dir) {
		text, known := lines[d.File]
		if !known {
			data, err := c.read(d.File)
			if err != nil && !os.IsNotExist(err) {
				continue
			}
			text = strings.Split(string(data), "\n")
			lines[d.File] = text
		}
		if d.Line > 0 && d.Line <= len(text) && mentions([]byte(text[d.Line-1])) {
			return true
		}
	}
	return false
}

// mentionsCPROVER reports whether a text has a name of CBMC's.
func mentionsCPROVER(text []byte) bool { return bytes.Contains(text, []byte(cproverPrefix)) }
