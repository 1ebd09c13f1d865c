package lsp

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/editing"
	"github.com/unitproof/unitproof/lsp/rpc"
	"github.com/unitproof/unitproof/vcgen/found"
)

// The call hierarchy "proved by". The incoming calls of a function are the proofs that execute it, directly or not;
// its outgoing calls are the functions that it calls in these proofs. Both come from the call paths of the findings.

// hierarchyData identifies an item of the call hierarchy. Proof is set for the entry of a proof.
type hierarchyData struct {
	Path     string `json:"path"`
	Function string `json:"function"`
	Proof    string `json:"proof,omitempty"`
}

func (d hierarchyData) function() executedFunction { return executedFunction{d.Path, d.Function} }

// callSite is a place in the results of a proof at which a function is called.
type callSite struct {
	file string
	line int
}

// prepareHierarchy returns the function whose name is at a position: a proof's entry, or one that proofs execute. It
// returns nil for all others, which other servers describe.
func (v *view) prepareHierarchy(_ context.Context, p *positionParams) ([]protocol.CallHierarchyItem, error) {
	path, ok := pathOf(p.TextDocument.URI)
	d := v.docs[path]
	if !ok || d == nil || v.snapshot == nil {
		return nil, nil
	}
	name := d.text.wordAt(d.text.offset(p.Position, v.encoding))
	if name == "" {
		return nil, nil
	}
	for _, proof := range v.proofsAt(path) {
		if proof.Proof.Entry == name {
			return []protocol.CallHierarchyItem{v.proofItem(proof)}, nil
		}
	}
	known := map[executedFunction]bool{}
	for _, proof := range v.proofs() {
		for at := range v.executes(proof) {
			if at.name == name {
				known[at] = true
			}
		}
	}
	if here := (executedFunction{path, name}); known[here] { // a static one hides those of other files
		known = map[executedFunction]bool{here: true}
	}
	var items []protocol.CallHierarchyItem
	for _, at := range slices.SortedFunc(maps.Keys(known), compareFunctions) {
		if item, ok := v.functionItem(at); ok {
			items = append(items, item)
		}
	}
	return items, nil
}

func compareFunctions(a, b executedFunction) int {
	return cmp.Or(strings.Compare(a.path, b.path), strings.Compare(a.name, b.name))
}

// wordAt returns the identifier around an offset, "" if there is none.
func (t *text) wordAt(offset int) string {
	start, end := offset, offset
	for start > 0 && csource.IsIdentByte(t.data[start-1]) {
		start--
	}
	for end < len(t.data) && csource.IsIdentByte(t.data[end]) {
		end++
	}
	return string(t.data[start:end])
}

// proofItem returns the entry of a proof as an item of the hierarchy.
func (v *view) proofItem(p *editing.ProofState) protocol.CallHierarchyItem {
	at := v.entry(p)
	item := protocol.CallHierarchyItem{Name: p.Proof.Name, Kind: protocol.SymbolKindFunction, Detail: v.proofTitle(p),
		URI: v.uri(at.path), Range: at.span, SelectionRange: at.span,
		Data: hierarchyData{Path: p.Proof.File, Function: p.Proof.Entry, Proof: string(p.ID)}}
	if t := v.text(at.path); t != nil {
		if f, ok := entryOf(p, at.path, t); ok {
			item.Range = t.span(f.Start, f.End, v.encoding)
		}
	}
	return item
}

// functionItem returns a function that proofs execute as an item; ok is false if its text is gone.
func (v *view) functionItem(at executedFunction) (item protocol.CallHierarchyItem, ok bool) {
	t := v.text(at.path)
	if t == nil {
		return item, false
	}
	f, ok := t.source.Function(at.name)
	if !ok {
		return item, false
	}
	return protocol.CallHierarchyItem{Name: at.name, Kind: protocol.SymbolKindFunction,
		Detail: v.coverTitle(v.coversFunction(at)), URI: v.uri(at.path),
		Range: t.span(f.Start, f.End, v.encoding), SelectionRange: t.span(f.NameStart, f.NameEnd, v.encoding),
		Data: hierarchyData{Path: at.path, Function: at.name}}, true
}

// hierarchyParams are the parameters of callHierarchy/incomingCalls and callHierarchy/outgoingCalls.
type hierarchyParams struct {
	Item struct {
		Data json.RawMessage `json:"data"`
	} `json:"item"`
}

