package harness

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// globals makes variables arbitrary that other functions of the file write.
func (w *writer) globals() {
	for _, g := range w.Program.Globals {
		if !w.changes(g) {
			continue
		}
		if !w.Include && !g.External && w.inFile(g) { // to name it, the proof has to include the file
			w.Include = true
		}
		if w.visible(g) {
			w.line(fmt.Sprintf("memhavoc(&%s, sizeof %s);", g.SourceName, g.SourceName), "other functions write it")
		}
	}
}

// changes reports whether functions of the file write a variable that can have any content.
func (w *writer) changes(g *llvmir.Global) bool {
	if g.Constant || g.DIType == nil || g.SourceName == "" || strings.Contains(g.SourceName, ".") ||
		w.hasPointers(g.DIType, 0) || g.DIType.Const {
		return false
	}
	writes := regexp.MustCompile(`\b` + regexp.QuoteMeta(g.SourceName) +
		`\b\s*(?:\[[^\]]*\]|\.\w+)*\s*(?:=[^=]|[-+*/|&^]=|\+\+|--)`)
	written := len(writes.FindAllIndex(w.Text, 3))
	initialised := regexp.MustCompile(outsideFunctions + regexp.QuoteMeta(g.SourceName) +
		`\b[^;=()]*=`)
	if initialised.Match(w.Text) {
		written--
	}
	return written > 0
}

// inFile reports whether the function's file declares a variable outside its functions.
func (w *writer) inFile(g *llvmir.Global) bool { return outside(g.SourceName).Match(w.Text) }

// outsideFunctions is the first part of the pattern for a declaration outside functions, up to the name.
const outsideFunctions = `(?m)^(?:static\s+|extern\s+)?[A-Za-z_][\w\s*]*\b`

// outside returns the pattern for a declaration of a variable outside functions.
func outside(name string) *regexp.Regexp {
	return regexp.MustCompile(outsideFunctions + regexp.QuoteMeta(name) + `\b\s*[=;\[]`)
}

// visible reports whether the proof can name a variable.
func (w *writer) visible(g *llvmir.Global) bool {
	if w.Include {
		return w.inFile(g)
	}
	return g.External && slices.ContainsFunc(w.Texts, outside(g.SourceName).Match)
}
