package smt

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/big"
	"slices"
)

// Encode writes the cone of the roots, with the identities of its symbols, for Decode.
//
// It returns the number of each term in the order of Decode's result.
func (k *Canon) Encode(roots []Term) (data []byte, number map[Term]uint32) {
	c := k.c
	cone := c.Cone(roots...)
	number = make(map[Term]uint32, len(cone))
	funcs := map[Func]uint64{}
	data = binary.AppendUvarint(nil, uint64(len(cone)))
	for i, t := range cone {
		k.Hash(t)
		number[t] = uint32(i)
		n := &c.nodes[t]
		data = append(data, byte(n.op))
		switch n.op {
		case OpTrue, OpFalse:
			continue
		case OpVar:
			id, _ := k.Identity(t)
			data = binary.AppendUvarint(data, uint64(n.sort))
			data = binary.AppendUvarint(data, uint64(c.vars[n.aux].low))
			data = append(data, id[:]...)
			continue
		case OpConst:
			digits := c.constValue(t).read().Bytes()
			data = binary.AppendUvarint(data, uint64(n.sort))
			data = binary.AppendUvarint(data, uint64(len(digits)))
			data = append(data, digits...)
			continue
		case OpApply:
			f := Func(n.aux)
			at, known := funcs[f]
			if !known {
				at = uint64(len(funcs))
				funcs[f] = at
			}
			data = binary.AppendUvarint(data, at)
			if !known {
				id := k.funcs[f]
				data = binary.AppendUvarint(data, uint64(c.funcs[f].dom))
				data = binary.AppendUvarint(data, uint64(c.funcs[f].rng))
				data = append(data, id[:]...)
			}
		default:
			data = binary.AppendUvarint(data, uint64(n.sort))
			data = binary.AppendUvarint(data, n.aux)
			data = append(data, n.nargs)
		}
		for _, a := range c.Args(t) {
			data = binary.AppendUvarint(data, uint64(uint32(i)-number[a]))
		}
	}
	return data, number
}

var errEncoding = errors.New("smt: not an encoding of terms")

// Decode creates the terms that Encode wrote in a new context. Its Canon has the identities of the symbols.
func Decode(data []byte) (c *Context, k *Canon, terms []Term, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v", errEncoding, r)
		}
	}()
	c = NewContext()
	k = c.NewCanon()
	number := func() uint64 {
		v, n := binary.Uvarint(data)
		if n <= 0 {
			panic("it ends early")
		}
		data = data[n:]
		return v
	}
	take := func(n uint64) []byte {
		if n > uint64(len(data)) {
			panic("it ends early")
		}
		b := data[:n]
		data = data[n:]
		return b
	}
	sort := func() Sort {
		s := number()
		if s > MaxWidth {
			panic("a width out of range")
		}
		return Sort(s)
	}
	var funcs []Func
	n := number()
	if n > uint64(len(data)) {
		panic("it ends early")
	}
	for i := range n {
		op := Op(take(1)[0])
		if op == OpInvalid || op >= numOps {
			panic("an operator out of range")
		}
		var s Sort
		var aux uint64
		nargs := 1
		switch op {
		case OpTrue, OpFalse:
			terms = append(terms, c.BoolConst(op == OpTrue))
			continue
		case OpVar:
			s = sort()
			low := number()
			v := c.newVar("", s, int(low))
			k.setVar(v, Digest(take(32)))
			terms = append(terms, v)
			continue
		case OpConst:
			s = sort()
			terms = append(terms, c.Big(int(s), new(big.Int).SetBytes(take(number()))))
			continue
		case OpApply:
			at := number()
			if at == uint64(len(funcs)) {
				f := c.NewFunc("", int(number()), int(number()))
				k.setFunc(f, Digest(take(32)))
				funcs = append(funcs, f)
			}
			aux = uint64(funcs[at])
			s = Sort(c.funcs[funcs[at]].rng)
		default:
			s = sort()
			aux = number()
			nargs = int(take(1)[0])
		}
		args := make([]Term, nargs)
		for j := range args {
			d := number()
			if d == 0 || d > i {
				panic("an argument out of range")
			}
			args[j] = terms[i-d]
		}
		terms = append(terms, c.intern(op, s, aux, args))
	}
	if len(data) > 0 {
		panic("something follows it")
	}
	return c, k, terms, nil
}

// AppendValue appends the encoding of a value to b.
func AppendValue(b []byte, v Value) []byte {
	digits := v.read().Bytes()
	b = binary.AppendUvarint(b, uint64(v.sort))
	b = binary.AppendUvarint(b, uint64(len(digits)))
	return append(b, digits...)
}

// ReadValue decodes a value that AppendValue wrote, and returns the rest of b.
func ReadValue(b []byte) (v Value, rest []byte, err error) {
	s, n := binary.Uvarint(b)
	if n <= 0 || s > MaxWidth {
		return Value{}, nil, errEncoding
	}
	b = b[n:]
	size, n := binary.Uvarint(b)
	if n <= 0 || size > uint64(len(b)-n) {
		return Value{}, nil, errEncoding
	}
	b = b[n:]
	digits := new(big.Int).SetBytes(b[:size])
	if Sort(s) == Bool {
		return BoolValue(digits.Sign() != 0), b[size:], nil
	}
	return BigValueOf(int(s), digits), b[size:], nil
}

// Vars lists the variables that have a value in the model, in ascending order.
func (m *Model) Vars() []Term {
	out := make([]Term, 0, len(m.vars))
	for t := range m.vars {
		out = append(out, t)
	}
	slices.Sort(out)
	return out
}

// Funcs lists the functions that have a value at some point in the model, in ascending order.
func (m *Model) Funcs() []Func {
	out := make([]Func, 0, len(m.funcs))
	for f := range m.funcs {
		out = append(out, f)
	}
	slices.Sort(out)
	return out
}

// Symbol returns the variable with an identity; 0 if there is none.
func (k *Canon) Symbol(id Digest) Term { return k.symbols[id] }

// SymbolFunc returns the function with an identity; 0 if there is none.
func (k *Canon) SymbolFunc(id Digest) Func { return k.symbolFuncs[id] }

// ExactDigest returns a digest of the terms as a back end sees them, but without names.
//
// It includes the order of arguments and of creation. Equal digests lead a solver through the same steps.
func (c *Context) ExactDigest(terms []Term) Digest {
	cone := c.Cone(terms...)
	number := make(map[Term]uint32, len(cone))
	funcs := map[Func]uint64{}
	h := newHash()
	var b []byte
	for i, t := range cone {
		number[t] = uint32(i)
		n := &c.nodes[t]
		b = append(b[:0], byte(n.op), n.nargs)
		b = binary.LittleEndian.AppendUint32(b, uint32(n.sort))
		switch n.op {
		case OpVar:
			b = binary.AppendUvarint(b, uint64(c.vars[n.aux].low))
		case OpConst:
			b = AppendValue(b, c.constValue(t))
		case OpApply:
			f := Func(n.aux)
			if _, known := funcs[f]; !known {
				funcs[f] = uint64(len(funcs))
			}
			b = binary.AppendUvarint(b, funcs[f])
			b = binary.AppendUvarint(b, uint64(c.funcs[f].dom))
		default:
			b = binary.AppendUvarint(b, n.aux)
		}
		for _, a := range c.Args(t) {
			b = binary.AppendUvarint(b, uint64(number[a]))
		}
		h.Write(b)
	}
	b = b[:0]
	for _, t := range terms {
		b = binary.AppendUvarint(b, uint64(number[t]))
	}
	h.Write(b)
	return Digest(h.Sum(nil))
}
