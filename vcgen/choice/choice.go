// Package choice has what an execution may choose: Inputs answer the Questions of an execution, and a List is what one
// chose, written down, so that the execution can be had again: in the same order by a Cursor, or question by question
// (Matching) where it may go another way. Both engines ask in these words.
//
// It knows nothing of programs, of solvers, and of what a choice leads to.
package choice

import (
	"maps"
	"math/big"
	"strconv"
)

// Kind says what is chosen.
type Kind string

// Kinds of choices. Scalars are numbers of Question.Bits bits; pointers are 64 bits, an address in no object.
const (
	Nondet    Kind = "nondet"    // scalar: nd_*, the result of a function without a body
	Parameter Kind = "parameter" // of the entry: a scalar, and the content of what is passed by value
	Undef     Kind = "undef"     // scalar: an undefined operand, the result of a failed but accepted operation
	Asm       Kind = "asm"       // scalar: what inline assembly writes
	// Rounding: not zero where an operation, in a rounding mode other than to nearest, gives the other of the two floats
	// next to the exact result. It is asked only in such a mode.
	Rounding      Kind = "rounding"
	Uninitialized Kind = "uninitialized" // content: an alloca or llvm.lifetime.start
	Malloc        Kind = "malloc"        // content
	Havoc         Kind = "havoc"         // content
	Global        Kind = "global"        // content of the undefined variable Name
	// MissingBody is the content of an object that a function without a body can write; Name is "site#ordinal" of the
	// object's allocation, or the variable's name. It is also asked for, and not used, where the call writes nothing, so
	// that the n-th question is the n-th call that reaches the object.
	MissingBody Kind = "missing-body"
	// AllocFails: not zero where an allocation returns NULL. It is asked once per call, also where the answer is forced.
	AllocFails Kind = "alloc-fails"
	// Writes: not zero where this call of a function without a body writes the memory that it can reach. It is asked
	// only where there is some.
	Writes Kind = "writes"
	// Assigns: not zero where a call that is replaced by a contract writes one of the targets that the contract lets it
	// assign.
	Assigns Kind = "assigns"
	// LoopWrites: not zero where what a loop with a contract may write has the object Name, named as in MissingBody, or
	// by Local. LoopState is the content that it then has at the loop's head. They
	// are asked only where the loop is cut there and its contract does not say what it writes.
	LoopWrites Kind = "loop-writes"
	LoopState  Kind = "loop-state"
	// Object is the wanted address of the object that was made, 0 where any will do. Name is that of a variable or
	// function when Site is 0.
	Object Kind = "object"
	// Size is the size in bytes of the variable Name of incomplete type (extern int table[];).
	Size Kind = "size"
	// Defined: not zero where something that the program does not contain defines its weak function Name.
	Defined Kind = "defined"
)

// Question is asked by an execution for something that it may choose. The n-th question with one Key in the order of
// the execution gets the n-th answer.
type Question struct {
	Kind    Kind
	Content bool // bytes are asked for, else a number
	Float   bool // the scalar is a floating-point number
	Bits    int  // of scalars
	// Site is Instr.ID of the instruction that asks; for the parameters of the entry it is minus (index+1), for global
	// variables and functions 0.
	Site int
	Name string // see the kinds
}

// Named tells whether questions of a kind that are asked at one place are about things with names.
func (k Kind) Named() bool { return k == MissingBody || k == LoopWrites || k == LoopState }

// Local names a variable of the function that is executed, by its alloca.
func Local(alloca int) string { return "local " + strconv.Itoa(alloca) }

// Key is what a question is matched by.
type Key struct {
	Kind    Kind
	Content bool
	Site    int
	Name    string
}

// Key is what the question is matched by.
func (q Question) Key() Key { return Key{q.Kind, q.Content, q.Site, q.Name} }

