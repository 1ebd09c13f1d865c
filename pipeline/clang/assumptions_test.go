package clang

import (
	"fmt"
	"path/filepath"

	"github.com/unitproof/unitproof/vcgen/found"
)

// told formats assumptions in short form: "p.c:3 stand-in f s.c:2".
func sentences(list []found.Assumption) []string {
	var out []string
	for _, a := range list {
		text := fmt.Sprintf("%s:%d %s", filepath.Base(a.At.File), a.At.Line, a.What)
		if a.Name != "" {
			text += " " + a.Name
		}
		if a.Other.File != "" {
			text += fmt.Sprintf(" %s:%d", filepath.Base(a.Other.File), a.Other.Line)
		}
		for _, n := range a.Names {
			text += " " + filepath.Base(n)
		}
		for _, k := range a.Kinds {
			text += " " + string(k)
		}
		out = append(out, text)
	}
	return out
}
