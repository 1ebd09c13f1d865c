// Package choice represents the choices of an execution: inputs, arbitrary content, failing allocations.
//
//	int x = nd_int();          // Question{Kind: Nondet, Bits: 32, Site: 7}, answered by a number
//	char *p = malloc(8);       // AllocFails (a number), Object (an address), Malloc (content)
//	if (p) use(p[2]);          // reads byte 2 of the content
//
// An execution sends each Question to a function of type Inputs, which returns an Answer. List.Record writes the
// answers down in a List, so that the execution can be repeated. A Cursor replays the list in its order. Matching
// replays it by Key, for an execution that may take another path. Encode and Decode convert a list to and from bytes.
//
// The symbolic engine (package unfold) and the interpreter (package interp) use the same kinds, keys and sites.
//
// The package uses neither programs nor solvers.
package choice

import (
	"maps"
	"math/big"
	"strconv"
)

// Kind classifies a choice.
type Kind string

// Kinds of choices. Scalars are numbers of Question.Bits bits; pointers are 64 bits, an address in no object.
const (
	Nondet    Kind = "nondet"    // scalar: nd_*, the result of a function without a body
	Parameter Kind = "parameter" // of the entry: a scalar, or the content of an argument passed by value
	Undef     Kind = "undef"     // scalar: an undefined operand, the result of a failed but accepted operation
	Asm       Kind = "asm"       // scalar: output of inline assembly
	// Rounding is not zero if an operation returns the second of the two floats next to the exact result. It is asked
	// only in a rounding mode other than to nearest.
	Rounding      Kind = "rounding"
	Uninitialized Kind = "uninitialized" // content: an alloca or llvm.lifetime.start
	Malloc        Kind = "malloc"        // content
	Havoc         Kind = "havoc"         // content
	Global        Kind = "global"        // content of the undefined variable Name
	// MissingBody is the content of an object that a function without a body can write. Name is "site#ordinal" of the
	// object's allocation, or the variable's name. It is asked, and ignored, even if the call writes nothing, so that
	// the n-th question is the n-th call that reaches the object.
	MissingBody Kind = "missing-body"
	// AllocFails is not zero if an allocation returns NULL. It is asked once per call, even if the answer is
	// determined.
	AllocFails Kind = "alloc-fails"
	// Writes is not zero if a call of a function without a body writes the memory that it can reach. It is asked only
	// if there is any.
	Writes Kind = "writes"
	// Assigns is not zero if a call that is replaced by a contract writes one of the targets that the contract
	// permits.
	Assigns Kind = "assigns"
	// LoopWrites is not zero if an object belongs to the write set of a loop with a contract. Name is the object,
	// named as in MissingBody, or by Local. LoopState is the content that it then has at the loop head. Both are asked
	// only if the loop is cut there and its contract has no write set.
	LoopWrites Kind = "loop-writes"
	LoopState  Kind = "loop-state"
	// Object is the required address of a new object, 0 for any address. Name is the name of a variable or function if
	// Site is 0.
	Object Kind = "object"
	// Size is the size in bytes of the variable Name of incomplete type (extern int table[];).
	Size Kind = "size"
	// Defined is not zero if the weak function Name, which the program lacks, is defined elsewhere.
	Defined Kind = "defined"
)

// Question is a request of an execution for a choice. The n-th question with the same Key, in execution order, gets
// the n-th answer.
type Question struct {
	Kind    Kind
	Content bool // the answer is bytes, otherwise a number
	Float   bool // the scalar is a floating-point number
	Bits    int  // of scalars
	// Site is Instr.ID of the instruction. It is minus (index+1) for a parameter of the entry, and 0 for global
	// variables and functions.
	Site int
	Name string // see the kinds
}

// Named reports whether questions of a kind at one site are distinguished by Name.
func (k Kind) Named() bool { return k == MissingBody || k == LoopWrites || k == LoopState }

// Local returns the name of a local variable of the current function, by its alloca.
func Local(alloca int) string { return "local " + strconv.Itoa(alloca) }

// Key identifies equivalent questions.
type Key struct {
	Kind    Kind
	Content bool
	Site    int
	Name    string
}

// Key returns the key of the question.
func (q Question) Key() Key { return Key{q.Kind, q.Content, q.Site, q.Name} }

// Answer is a chosen value. The zero Answer is zero: the number, every byte, no failure, any address.
type Answer struct {
	// Value is a number modulo 2^Bits, nil for zero.
	Value *big.Int
	// Content returns the bytes by their offset from the start of the object; nil for zero bytes.
	Content func(off uint64) byte
	// Known reports, in a repeated execution, whether it reads a byte of Content; nil if that is unknown.
	Known func(off uint64) bool
}

// Inputs answers the questions of an execution.
type Inputs func(Question) Answer

// Zero is an Inputs that chooses zero always.
func Zero(Question) Answer { return Answer{} }

