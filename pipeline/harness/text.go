package harness

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/pipeline/lazyregexp"
)

func (w *writer) header(name string) {
	if !slices.Contains(w.headers, name) {
		w.headers = append(w.headers, name)
	}
}

// includes returns the lines that declare the types and the function.
func (w *writer) includes() []string {
	lines := w.ownIncludes()
	for _, h := range w.Headers {
		if rel, err := filepath.Rel(w.Dir, h); err == nil && !w.Compare {
			h = filepath.ToSlash(rel)
		}
		if line := fmt.Sprintf("#include %q", h); !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return lines
}

// ownIncludes returns those of the function's file.
func (w *writer) ownIncludes() []string {
	path := func(to string) string {
		if rel, err := filepath.Rel(w.Dir, to); err == nil && !w.Compare { // __FILE__ has to be that of both versions
			return filepath.ToSlash(rel)
		}
		return to
	}
	if w.Include {
		var lines []string
		// A macro may give it the name in a comparison.
		if (definesMain.Match(w.Text) || w.Compare) && w.Function != "main" {
			return append(lines, "#define main program_main", fmt.Sprintf("#include %q", path(w.File)), "#undef main")
		}
		return append(lines, fmt.Sprintf("#include %q", path(w.File)))
	}
	var lines []string
	depth := 0
	for _, line := range strings.Split(string(w.Text), "\n") {
		m := directive.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		switch m[1] {
		case "if", "ifdef", "ifndef":
			depth++
		case "endif":
			depth--
		case "include":
			name := strings.TrimSpace(m[2])
			if i := strings.IndexAny(name[min(1, len(name)):], "\">"); i >= 0 {
				name = name[:i+2]
			}
			if depth > 0 || len(name) < 3 || name == "<unitproof.h>" || name == "<stdlib.h>" {
				continue
			}
			if !w.AllHeaders && w.declared() && w.needless(name) {
				continue
			}
			if name[0] == '"' {
				if sibling := filepath.Join(filepath.Dir(w.File), name[1:len(name)-1]); w.Own(sibling) {
					name = fmt.Sprintf("%q", path(sibling))
				}
			}
			if line := "#include " + name; !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// needless reports whether a header declares nothing but functions and macros that the proof does not use. A header
// of the project may depend on it: then the proof needs Request.AllHeaders.
func (w *writer) needless(name string) bool {
	switch name {
	case "<assert.h>", "<ctype.h>", "<errno.h>", "<limits.h>", "<math.h>", "<string.h>", "<strings.h>", "<stdint.h>",
		"<stdbool.h>", "<stddef.h>", "<stdarg.h>", "<unistd.h>", "<fcntl.h>", "<float.h>", "<inttypes.h>", "<signal.h>":
		return true
	}
	return slices.Contains(w.headers, name)
}

// featureMacros returns the lines before the first header of an included file that choose what system headers declare.
func (w *writer) featureMacros() (lines []string) {
	for line := range strings.Lines(string(w.Text)) {
		if m := directive.FindStringSubmatch(line); m != nil && m[1] == "include" {
			break
		}
		if featureMacro.MatchString(line) {
			lines = append(lines, "#ifndef "+strings.Fields(line)[1], strings.TrimSpace(line), "#endif")
		}
	}
	return lines
}

var (
	featureMacro = lazyregexp.New(`^#define\s+_[A-Z0-9_]*(?:SOURCE|_BITS)\b`)

	directive   = lazyregexp.New(`^\s*#\s*(if|ifdef|ifndef|endif|include)\b\s*(.*)$`)
	definesMain = lazyregexp.New(`(?m)^\s*(?:int\s+|void\s+)?main\s*\(`)
)

// prototype declares the function like its definition, if no header does.
func (w *writer) prototype() string {
	var params []string
	for _, p := range w.params {
		if isList(p.typ) {
			params = append(params, "va_list")
			continue
		}
		params = append(params, declare(plain(p.typ), ""))
	}
	if w.f.Variadic {
		params = append(params, "...")
	}
	if len(params) == 0 {
		params = []string{"void"}
	}
	return declare(w.f.RetDIType, w.Function+"("+strings.Join(params, ", ")+")") + ";"
}

// declared reports whether a header of the project declares the function.
func (w *writer) declared() bool {
	pattern := regexp.MustCompile(`\b` + regexp.QuoteMeta(w.Function) + `\s*\)?\s*\(`)
	return slices.ContainsFunc(w.Texts, func(text []byte) bool { return pattern.Match(text) })
}

// file returns the text of the proof.
func (w *writer) file() string {
	var b strings.Builder
	fmt.Fprintf(&b, "/*\n * %s: memory safety and defined behaviour for all arguments below.\n"+
		" * Written by \"unitproof new\"; open questions stand in comments.\n */\n", w.Function)
	if w.Include {
		for _, line := range w.featureMacros() {
			b.WriteString(line + "\n")
		}
	}
	b.WriteString("#include <stdlib.h>\n#include <unitproof.h>\n")
	for _, h := range w.headers {
		fmt.Fprintf(&b, "#include %s\n", h)
	}
	declarations := ""
	for _, line := range w.includes() {
		declarations += line + "\n"
	}
	if !w.Include {
		b.WriteString(declarations)
	}
	b.WriteString("\n")
	if w.sized {
		note := "elements of an array, characters of a string"
		if w.Note != "" {
			note += ": " + w.Note
		}
		fmt.Fprintf(&b, "#ifndef %s\n#define %s %d /* %s */\n#endif\n", SizeMacro, SizeMacro, w.Size, note)
	}
	if !w.Include && !w.declared() {
		b.WriteString(w.prototype() + "\n")
	}
	b.WriteString("\n")
	if w.block || w.text {
		b.WriteString("static void *any_block(size_t n) {\n  void *p = malloc(n);\n  assume(p != NULL);\n" +
			"  memhavoc(p, n);\n  return p;\n}\n\n")
	}
	if w.text {
		fmt.Fprintf(&b, "static char *any_string(void) {\n  size_t n = nd_size_t();\n  assume(n <= %s);\n"+
			"  char *s = any_block(n + 1);\n  s[n] = 0;\n  return s;\n}\n\n", SizeMacro)
	}
	if w.Include { // behind the functions above: it may have its own macros malloc and assume
		b.WriteString(declarations + "\n")
	}
	for _, s := range slices.Concat(w.stubs, w.builders) {
		b.WriteString(s + "\n")
	}
	b.WriteString("int main(void) {\n")
	indent := "  "
	if len(w.body) > 0 && w.body[0] == "" {
		w.body = w.body[1:]
	}
	for _, line := range w.body {
		if line == "}" {
			indent = indent[2:]
		}
		if line == "" {
			b.WriteString("\n")
		} else {
			b.WriteString(indent + line + "\n")
		}
		if strings.HasSuffix(line, "{") {
			indent += "  "
		}
	}
	b.WriteString("  return 0;\n}\n")
	return strings.ReplaceAll(b.String(), "\n\n\n", "\n\n")
}
