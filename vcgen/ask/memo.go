package ask

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"slices"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// Memo caches the answers of queries across runs, by the structure of the query (smt.Canon). A key contains no file,
// line, name or handle, so that a comment, a renamed variable or another order of functions leaves all answers valid.
// These answers are cached:
//
//   - Unsat, with the contradicting conditions if they were computed.
//   - Sat, with the model, which is evaluated again before it is used.
//   - A step limit, under the exact form of the query including the order of terms, for which a solver repeats the
//     same steps.
//   - Cancelled, with the work so far, if the run ended because it was complete without the answer, or because its
//     round's budget was used up.
//
// Other ends, by time, by cancelling or by a failure, are not cached.
//
// A Memo is encoded as segments, one per run that solved something new. It is not safe for concurrent use.
type Memo struct {
	all    *answers
	models []*assignment // of earlier runs, the newest first
	old    [][]byte      // encoded segments as loaded, the newest first

	// The current run.
	known map[smt.Digest]*answer // those of all that were looked up
	canon *smt.Canon
	used  []*answer
	sets  setTable
	fresh bool // the run has an answer that is in no segment
	// asides are the memos of additional runs, with their own contexts, that belong to this run.
	asides []*Memo
	sealed [][]byte // the segments of a run that has ended
}

// answers are the cached answers and those of this process. All runs of a proof share them. Otherwise, two runs that
// solve the same query could find different models. A later process would know only one, and take another course.
type answers struct {
	known map[smt.Digest]*answer // of no run
	// limited are the queries, by the digests of their sets, for which a step limit is known.
	limited map[smt.Digest]bool
}

// answer is the cached answer to a query.
type answer struct {
	key    smt.Digest
	set    int // in the sets of the run; -1: of no run
	is     smt.Answer
	model  *assignment
	core   []smt.Digest // of the contradicting terms
	budget int64        // of a StepLimit
	of     smt.Digest   // the set of the query of a StepLimit
	effort effort
	steps  int64
	used   bool // in the run
	ours   bool // solved in this process, so that recalling it is no cache hit
}

// assignment is a model in terms of context-independent symbols.
type assignment struct {
	vars  []symbolValue
	funcs []functionPoint
}

type symbolValue struct {
	id    smt.Digest
	value smt.Value
}

type functionPoint struct {
	id       smt.Digest
	arg, res smt.Value
}

// NewMemo returns a Memo with the answers of the segments (see Segments), the newest first. Unreadable segments are
// skipped.
func NewMemo(segments [][]byte) *Memo {
	m := &Memo{all: &answers{known: map[smt.Digest]*answer{}, limited: map[smt.Digest]bool{}},
		known: map[smt.Digest]*answer{}}
	for _, data := range segments {
		seg, err := decodeSegment(data)
		if err != nil {
			continue
		}
		m.old = append(m.old, data)
		for _, a := range seg.answers {
			// A query that was repeated with a larger budget has two step limits, and the larger one contains the other.
			newer := m.all.known[a.key]
			if newer == nil || newer.is == smt.StepLimit && a.is == smt.StepLimit && newer.budget < a.budget {
				m.all.add(a)
			}
		}
		m.models = append(m.models, seg.models...)
	}
	return m
}

// Changed reports whether the run solved something that was not cached.
func (m *Memo) Changed() bool { return m.fresh || slices.ContainsFunc(m.asides, (*Memo).Changed) }

// maxSegmentsKept bounds the number of segments, and so the number of runs that an unused answer survives. All
// segments of the last run are kept.
const maxSegmentsKept = 4

// Segments returns the segments for the next call of NewMemo: the answers that this run solved or used, and older
// segments.
func (m *Memo) Segments() ([][]byte, error) {
	if !m.Changed() {
		return m.old, nil
	}
	out, err := m.written()
	if err != nil {
		return nil, err
	}
	return JoinSegments(out, m.old), nil
}

// JoinSegments returns the segments of a run followed by the older ones, up to maxSegmentsKept.
func JoinSegments(run, before [][]byte) [][]byte {
	out := slices.Clip(run)
	for _, data := range before {
		if len(out) >= maxSegmentsKept {
			break
		}
		if !slices.ContainsFunc(run, func(other []byte) bool { return bytes.Equal(data, other) }) {
			out = append(out, data)
		}
	}
	return out
}

// written returns the segments of this run and of its asides.
func (m *Memo) written() (out [][]byte, err error) {
	if len(m.used) > 0 {
		data, err := m.encodeSegment()
		if err != nil {
			return nil, err
		}
		out = append(out, data)
	}
	for _, aside := range m.asides {
		data, err := aside.written()
		if err != nil {
			return nil, err
		}
		out = append(out, data...)
	}
	return append(out, m.sealed...), nil
}

