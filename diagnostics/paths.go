package diagnostics

import (
	"path"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/csource"
)

// relative names file relative to root where it lies below it; other names are only cleaned.
// Both use forward slashes.
func relative(root, file string) string {
	if file == "" {
		return ""
	}
	file = path.Clean(file)
	if root == "" {
		return file
	}
	root = path.Clean(root)
	if root == "/" {
		return file // everything lies below it, and nothing gets clearer
	}
	if rest, below := strings.CutPrefix(file, root+"/"); below {
		return rest
	}
	return file
}

// relativeText shortens the paths below root that occur in a sentence of the engine.
func relativeText(root, text string) string {
	if root == "" || path.Clean(root) == "/" || !strings.Contains(text, root) {
		return text
	}
	prefix := path.Clean(root) + "/"
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
