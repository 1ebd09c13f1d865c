package kit

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/pipeline/cflags"
	"github.com/unitproof/unitproof/vcgen"
)

// table is a table of unitproof.toml that import writes.
type table struct {
	key   string // the folder of a proof, or the name of shared settings
	lines []string
}

// The keys of the tables with settings that all proofs share.
const (
	compileKey = "what all proofs are compiled with"
	checkKey   = "what holds for all proofs"
)

// tables returns the tables of the proofs that can be checked. without are tables that the user wrote: their settings
// are written to each proof.
func (k *Kits) tables(without map[string]bool) []table {
	var written []*Proof
	contracts := false
	for i := range k.Proofs {
		if p := &k.Proofs[i]; p.Missing == "" {
			written = append(written, p)
			contracts = contracts || p.Contract != "" || len(p.UseContracts) > 0
		}
	}
	var list []table
	var shared []string
	if !without["[compile]"] {
		shared = commonFlags(written)
	}
	if len(shared) > 0 {
		list = append(list, table{compileKey, append([]string{"[compile]"}, k.list("flags", k.flags(shared))...)})
	}
	// In CBMC's proofs, a function without a body returns any value and writes nothing, and only a proof's own setting
	// replaces calls by contracts.
	check := []string{`missing-body = "pure"`}
	if contracts {
		check = append(check, `contracts = "inline"`)
	}
	var checks string
	if !without["[check]"] {
		if checks = commonChecks(written); checks != "" {
			check = append(check, checks)
		}
		var lines []string
		for _, note := range k.Notes {
			lines = append(lines, comment+note)
		}
		list = append(list, table{checkKey, slices.Concat(lines, []string{"[check]"}, check)})
		check = nil
	}
	for _, p := range written {
		list = append(list, table{p.Key, k.proofTable(p, shared, check, checks)})
	}
	return list
}

// commonFlags returns the flags that all proofs share: the common prefix, since the order of folders is significant,
// and the macros that all proofs define in the same way.
func commonFlags(proofs []*Proof) (shared []string) {
	if len(proofs) < 2 {
		return nil
	}
	prefix := proofs[0].Flags
	macros := map[string]map[string]int{} // by name: their definitions with the number of proofs
	for _, p := range proofs {
		n := 0
		for n < min(len(prefix), len(p.Flags)) && prefix[n] == p.Flags[n] {
			n++
		}
		prefix = prefix[:n]
		for _, m := range p.Macros {
			name, _, _ := strings.Cut(strings.TrimLeft(m[2:], " "), "=")
			if macros[name] == nil {
				macros[name] = map[string]int{}
			}
			macros[name][m]++
		}
	}
	shared = slices.Clone(prefix)
	for _, m := range proofs[0].Macros {
		name, _, _ := strings.Cut(m[2:], "=")
		if len(macros[name]) == 1 && macros[name][m] == len(proofs) {
			shared = append(shared, m)
		}
	}
	return shared
}

// without returns the flags of a proof except the shared ones.
func (p *Proof) without(shared []string) []string {
	n := 0
	for n < min(len(shared), len(p.Flags)) && shared[n] == p.Flags[n] {
		n++
	}
	flags := slices.Clone(p.Flags[n:])
	for _, m := range p.Macros {
		if !slices.Contains(shared, m) {
			flags = append(flags, m)
		}
	}
	return flags
}

// commonChecks returns the kinds that all proofs check, if they agree.
func commonChecks(proofs []*Proof) string {
	for _, p := range proofs {
		if p.checks() != proofs[0].checks() {
			return ""
		}
	}
	if len(proofs) == 0 {
		return ""
	}
	return proofs[0].checks()
}

// checks returns the value of the key checks, or "" if it is not needed.
func (p *Proof) checks() string {
	var list []string
	for _, kind := range slices.Sorted(maps.Keys(p.Checks)) {
		list = append(list, fmt.Sprintf("%s = %v", kind, p.Checks[kind]))
	}
	if len(list) == 0 {
		return ""
	}
	return "checks = { " + strings.Join(list, ", ") + " }"
}

// proofTable returns the table of a proof, without the shared settings.
func (k *Kits) proofTable(p *Proof, shared, check []string, checks string) []string {
	var lines []string
	for _, note := range p.Notes {
		lines = append(lines, comment+note)
	}
	lines = append(lines, "[[proof]]", "name = "+quote(p.Name), "file = "+quote(k.show(p.File)),
		"entry = "+quote(p.Entry))
	if p.Contract != "" { // the harness only calls the function
		lines[len(lines)-1] = "contract = " + quote(p.Contract)
	}
	lines = append(lines, k.list("use-contracts", p.UseContracts)...)
	lines = append(lines, k.list("sources", k.shown(p.Sources))...)
	if len(p.Sources) == 0 {
		lines = append(lines, "sources = []")
	}
	lines = append(lines, k.list("override", k.shown(p.Override))...)
	lines = append(lines, k.list("remove-bodies", p.RemoveBodies)...)
	lines = append(lines, k.list("flags", k.flags(p.without(shared)))...)
	lines = append(lines, check...)
	if p.NondetStatic {
		lines = append(lines, "nondet-static = true")
	}
	if !p.MallocCanFail {
		lines = append(lines, "malloc-may-fail = false")
	}
	if c := p.checks(); c != checks {
		lines = append(lines, c)
	}
	if p.MaxUnwind > vcgen.DefaultMaxUnwind {
		lines = append(lines, fmt.Sprintf("max-unwind = %d", p.MaxUnwind))
	}
	if p.Expect != "" {
		lines = append(lines, "expect = "+quote(string(p.Expect)))
	}
	return lines
}

// ownKeys are the keys that import writes; other keys in a table were written by the user.
var ownKeys = []string{"name", "file", "entry", "contract", "use-contracts", "sources", "override", "remove-bodies",
	"flags", "missing-body", "contracts", "nondet-static", "malloc-may-fail", "checks", "max-unwind",
	"expect"}

func (k *Kits) shown(paths []string) (list []string) {
	for _, path := range paths {
		list = append(list, k.show(path))
	}
	return list
}

// flags returns compiler flags with paths relative to the root.
func (k *Kits) flags(words []string) (list []string) {
	options, positional := cflags.Parse(words)
	for i := range options {
		o := &options[i]
		if o.IsPath() && filepath.IsAbs(o.Value) {
			list = append(list, o.With(k.show(o.Value))...)
		} else {
			list = append(list, o.Words...)
		}
	}
	return append(list, positional...)
}

// list returns a key with a list, on one line if it is short.
func (k *Kits) list(key string, words []string) []string {
	if len(words) == 0 {
		return nil
	}
	var quoted []string
	for _, w := range words {
		quoted = append(quoted, quote(w))
	}
	if line := key + " = [" + strings.Join(quoted, ", ") + "]"; len(line) <= 100 {
		return []string{line}
	}
	lines := []string{key + " = ["}
	for _, q := range quoted {
		lines = append(lines, "  "+q+",")
	}
	return append(lines, "]")
}

// quote returns a TOML string.
func quote(s string) string {
	var out strings.Builder
	out.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			out.WriteByte('\\')
			out.WriteRune(r)
		case r < 0x20 || r == 0x7f:
			fmt.Fprintf(&out, `\u%04X`, r)
		default:
			out.WriteRune(r)
		}
	}
	return out.String() + `"`
}
