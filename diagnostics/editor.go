package diagnostics

import (
	"github.com/unitproof/unitproof/vcgen/found"
)

// What editors say in the same words as the command line.

// Assuming names a proof's assumptions in a few words, ready to follow the verdict:
// ", assuming no body for f"; "" when there are none.
func (p *Proof) Assuming() string { return assuming(p) }

// Duration writes milliseconds for people: "0.31 s", "12.4 s", "2 min 05 s".
func Duration(ms int64) string { return duration(ms) }

// Explain gives the title of a kind ("Null dereference") and a sentence on what is checked.
func Explain(k found.Kind) (title, help string) {
	info := k.Info()
	return info.Title, info.Help
}
