package diagnostics

import (
	"path"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/diagnostics/paths"
)

// relativeText shortens the paths below root that occur in a sentence of the engine.
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
		// A path starts here only if no other path component stands before it.
		if i > 0 && (csource.IsIdentByte(text[i-1]) || text[i-1] == '.' || text[i-1] == '-') {
			b.WriteString(prefix)
		}
		text = text[i+len(prefix):]
	}
}
