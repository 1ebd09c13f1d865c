package diagnostics

import (
	"github.com/unitproof/unitproof/vcgen/found"
)

// Editors and the command line share these texts.

// Assuming names a proof's assumptions in a few words that can follow the verdict: ", assuming no body for f". It
// returns "" if there are none.
func (p *Proof) Assuming() string { return assuming(p) }

// Duration formats milliseconds for people: "0.31 s", "12.4 s", "2 min 05 s".
func Duration(ms int64) string { return duration(ms) }

// Explain returns the title of a kind ("Null dereference") and a sentence about the check.
func Explain(k found.Kind) (title, help string) {
	info := k.Info()
	return info.Title, info.Help
}
