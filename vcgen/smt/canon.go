package smt

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"slices"
)

// SemanticsVersion is incremented when the meaning of an operator changes.
//
// Stored answers about terms are invalid then.
const SemanticsVersion = 1

// Digest is a SHA-256 of the structure of a term, or of a set of terms.
type Digest [32]byte

func newHash() hash.Hash { return sha256.New() }

// Canon computes digests of terms that are the same in each run and depend only on structure, not on names or
// handles.
//
// Equal digests mean that terms are equal up to a renaming of symbols, which is the same for all terms of one Canon.
// The digest of a term is the hash of its operator, sort, parameters and the digests of its arguments (a Merkle tree;
// the digests of a commutative operator's arguments are sorted). Each symbol has an identity. Therefore an answer to
// a question holds for all questions with equal digests, however identities are chosen; the choice only affects how
// often equal questions are recognized.
//
// The identity of a symbol is derived from the first hashed term that mentions it: the shape of that term with all
// new symbols left blank, the symbol's position in it, and the number of earlier symbols with the same origin.
// Therefore an edit changes only the identities of symbols whose first mention it affects. Each term is hashed once:
// hashing all terms of a run is linear, unlike numbering the symbols of each question separately.
type Canon struct {
	c     *Context
	pages []*canonPage
	funcs map[Func]Digest
	// symbols and symbolFuncs are the inverse maps, by identity.
	symbols     map[Digest]Term
	symbolFuncs map[Digest]Func
	// counts counts the symbols with the same origin.
	counts map[origin]uint32

	part, stack []Term // scratch
	buf         []byte
	mark        []uint32 // by term: the last collect that reached it
	epoch       uint32
}

// canonPageSize is the number of terms for which facts are allocated at once.
const canonPageSize = 256

type canonPage struct {
	done [canonPageSize]bool
	sum  [canonPageSize]Digest
}

// origin is the place of the first occurrence of a symbol.
type origin struct {
	shape  uint64 // of the term
	index  uint32 // of the symbol among the new ones
	isFunc bool
	a, b   int32 // sort and low zero bits, or domain and range
}

// NewCanon returns a Canon without any hashed terms of c.
func (c *Context) NewCanon() *Canon {
	return &Canon{c: c, funcs: map[Func]Digest{}, symbols: map[Digest]Term{}, symbolFuncs: map[Digest]Func{},
		counts: map[origin]uint32{}}
}

func (k *Canon) get(t Term) (*Digest, bool) {
	p := int(t) / canonPageSize
	if p >= len(k.pages) || k.pages[p] == nil || !k.pages[p].done[t%canonPageSize] {
		return nil, false
	}
	return &k.pages[p].sum[t%canonPageSize], true
}

func (k *Canon) put(t Term, d Digest) {
	p := int(t) / canonPageSize
	if p >= len(k.pages) {
		k.pages = append(k.pages, make([]*canonPage, p-len(k.pages)+1)...)
	}
	if k.pages[p] == nil {
		k.pages[p] = new(canonPage)
	}
	k.pages[p].sum[t%canonPageSize] = d
	k.pages[p].done[t%canonPageSize] = true
}

// Hash returns the digest of t.
//
// The order of calls affects the identities of symbols. It should be determined by the program: its events in
// execution order.
func (k *Canon) Hash(t Term) Digest {
	if d, ok := k.get(t); ok {
		return *d
	}
	symbols := k.collect(t)
	if symbols {
		k.identify(t)
	}
	for _, x := range k.part { // ascending: arguments first
		if k.c.nodes[x].op != OpVar {
			k.put(x, k.node(x))
		}
	}
	d, _ := k.get(t)
	return *d
}

// Identity returns the digest of a variable; false if no hashed term contains it.
func (k *Canon) Identity(v Term) (Digest, bool) {
	if d, ok := k.get(v); ok {
		return *d, true
	}
	return Digest{}, false
}

// FuncIdentity returns the identity of a function; false if no hashed term contains it.
func (k *Canon) FuncIdentity(f Func) (Digest, bool) {
	d, ok := k.funcs[f]
	return d, ok
}

// collect lists the terms below t that have no digest, in ascending order.
//
// It returns whether any of them is a new symbol.
func (k *Canon) collect(t Term) (symbols bool) {
	c := k.c
	if c.IsConst(t) {
		k.put(t, k.node(t))
		k.part = k.part[:0]
		return false
	}
	k.part, k.stack = k.part[:0], append(k.stack[:0], t)
	if n := int(t) + 1 - len(k.mark); n > 0 { // arguments have smaller handles
		k.mark = append(k.mark, make([]uint32, n+len(k.mark)/2)...)
	}
	k.epoch++
	k.mark[t] = k.epoch
	for len(k.stack) > 0 {
		x := k.stack[len(k.stack)-1]
		k.stack = k.stack[:len(k.stack)-1]
		k.part = append(k.part, x)
		switch n := &c.nodes[x]; n.op {
		case OpVar:
			symbols = true
		case OpApply:
			if _, known := k.funcs[Func(n.aux)]; !known {
				symbols = true
			}
		}
		for _, a := range c.Args(x) {
			if k.mark[a] == k.epoch {
				continue
			}
			if _, done := k.get(a); done {
				continue
			}
			if c.IsConst(a) { // its digest does not depend on earlier terms
				k.put(a, k.node(a))
				continue
			}
			k.mark[a] = k.epoch
			k.stack = append(k.stack, a)
		}
	}
	slices.Sort(k.part)
	return symbols
}

