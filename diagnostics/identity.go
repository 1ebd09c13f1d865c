package diagnostics

import (
	"crypto/sha256"
	"encoding/hex"
	"github.com/unitproof/unitproof/diagnostics/source"
	"strconv"
)

// assignIDs gives findings, sorted by place, their ids: the function, the kind, the code on the
// line and the ordinal among those that are equal so far. An edit elsewhere, a reformatting or a new
// comment changes none of these.
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
