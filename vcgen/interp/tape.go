package interp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
)

// Tape writes down what an Inputs answers, so that the same execution can be had again
// without it: in another process, from a cache, any number of times, and from its middle on. An
// execution is deterministic, so the n-th question of a run gets the n-th answer; what the
// questions were need not be kept. Of content only the bytes that were looked at are kept.
type Tape struct {
	in Inputs
	// asked counts the questions; answers are those that are not the default (zero, no byte
	// looked at, no failure, no wish), by number of the question.
	asked   uint64
	answers []answer
}

// answer is one answer that is not the default.
type answer struct {
	at    uint64          // number of the question, from 0
	value *big.Int        // of Value, Address and UnknownSize, and 1 for true
	bytes map[uint64]byte // of Content
}

// NewTape returns an Inputs that answers as in does and remembers it.
func NewTape(in Inputs) *Tape { return &Tape{in: in} }

func (t *Tape) scalar(v *big.Int) {
	if v != nil && v.Sign() != 0 {
		t.answers = append(t.answers, answer{at: t.asked, value: v})
	}
	t.asked++
}

func (t *Tape) truth(b bool) bool {
	if b {
		t.scalar(big.NewInt(1))
	} else {
		t.scalar(nil)
	}
	return b
}

// Value implements Inputs.
func (t *Tape) Value(site int, kind string, bits int) *big.Int {
	v := t.in.Value(site, kind, bits)
	if v != nil && v.Sign() < 0 {
		v = new(big.Int).And(v, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(bits)), big.NewInt(1)))
	}
	t.scalar(v)
	return v
}

// Content implements Inputs.
func (t *Tape) Content(site int, kind string, name string) func(off uint64) byte {
	at := t.in.Content(site, kind, name)
	number := t.asked
	t.asked++
	if at == nil {
		return nil
	}
	var seen map[uint64]byte // made with the first byte: most content is never looked at
	return func(off uint64) byte {
		b := at(off)
		if seen == nil {
			seen = map[uint64]byte{}
			t.answers = append(t.answers, answer{at: number, bytes: seen})
		}
		seen[off] = b
		return b
	}
}

// AllocFails implements Inputs.
func (t *Tape) AllocFails(site int) bool { return t.truth(t.in.AllocFails(site)) }

// Address implements Inputs. No object lies at 0, so 0 stands for no wish.
func (t *Tape) Address(site int, name string) (uint64, bool) {
	addr, ok := t.in.Address(site, name)
	if !ok {
		addr = 0
	}
	t.scalar(new(big.Int).SetUint64(addr))
	return addr, addr != 0
}

// MissingBodyWrites implements Inputs.
func (t *Tape) MissingBodyWrites(site int) bool { return t.truth(t.in.MissingBodyWrites(site)) }

// UnknownSize implements UnknownSizes.
func (t *Tape) UnknownSize(name string) uint64 {
	n := uint64(0)
	if in, ok := t.in.(UnknownSizes); ok {
		n = in.UnknownSize(name)
	}
	t.scalar(new(big.Int).SetUint64(n))
	return n
}

// tapeVersion opens the encoding; it changes with the encoding and with the order in which
// the interpreter asks.
const tapeVersion = 2

// Bytes returns the tape: the version, then per answer that is not the default the distance of
// its question from the one before, and either 0, the length and the bytes of a number (most
// significant first), or the number of runs of bytes and for each its distance from the end
// of the one before, its length and the bytes. All numbers are unsigned varints.
func (t *Tape) Bytes() []byte {
	slices.SortStableFunc(t.answers, func(a, b answer) int {
		if a.at < b.at {
			return -1
		}
		return 1
	})
	out := []byte{tapeVersion}
	last := uint64(0)
	for _, a := range t.answers {
		out = binary.AppendUvarint(out, a.at-last)
		last = a.at
		if a.value != nil {
			b := a.value.Bytes()
			out = append(binary.AppendUvarint(append(out, 0), uint64(len(b))), b...)
			continue
		}
		runs := runsOf(a.bytes)
		out = binary.AppendUvarint(out, uint64(len(runs)))
		end := uint64(0)
		for _, r := range runs {
			out = binary.AppendUvarint(out, r.from-end)
			out = binary.AppendUvarint(out, uint64(len(r.bytes)))
			out = append(out, r.bytes...)
			end = r.from + uint64(len(r.bytes))
		}
	}
	return out
}