// Choice is a question with its answer.
type Choice struct {
	Question
	Value *big.Int        // a number; nil for zero
	Bytes map[uint64]byte // content: the bytes that were read; nil for none

	number uint64 // index of the question in the execution, from 0
}

// Number returns the number that was chosen; it must not be modified.
func (c *Choice) Number() *big.Int {
	if c.Value == nil {
		return new(big.Int)
	}
	return c.Value
}

// True reports whether a number is not zero.
func (c *Choice) True() bool { return c.Value != nil && c.Value.Sign() != 0 }

// IsZero reports whether the answer is the zero Answer.
func (c *Choice) IsZero() bool { return !c.True() && len(c.Bytes) == 0 }

// answer returns the Answer of the choice.
func (c *Choice) answer() Answer {
	if !c.Content || c.Bytes == nil {
		return Answer{Value: c.Value}
	}
	// The bytes may be read later, to display an input; they must be the bytes of this run.
	bytes := c.Bytes
	return Answer{Content: func(off uint64) byte { return bytes[off] }}
}

// List is the list of choices of an execution, in its order. Choices may be modified between executions. A decoded
// list omits zero answers.
type List struct {
	Choices []*Choice
	index   Queues[*Choice] // nil until it is needed
}

// Record returns an Inputs that forwards questions to in and appends the answers to the list.
func (l *List) Record(in Inputs) Inputs {
	return func(q Question) Answer {
		a := in(q)
		a.Known = nil // it describes another execution
		c := &Choice{Question: q, number: uint64(len(l.Choices))}
		l.Choices, l.index = append(l.Choices, c), nil
		if !q.Content {
			if v := a.Value; v != nil && v.Sign() != 0 {
				if q.Bits > 0 && (v.Sign() < 0 || v.BitLen() > q.Bits) {
					end := new(big.Int).Lsh(big.NewInt(1), uint(q.Bits))
					v = new(big.Int).Mod(v, end)
				}
				c.Value = v
			}
			return a
		}
		of := a.Content
		if of == nil {
			of = func(uint64) byte { return 0 }
		}
		a.Content = func(off uint64) byte {
			b := of(off)
			if c.Bytes == nil { // most content is never read
				c.Bytes = map[uint64]byte{}
			}
			c.Bytes[off] = b
			return b
		}
		return a
	}
}

// Trim removes bytes that are zero.
func (l *List) Trim() {
	for _, c := range l.Choices {
		maps.DeleteFunc(c.Bytes, func(_ uint64, b byte) bool { return b == 0 })
	}
}

// Matching returns an Inputs that answers the n-th question of a key with the n-th choice of that key. So the list
// still fits if an execution takes another path; questions without a choice get zero. It is not for decoded lists.
func (l *List) Matching() Inputs {
	if l.index == nil {
		l.index = Queues[*Choice]{}
		for _, c := range l.Choices {
			l.index.Add(c.Key(), c)
		}
	}
	unused := maps.Clone(l.index)
	return func(q Question) Answer {
		if c, ok := unused.Next(q.Key()); ok {
			return c.answer()
		}
		return Answer{}
	}
}

// Queues maps keys to queues: the n-th element of a key belongs to the n-th question with that key.
type Queues[T any] map[Key][]T

// Add appends x to the queue of its key.
func (q Queues[T]) Add(k Key, x T) { q[k] = append(q[k], x) }

// Next removes and returns the first element of a key; ok is false if there is none.
func (q Queues[T]) Next(k Key) (x T, ok bool) {
	list := q[k]
	if len(list) == 0 {
		return x, false
	}
	q[k] = list[1:]
	return list[0], true
}

// Cursor replays a list in its order: an execution is deterministic, so the n-th question gets the n-th answer, and
// the questions need not be compared. Seek moves a cursor to the middle of an execution.
type Cursor struct {
	list  []*Choice
	asked uint64
	next  int // the first element of list with a number of at least asked
}

// Cursor returns a cursor at the first question.
func (l *List) Cursor() *Cursor { return &Cursor{list: l.Choices} }

// Position returns the number of questions that were asked.
func (p *Cursor) Position() uint64 { return p.asked }

// Seek moves the cursor to the position after so many questions.
func (p *Cursor) Seek(asked uint64) {
	p.asked = asked
	p.next = 0
	for hi := len(p.list); p.next < hi; {
		if mid := (p.next + hi) / 2; p.list[mid].number < asked {
			p.next = mid + 1
		} else {
			hi = mid
		}
	}
}

// Choose answers the next question; it has the type Inputs.
func (p *Cursor) Choose(q Question) Answer {
	at := p.asked
	p.asked++
	if p.next == len(p.list) || p.list[p.next].number != at {
		return Answer{}
	}
	c := p.list[p.next]
	p.next++
	if !q.Content {
		return Answer{Value: c.Value}
	}
	if c.Bytes == nil {
		return Answer{}
	}
	return Answer{
		Content: func(off uint64) byte { return c.Bytes[off] },
		Known:   func(off uint64) bool { _, ok := c.Bytes[off]; return ok },
	}
}