// commutative reports whether the order of an operator's arguments is irrelevant.
func commutative(op Op) bool {
	switch op {
	case OpAnd, OpOr, OpEq, OpAdd, OpMul, OpBvAnd, OpBvOr, OpBvXor:
		return true
	}
	return false
}

// mix is a step of a 64-bit hash with a fixed seed (the finalizer of MurmurHash3, Appleby).
//
// It orders terms; correctness does not depend on the absence of collisions.
func mix(h, x uint64) uint64 {
	h ^= x
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// shapes are 64-bit sketches of the terms of a part, in which all new symbols are equal.
type shapes struct {
	k     *Canon
	of    map[Term]uint64
	color map[Term]uint64 // of new variables
	fcol  map[Func]uint64 // of new functions
	ties  bool            // different arguments of a commutative operator have equal sketches
}

func (s *shapes) at(t Term) uint64 {
	if h, fresh := s.of[t]; fresh {
		return h
	}
	d, _ := s.k.get(t)
	return binary.LittleEndian.Uint64(d[:8])
}

func (s *shapes) function(f Func) uint64 {
	if d, ok := s.k.funcs[f]; ok {
		return binary.LittleEndian.Uint64(d[:8])
	}
	fn := &s.k.c.funcs[f]
	return mix(mix(mix(7, uint64(fn.dom)), uint64(fn.rng)), s.fcol[f])
}

// compute computes the sketches of the part from the leaves up.
func (s *shapes) compute() {
	c := s.k.c
	s.ties = false
	for _, x := range s.k.part {
		n := &c.nodes[x]
		h := mix(mix(uint64(n.op)+1, uint64(uint32(n.sort))), uint64(n.nargs))
		switch n.op {
		case OpVar:
			s.of[x] = mix(mix(h, uint64(c.vars[n.aux].low)), s.color[x])
			continue
		case OpApply:
			h = mix(h, s.function(Func(n.aux)))
		case OpConst:
			v := c.constValue(x)
			h = mix(h, v.v)
			if v.b != nil {
				for _, b := range v.b.Bytes() {
					h = mix(h, uint64(b))
				}
			}
		default:
			h = mix(h, n.aux)
		}
		if commutative(n.op) {
			sum := uint64(0)
			args := c.Args(x)
			for i, a := range args {
				sa := s.at(a)
				sum += mix(11, sa)
				for _, b := range args[:i] {
					s.ties = s.ties || a != b && s.at(b) == sa
				}
			}
			h = mix(h, sum)
		} else {
			for i, a := range c.Args(x) {
				h = mix(h, mix(uint64(i)+13, s.at(a)))
			}
		}
		s.of[x] = h
	}
}

// refine distinguishes symbols by their uses: each gets a color from the paths that lead to it.
//
// This is a round of color refinement (Weisfeiler and Leman 1968) over the whole depth of the term at once.
func (s *shapes) refine(root Term) {
	c := s.k.c
	from := map[Term]uint64{root: 1}
	for i := len(s.k.part) - 1; i >= 0; i-- { // descending: users first
		x := s.k.part[i]
		n := &c.nodes[x]
		if n.op == OpVar {
			s.color[x] = mix(s.color[x], from[x])
			continue
		}
		if n.op == OpApply {
			if _, known := s.k.funcs[Func(n.aux)]; !known {
				s.fcol[Func(n.aux)] += mix(from[x], s.of[x])
			}
		}
		for i, a := range c.Args(x) {
			if commutative(n.op) {
				i = 0
			}
			from[a] += mix(mix(from[x], s.of[x]), uint64(i)+17)
		}
	}
	s.compute()
}

// identify assigns identities to the new symbols below root, in the order of a structural walk.
func (k *Canon) identify(root Term) {
	c := k.c
	s := &shapes{k: k, of: make(map[Term]uint64, len(k.part)), color: map[Term]uint64{}, fcol: map[Func]uint64{}}
	s.compute()
	shape := s.of[root]
	for range 2 {
		if !s.ties {
			break
		}
		s.refine(root)
	}
	index := uint32(0)
	name := func(o origin) Digest {
		o.shape, o.index = shape, index
		index++
		seen := k.counts[o]
		k.counts[o]++
		kind := byte('v')
		if o.isFunc {
			kind = 'f'
		}
		b := append(k.buf[:0], "symbol "...)
		b = append(b, kind)
		for _, x := range []uint64{uint64(o.a), uint64(o.b), o.shape, uint64(o.index), uint64(seen)} {
			b = binary.LittleEndian.AppendUint64(b, x)
		}
		k.buf = b
		return sha256.Sum256(b)
	}
	visited := map[Term]bool{}
	k.stack = append(k.stack[:0], root)
	var args []Term
	for len(k.stack) > 0 {
		x := k.stack[len(k.stack)-1]
		k.stack = k.stack[:len(k.stack)-1]
		if visited[x] {
			continue
		}
		visited[x] = true
		if _, done := k.get(x); done {
			continue
		}
		n := &c.nodes[x]
		switch n.op {
		case OpVar:
			k.setVar(x, name(origin{a: int32(n.sort), b: int32(c.vars[n.aux].low)}))
			continue
		case OpApply:
			if f := Func(n.aux); !k.known(f) {
				k.setFunc(f, name(origin{isFunc: true, a: int32(c.funcs[f].dom), b: int32(c.funcs[f].rng)}))
			}
		}
		args = append(args[:0], c.Args(x)...)
		if commutative(n.op) {
			slices.SortStableFunc(args, func(a, b Term) int { return cmp.Compare(s.at(a), s.at(b)) })
		}
		for i := len(args) - 1; i >= 0; i-- {
			k.stack = append(k.stack, args[i])
		}
	}
}

func (k *Canon) setVar(v Term, id Digest) {
	k.put(v, id)
	k.symbols[id] = v
}

func (k *Canon) setFunc(f Func, id Digest) {
	k.funcs[f] = id
	k.symbolFuncs[id] = f
}

func (k *Canon) known(f Func) bool {
	_, ok := k.funcs[f]
	return ok
}

// node hashes an operator over arguments that have digests.
//
// The encoding is injective: a head of fixed length, the parameter with its length, the arguments.
func (k *Canon) node(x Term) Digest {
	c := k.c
	n := &c.nodes[x]
	b := append(k.buf[:0], "term "...)
	b = append(b, byte(n.op), n.nargs)
	b = binary.LittleEndian.AppendUint32(b, uint32(n.sort))
	switch n.op {
	case OpConst:
		v := c.constValue(x)
		if v.b == nil {
			b = binary.LittleEndian.AppendUint32(b, 8)
			b = binary.LittleEndian.AppendUint64(b, v.v)
		} else {
			digits := v.b.Bytes()
			b = binary.LittleEndian.AppendUint32(b, uint32(len(digits)))
			b = append(b, digits...)
		}
	case OpApply:
		id := k.funcs[Func(n.aux)]
		b = binary.LittleEndian.AppendUint32(b, uint32(len(id)))
		b = append(b, id[:]...)
	default:
		b = binary.LittleEndian.AppendUint32(b, 8)
		b = binary.LittleEndian.AppendUint64(b, n.aux)
	}
	args := c.Args(x)
	if !commutative(n.op) || len(args) < 2 {
		for _, a := range args {
			d, _ := k.get(a)
			b = append(b, d[:]...)
		}
	} else {
		sums := make([]Digest, 0, maxParts+2)
		for _, a := range args {
			d, _ := k.get(a)
			sums = append(sums, *d)
		}
		b = appendSorted(b, sums)
	}
	k.buf = b
	return sha256.Sum256(b)
}

// appendSorted sorts digests and appends them.
func appendSorted(b []byte, sums []Digest) []byte {
	slices.SortFunc(sums, func(x, y Digest) int { return slices.Compare(x[:], y[:]) })
	for _, d := range sums {
		b = append(b, d[:]...)
	}
	return b
}

// Set returns the digest of the union of a set of terms and the sets with the given digests.
//
// Order and duplicates are irrelevant.
func (k *Canon) Set(kind string, terms []Term, subsets []Digest) Digest {
	sums := make([]Digest, 0, len(terms))
	for _, t := range terms {
		sums = append(sums, k.Hash(t))
	}
	return SetDigest(kind, sums, subsets)
}

// SetDigest returns the same as Set, for terms with these digests.
func SetDigest(kind string, terms, subsets []Digest) Digest {
	unique := func(list []Digest) []Digest {
		list = slices.Clone(list)
		slices.SortFunc(list, func(x, y Digest) int { return slices.Compare(x[:], y[:]) })
		return slices.Compact(list)
	}
	terms, subsets = unique(terms), unique(subsets)
	b := append([]byte("set "), kind...)
	b = append(b, 0)
	b = binary.LittleEndian.AppendUint32(b, SemanticsVersion)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(terms)))
	for _, d := range terms {
		b = append(b, d[:]...)
	}
	for _, d := range subsets {
		b = append(b, d[:]...)
	}
	return sha256.Sum256(b)
}