func (p *hierarchyParams) data() (d hierarchyData, err error) {
	if json.Unmarshal(p.Item.Data, &d) != nil || d.Function == "" {
		return d, rpc.Failure(rpc.RequestFailed, "an item of another server")
	}
	return d, nil
}

// eachPath calls visit with each call path of a proof, from its entry to a place that an execution reaches.
// functions[i] calls functions[i+1] at sites[i].
func eachPath(p *editing.ProofState, visit func(functions []executedFunction, sites []callSite)) {
	if p.Result == nil {
		return
	}
	for i := range p.Result.Obligations {
		f := &p.Result.Obligations[i]
		if f.Verdict == found.Unreached {
			continue
		}
		functions, sites := pathOfFinding(p, f)
		visit(functions, sites)
	}
}

func pathOfFinding(p *editing.ProofState, f *diagnostics.Finding) (functions []executedFunction, sites []callSite) {
	for _, c := range f.CallPath {
		functions = append(functions, executedFunction{fileOf(p, c.File), c.Function})
		sites = append(sites, callSite{c.File, c.Line})
	}
	return append(functions, executedFunction{fileOf(p, f.File), f.Function}), sites
}

// incomingCalls returns the proofs that execute a function, with the calls in their entries that lead to it.
func (v *view) incomingCalls(_ context.Context, q *hierarchyParams) ([]protocol.CallHierarchyIncomingCall, error) {
	calls := []protocol.CallHierarchyIncomingCall{}
	data, err := q.data()
	if err != nil || data.Proof != "" { // nothing calls the entry of a proof
		return calls, err
	}
	for _, c := range v.coversFunction(data.function()) {
		sites := map[callSite]bool{}
		eachPath(c.proof, func(functions []executedFunction, at []callSite) {
			if i := slices.Index(functions, data.function()); i > 0 {
				sites[at[0]] = true
			}
		})
		calls = append(calls, protocol.CallHierarchyIncomingCall{From: v.proofItem(c.proof),
			FromRanges: v.siteRanges(c.proof, sites)})
	}
	return calls, nil
}

// outgoingCalls returns the functions that a function calls in the proofs that execute it.
func (v *view) outgoingCalls(_ context.Context, q *hierarchyParams) ([]protocol.CallHierarchyOutgoingCall, error) {
	calls := []protocol.CallHierarchyOutgoingCall{}
	data, err := q.data()
	if err != nil {
		return calls, err
	}
	ranges := map[executedFunction][]protocol.Range{}
	for _, p := range v.proofs() {
		if data.Proof != "" && string(p.ID) != data.Proof {
			continue
		}
		sites := map[executedFunction]map[callSite]bool{}
		eachPath(p, func(functions []executedFunction, at []callSite) {
			for i, f := range functions[:len(functions)-1] {
				if f == data.function() {
					callee := functions[i+1]
					if sites[callee] == nil {
						sites[callee] = map[callSite]bool{}
					}
					sites[callee][at[i]] = true
				}
			}
		})
		for callee, places := range sites {
			for _, r := range v.siteRanges(p, places) {
				if !slices.Contains(ranges[callee], r) {
					ranges[callee] = append(ranges[callee], r)
				}
			}
		}
	}
	for _, callee := range slices.SortedFunc(maps.Keys(ranges), compareFunctions) {
		if item, ok := v.functionItem(callee); ok {
			slices.SortFunc(ranges[callee], func(a, b protocol.Range) int { return comparePositions(a.Start, b.Start) })
			calls = append(calls, protocol.CallHierarchyOutgoingCall{To: item, FromRanges: ranges[callee]})
		}
	}
	return calls, nil
}

// siteRanges returns the lines of calls in the current text, sorted.
func (v *view) siteRanges(p *editing.ProofState, sites map[callSite]bool) []protocol.Range {
	out := []protocol.Range{}
	for s := range sites {
		if at, ok := v.find(p, point{file: s.file, line: s.line}); ok && s.line > 0 && !slices.Contains(out, at.span) {
			out = append(out, at.span)
		}
	}
	slices.SortFunc(out, func(a, b protocol.Range) int { return comparePositions(a.Start, b.Start) })
	return out
}