// Seal encodes the segments of a run that has ended, and drops all references to its terms.
func (m *Memo) Seal() {
	data, err := m.written()
	if err != nil {
		data = nil // the queries will be solved again
	}
	*m = Memo{sealed: data, fresh: m.Changed()}
}

// setTable holds the queries of a run, as sets of terms and of other sets.
type setTable struct {
	list []setRecord
	at   map[smt.Digest]int
}

type setRecord struct {
	kind    string
	terms   []smt.Term
	subsets []int
	digest  smt.Digest
}

// set adds a set and returns its number.
func (m *Memo) set(kind string, terms []smt.Term, subsets []int) int {
	var below []smt.Digest
	for _, s := range subsets {
		below = append(below, m.sets.list[s].digest)
	}
	d := m.canon.Set(kind, terms, below)
	if i, ok := m.sets.at[d]; ok {
		return i
	}
	m.sets.at[d] = len(m.sets.list)
	m.sets.list = append(m.sets.list, setRecord{kind, slices.Clone(terms), slices.Clone(subsets), d})
	return len(m.sets.list) - 1
}

// begin starts a run over the terms of a context.
func (m *Memo) begin(c *smt.Context) {
	m.canon = c.NewCanon()
	m.sets = setTable{at: map[smt.Digest]int{}}
	m.used, m.fresh, m.asides = nil, false, nil
}

// Beside returns a Memo for an additional run with its own context. It shares the answers of m.
func (m *Memo) Beside() *Memo {
	aside := &Memo{all: m.all, known: map[smt.Digest]*answer{}, models: m.models}
	m.asides = append(m.asides, aside)
	return aside
}

// find returns the cached answer with a key, or nil. It belongs to this run, because it refers to the run's sets.
func (m *Memo) find(key smt.Digest) *answer {
	if a := m.known[key]; a != nil {
		return a
	}
	shared := m.all.known[key]
	if shared == nil {
		return nil
	}
	a := *shared
	m.known[key] = &a
	return &a
}

// recall returns the cached answer of a set, or nil.
func (m *Memo) recall(set int) *answer {
	a := m.find(m.sets.list[set].digest)
	if a == nil {
		return nil
	}
	a.set = set
	return a
}

// use records that an answer was used, so that it is kept.
func (m *Memo) use(a *answer) {
	if !a.used {
		a.used = true
		m.used = append(m.used, a)
	}
}

// put adds a new answer.
func (m *Memo) put(a *answer) {
	a.key = m.sets.list[a.set].digest
	a.ours, m.fresh = true, true
	shared := *a
	shared.set = -1
	m.all.add(&shared)
	a.used = true
	m.known[a.key] = a
	m.used = append(m.used, a)
}

// add adds an answer of no run.
func (l *answers) add(a *answer) {
	l.known[a.key] = a
	if a.is == smt.StepLimit {
		l.limited[a.of] = true
	}
}

// assignmentOf converts a model to context-independent symbols.
func (m *Memo) assignmentOf(model *smt.Model) *assignment {
	out := &assignment{}
	for _, v := range model.Vars() {
		value, _ := model.Var(v)
		id, known := m.canon.Identity(v)
		if !known || !value.Bool() { // in no query, or zero, which is the default
			continue
		}
		out.vars = append(out.vars, symbolValue{id, value})
	}
	for _, f := range model.Funcs() {
		id, known := m.canon.FuncIdentity(f)
		if !known {
			continue
		}
		for arg, res := range model.FuncEntries(f) {
			out.funcs = append(out.funcs, functionPoint{id, arg, res})
		}
	}
	return out
}

// model converts an assignment to a model of this run's symbols; unknown symbols are omitted.
func (m *Memo) model(c *smt.Context, a *assignment) *smt.Model {
	out := smt.NewModel()
	for _, s := range a.vars {
		if v := m.canon.Symbol(s.id); v != 0 && c.Sort(v) == s.value.Sort() {
			out.SetVar(v, s.value)
		}
	}
	for _, p := range a.funcs {
		if f := m.canon.SymbolFunc(p.id); f != 0 && c.FuncDomain(f) == p.arg.Width() && c.FuncRange(f) == p.res.Width() {
			out.SetFunc(f, p.arg, p.res)
		}
	}
	return out
}

// wireSegment is the encoding of a segment.
type wireSegment struct {
	Terms  []byte // smt.Canon.Encode
	IDs    []smt.Digest
	Sets   []wireSet
	Models []wireModel
	Known  []wireAnswer
}

type wireSet struct {
	Kind    string
	Terms   []uint32 // indexes into Terms
	Subsets []uint32 // indexes of earlier sets
}

type wireModel struct {
	Vars   []uint32 // indexes into IDs, with one value each
	Funcs  []uint32 // indexes into IDs, with two values each
	Values []byte   // of the variables, then of the functions
}

type wireAnswer struct {
	Key    smt.Digest
	Set    uint32
	Is     smt.Answer
	Model  int // index into Models; -1: none
	Core   []uint32
	Budget int64
	Of     smt.Digest
	Steps  int64
	Paused int64 // effort
	Work   int64
}

