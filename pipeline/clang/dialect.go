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

// cproverHeaderName is the name of the header with CBMC's predeclared functions.
const cproverHeaderName = "unitproof_cprover.h"

// primitives are CBMC's functions that programs use without a declaration: the names in our header, except assumptions
// and assertions. clang takes an undeclared function for one that returns `int` and has unknown parameters. That is
// wrong for CBMC's functions, except for assumptions and assertions.
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

// namesOfCBMC returns the identifiers of a text with CBMC's prefix, each with its end. (A regular expression takes 20
// ns per byte.)
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

// declaredByCBMC returns the functions with CBMC's prefix that a module declares. The value is true for functions
// without parameters, as clang declares a function that is called undeclared.
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

// callsUndeclared reports whether a module calls primitives that were not declared.
func callsUndeclared(module []byte) bool {
	for name, undeclared := range declaredByCBMC(module) {
		if undeclared && primitives()[name] {
			return true
		}
	}
	return false
}

// namesPrimitive reports whether a text contains the name of a primitive.
func namesPrimitive(text []byte) bool {
	for name := range namesOfCBMC(text) {
		if primitives()[name] {
			return true
		}
	}
	return false
}

// dialect returns further options for a unit that was written for another compiler, in addition to the options in more.
// output and stderr come from a compilation that may have failed.
func (c *compilation) dialect(u Unit, output []byte, stderr string, more []string) (
	further []string, note *found.Assumption) {
	if !slices.Contains(more, "-include") &&
		(callsUndeclared(output) || stderr != "" && c.complainsOf(u, stderr, mentionsCPROVER)) {
		return []string{"-include", filepath.Join(c.headers, cproverHeaderName)}, nil
	}
	// The file defines a function that glibc's checking macros call. They are off here, so nothing calls it.
	for _, m := range redefined.FindAllStringSubmatch(stderr, -1) {
		define := fmt.Sprintf("-D%s=unitproof_redefined_%s", m[1], m[1])
		if !slices.Contains(more, define) && !slices.Contains(further, define) {
			further = append(further, define)
			note = &found.Assumption{What: found.OwnBuiltin, Name: m[1], At: found.Pos{File: u.path()}}
		}
	}
	return further, note
}

// guessDialect returns the options that dialect would derive from a compilation, as far as the texts show them, which
// saves that compilation. Superfluous options have no effect. If they cause an error, the file has the declarations
// itself and is compiled without them.
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

// headerAsks reports whether a file that a unit read, except its own, tests whether a name of CBMC's is defined. With
// our header included first, it got the wrong answer.
func (c *compilation) headerAsks(u Unit, files []string) bool {
	return slices.ContainsFunc(files, func(f string) bool {
		if f == u.path() || filepath.Base(f) == cproverHeaderName {
			return false
		}
		text, err := c.read(f)
		return err == nil && bytes.Contains(text, []byte(cproverPrefix)) && asksForPrimitive.Match(text)
	})
}

// asksForPrimitive matches a test whether a name of CBMC's is defined. The correct answer is no, unless the program
// declares it itself.
var asksForPrimitive = lazyregexp.New(`(?m)^[ \t]*#[ \t]*(?:if|ifdef|ifndef|elif)\b.*__CPROVER_`)

var redefined = lazyregexp.New(`(?:definition of|cannot redeclare) builtin function '(\w+)'`)

// complainsOf reports whether clang's message mentions something. The line of a message and the line of a macro that
// was expanded there count, too.
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

// mentionsCPROVER reports whether a text has a name with CBMC's prefix.
func mentionsCPROVER(text []byte) bool { return bytes.Contains(text, []byte(cproverPrefix)) }
