package diagnostics

import (
	"crypto/sha256"
	"encoding/hex"
	"github.com/unitproof/unitproof/diagnostics/source"
	"strconv"
)

// assignIDs sets the IDs of findings that are sorted by position. An ID is a hash of the function, the kind, the code
// on the line and the ordinal among findings that are equal in these, so that edits elsewhere, reformatting and
// comments do not change it.
func assignIDs(findings []Finding, sources *source.Cache) {
	seen := map[string]int{}
	for i := range findings {
		f := &findings[i]
		key := f.Function + "\x00" + string(f.Kind) + "\x00" + sources.File(f.File).CodeLine(f.Line)
		ordinal := seen[key]
		seen[key]++
		sum := sha256.Sum256([]byte(key + "\x00" + strconv.Itoa(ordinal)))
		f.ID = hex.EncodeToString(sum[:6])
	}
}