// segment is the decoded result of a run.
type segment struct {
	wire    wireSegment
	answers []*answer
	models  []*assignment
}

// encodeSegment encodes the answers that this run used, with their queries.
func (m *Memo) encodeSegment() ([]byte, error) {
	var w wireSegment
	ids := map[smt.Digest]uint32{}
	id := func(d smt.Digest) uint32 {
		i, ok := ids[d]
		if !ok {
			i = uint32(len(w.IDs))
			ids[d] = i
			w.IDs = append(w.IDs, d)
		}
		return i
	}
	var roots []smt.Term
	number := map[int]uint32{}
	var order []int
	var visit func(s int)
	visit = func(s int) {
		if _, done := number[s]; done {
			return
		}
		number[s] = 0
		for _, sub := range m.sets.list[s].subsets {
			visit(sub)
		}
		number[s] = uint32(len(order))
		order = append(order, s)
		roots = append(roots, m.sets.list[s].terms...)
	}
	for _, a := range m.used {
		visit(a.set)
	}
	var at map[smt.Term]uint32
	w.Terms, at = m.canon.Encode(roots)
	for _, s := range order {
		r := &m.sets.list[s]
		ws := wireSet{Kind: r.kind}
		for _, t := range r.terms {
			ws.Terms = append(ws.Terms, at[t])
		}
		for _, sub := range r.subsets {
			ws.Subsets = append(ws.Subsets, number[sub])
		}
		w.Sets = append(w.Sets, ws)
	}
	models := map[*assignment]int{}
	for _, a := range m.used {
		wa := wireAnswer{Key: a.key, Set: number[a.set], Is: a.is, Model: -1, Budget: a.budget, Of: a.of, Steps: a.steps,
			Paused: a.effort.paused, Work: a.effort.total}
		for _, d := range a.core {
			wa.Core = append(wa.Core, id(d))
		}
		if a.model != nil {
			i, ok := models[a.model]
			if !ok {
				i = len(w.Models)
				models[a.model] = i
				var wm wireModel
				for _, s := range a.model.vars {
					wm.Vars = append(wm.Vars, id(s.id))
					wm.Values = smt.AppendValue(wm.Values, s.value)
				}
				for _, p := range a.model.funcs {
					wm.Funcs = append(wm.Funcs, id(p.id))
					wm.Values = smt.AppendValue(smt.AppendValue(wm.Values, p.arg), p.res)
				}
				w.Models = append(w.Models, wm)
			}
			wa.Model = i
		}
		w.Known = append(w.Known, wa)
	}
	var out bytes.Buffer
	if err := gob.NewEncoder(&out).Encode(&w); err != nil {
		return nil, fmt.Errorf("answers: %w", err)
	}
	return out.Bytes(), nil
}

// decodeSegment decodes a segment without its terms, which only RecheckSegment needs.
func decodeSegment(data []byte) (*segment, error) {
	s := &segment{}
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&s.wire); err != nil {
		return nil, fmt.Errorf("answers: %w", err)
	}
	bad := func(what string) (*segment, error) { return nil, fmt.Errorf("answers: %s out of range", what) }
	ids := s.wire.IDs
	for _, wm := range s.wire.Models {
		a := &assignment{}
		rest := wm.Values
		value := func() (v smt.Value, err error) {
			v, rest, err = smt.ReadValue(rest)
			return v, err
		}
		for _, i := range wm.Vars {
			v, err := value()
			if err != nil || int(i) >= len(ids) {
				return bad("a value")
			}
			a.vars = append(a.vars, symbolValue{ids[i], v})
		}
		for _, i := range wm.Funcs {
			arg, err1 := value()
			res, err2 := value()
			if err1 != nil || err2 != nil || int(i) >= len(ids) {
				return bad("a point")
			}
			a.funcs = append(a.funcs, functionPoint{ids[i], arg, res})
		}
		s.models = append(s.models, a)
	}
	for _, wa := range s.wire.Known {
		a := &answer{key: wa.Key, set: -1, is: wa.Is, budget: wa.Budget, of: wa.Of, steps: wa.Steps,
			effort: effort{paused: wa.Paused, total: wa.Work}}
		if int(wa.Set) >= len(s.wire.Sets) || wa.Model >= len(s.models) {
			return bad("a set or a model")
		}
		switch {
		case a.is == smt.Sat && wa.Model >= 0:
			a.model = s.models[wa.Model]
		case a.is != smt.Unsat && a.is != smt.StepLimit && a.is != smt.Cancelled:
			return bad("an answer")
		}
		for _, i := range wa.Core {
			if int(i) >= len(ids) {
				return bad("a core")
			}
			a.core = append(a.core, ids[i])
		}
		s.answers = append(s.answers, a)
	}
	return s, nil
}