// Answer is what was chosen. The zero Answer is zero: the number, every byte, no failure, no wish.
type Answer struct {
	// Value is a number, nil for zero; scalars count modulo 2^Bits.
	Value *big.Int
	// Content has the bytes by offset from the start of what they are for; nil for zero bytes.
	Content func(off uint64) byte
	// Known tells of a repeated execution which bytes of Content it looks at; nil where nobody knows.
	Known func(off uint64) bool
}

// Inputs answers the questions of an execution.
type Inputs func(Question) Answer

// Zero chooses zero everywhere.
func Zero(Question) Answer { return Answer{} }

// Choice is a question with its answer.
type Choice struct {
	Question
	Value *big.Int        // of a number; nil for zero
	Bytes map[uint64]byte // of content: the bytes that were looked at; nil for none

	number uint64 // of the question in the execution, from 0
}

// Number is the value of a number, which must not be changed.
func (c *Choice) Number() *big.Int {
	if c.Value == nil {
		return new(big.Int)
	}
	return c.Value
}

// True tells whether a number is not zero.
func (c *Choice) True() bool { return c.Value != nil && c.Value.Sign() != 0 }

// IsZero tells whether the answer is the zero one.
func (c *Choice) IsZero() bool { return !c.True() && len(c.Bytes) == 0 }

// answer plays the choice.
func (c *Choice) answer() Answer {
	if !c.Content || c.Bytes == nil {
		return Answer{Value: c.Value}
	}
	// What is looked at later, by whoever renders an input, is what was there in the run.
	bytes := c.Bytes
	return Answer{Content: func(off uint64) byte { return bytes[off] }}
}

// List is what an execution chose, in its order. Choices may be changed between executions. That of a decoded list
// lacks those that are zero.
type List struct {
	Choices []*Choice
	index   Queues[*Choice] // nil until it is needed
}

// Record makes inputs that answer as in does, and adds what they answer to the list.
func (l *List) Record(in Inputs) Inputs {
	return func(q Question) Answer {
		a := in(q)
		a.Known = nil // that of another execution
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
			if c.Bytes == nil { // most content is never looked at
				c.Bytes = map[uint64]byte{}
			}
			c.Bytes[off] = b
			return b
		}
		return a
	}
}

// Trim forgets that bytes were looked at that are zero.
func (l *List) Trim() {
	for _, c := range l.Choices {
		maps.DeleteFunc(c.Bytes, func(_ uint64, b byte) bool { return b == 0 })
	}
}

// Matching makes inputs that answer the n-th question of a key with the n-th choice of that key, so that it still fits
// where an execution goes another way; what the list does not know is zero. Not for decoded lists.
func (l *List) Matching() Inputs {
	if l.index == nil {
		l.index = Queues[*Choice]{}
		for _, c := range l.Choices {
			l.index.Add(c.Key(), c)
		}
	}
	left := maps.Clone(l.index)
	return func(q Question) Answer {
		if c, ok := left.Next(q.Key()); ok {
			return c.answer()
		}
		return Answer{}
	}
}

// Queues has things for questions: the n-th of a key for the n-th question with it.
type Queues[T any] map[Key][]T

// Add puts x behind the others of its key.
func (q Queues[T]) Add(k Key, x T) { q[k] = append(q[k], x) }

// Next takes the first that is left of a key; ok is false where there is none.
func (q Queues[T]) Next(k Key) (x T, ok bool) {
	list := q[k]
	if len(list) == 0 {
		return x, false
	}
	q[k] = list[1:]
	return list[0], true
}

// Cursor plays a list in its order: an execution is deterministic, so the n-th question gets the n-th answer, whatever
// the questions were. It can be set back, so that an execution goes on from its middle.
type Cursor struct {
	list  []*Choice
	asked uint64
	next  int // the first of list that is not before asked
}

// Cursor returns one at the first question.
func (l *List) Cursor() *Cursor { return &Cursor{list: l.Choices} }

// Position is the number of questions that were asked.
func (p *Cursor) Position() uint64 { return p.asked }

// Seek goes to where so many questions have been asked.
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

// Choose answers the next question; it is Inputs.
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