type byteRun struct {
	from  uint64
	bytes []byte
}

func runsOf(m map[uint64]byte) []byteRun {
	var runs []byteRun
	for _, off := range slices.Sorted(maps.Keys(m)) {
		if n := len(runs); n > 0 && runs[n-1].from+uint64(len(runs[n-1].bytes)) == off {
			runs[n-1].bytes = append(runs[n-1].bytes, m[off])
			continue
		}
		runs = append(runs, byteRun{off, []byte{m[off]}})
	}
	return runs
}

// Player is an Inputs that plays a tape. It can be set back to an earlier question.
type Player struct {
	answers []answer
	asked   uint64
	next    int // the first of answers that is not before asked
}

var errTape = errors.New("the recorded choices of the counterexample are damaged")

// PlayTape reads what Tape.Bytes wrote.
func PlayTape(b []byte) (*Player, error) {
	if len(b) == 0 || b[0] != tapeVersion {
		return nil, fmt.Errorf("%w, or those of another version: check the proof again", errTape)
	}
	b = b[1:]
	number := func() uint64 {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			panic(errTape)
		}
		b = b[n:]
		return v
	}
	take := func() []byte {
		n := number()
		if n > uint64(len(b)) {
			panic(errTape)
		}
		part := b[:n]
		b = b[n:]
		return part
	}
	p := &Player{}
	read := func() (err error) {
		defer func() {
			if r := recover(); r != nil {
				err = errTape
			}
		}()
		at := uint64(0)
		for len(b) > 0 {
			at += number()
			a := answer{at: at}
			runs := number()
			if runs == 0 {
				a.value = new(big.Int).SetBytes(take())
			} else {
				a.bytes = map[uint64]byte{}
				for off := uint64(0); runs > 0; runs-- {
					off += number()
					for _, c := range take() {
						a.bytes[off] = c
						off++
					}
				}
			}
			p.answers = append(p.answers, a)
		}
		return nil
	}
	if err := read(); err != nil {
		return nil, err
	}
	return p, nil
}

// Position is the number of questions that were asked; seek goes back to one.
func (p *Player) Position() uint64 { return p.asked }

func (p *Player) Seek(to uint64) {
	p.asked = to
	p.next, _ = slices.BinarySearchFunc(p.answers, to, func(a answer, to uint64) int {
		switch {
		case a.at < to:
			return -1
		case a.at > to:
			return 1
		}
		return 0
	})
}

// take returns the answer to the next question, nil for the default.
func (p *Player) take() *answer {
	at := p.asked
	p.asked++
	if p.next < len(p.answers) && p.answers[p.next].at == at {
		p.next++
		return &p.answers[p.next-1]
	}
	return nil
}

func (p *Player) scalar() *big.Int {
	if a := p.take(); a != nil && a.value != nil {
		return a.value
	}
	return new(big.Int)
}

// Value implements Inputs.
func (p *Player) Value(int, string, int) *big.Int { return p.scalar() }

// Content implements Inputs.
func (p *Player) Content(int, string, string) func(off uint64) byte {
	a := p.take()
	if a == nil || a.bytes == nil {
		return nil
	}
	return func(off uint64) byte { return a.bytes[off] }
}

// content has the bytes of the content that was asked for last; nil when none was looked at.
func (p *Player) content() map[uint64]byte {
	if p.next > 0 && p.answers[p.next-1].at == p.asked-1 {
		return p.answers[p.next-1].bytes
	}
	return nil
}

// AllocFails implements Inputs.
func (p *Player) AllocFails(int) bool { return p.scalar().Sign() != 0 }

// Address implements Inputs.
func (p *Player) Address(int, string) (uint64, bool) {
	a := p.scalar().Uint64()
	return a, a != 0
}

// MissingBodyWrites implements Inputs.
func (p *Player) MissingBodyWrites(int) bool { return p.scalar().Sign() != 0 }

// UnknownSize implements UnknownSizes.
func (p *Player) UnknownSize(string) uint64 { return p.scalar().Uint64() }
