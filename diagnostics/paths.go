package diagnostics

import (
	"path"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/diagnostics/phrase"
	"github.com/unitproof/unitproof/vcgen/found"
)

// relativeText makes absolute paths in a sentence of the engine relative to root.
func relativeText(root paths.Root, text string) string {
	if root == "" || path.Clean(string(root)) == "/" || !strings.Contains(text, string(root)) {
		return text
	}
	prefix := path.Clean(string(root)) + "/"
	var b strings.Builder
	for {
		i := strings.Index(text, prefix)
		if i < 0 {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:i])
		// A path starts here only if no other path component precedes it.
		if i > 0 && (csource.IsIdentByte(text[i-1]) || text[i-1] == '.' || text[i-1] == '-') {
			b.WriteString(prefix)
		}
		text = text[i+len(prefix):]
	}
}

// relativeReason returns the reason with file names relative to root.
func relativeReason(root paths.Root, r found.Reason) found.Reason {
	r.At.File = root.Show(r.At.File)
	r.Text = relativeText(root, r.Text)
	if r.Cause != nil {
		cause := relativeReason(root, *r.Cause)
		r.Cause = &cause
	}
	return r
}

// relativeAssumption returns the assumption with file names relative to root.
func relativeAssumption(root paths.Root, a found.Assumption) found.Assumption {
	a.At.File, a.Other.File = root.Show(a.At.File), root.Show(a.Other.File)
	if a.What == found.OneOfSeveral || a.What == found.ExternalCounts {
		files := make([]string, len(a.Names))
		for i, f := range a.Names {
			files[i] = root.Show(f)
		}
		a.Names = files
	}
	return a
}

// ShownName returns the displayed name of a file or a proof, on one line.
func ShownName(name string) string { return phrase.Name(name) }
