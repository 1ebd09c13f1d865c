package choice

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
)

// A list is encoded, for a cache or for another process, without its questions: an execution is deterministic, so the
// answers in their order suffice.

// version is the first byte of the encoding. It changes with the encoding, and with the order in which the interpreter
// asks.
const version = 2

// Encode returns the list as bytes: the version, followed by the answers that are not zero.
//
// Each answer begins with the distance of its question from the previous one. A number follows as 0, its length and
// its bytes, most significant first. Content follows as the number of its runs; each run has its distance from the end
// of the previous run, its length and its bytes. All numbers are unsigned varints.
func (l *List) Encode() []byte {
	out := []byte{version}
	last := uint64(0)
	for _, c := range l.Choices {
		if c.IsZero() {
			continue
		}
		out = binary.AppendUvarint(out, c.number-last)
		last = c.number
		if len(c.Bytes) == 0 {
			b := c.Value.Bytes()
			out = append(binary.AppendUvarint(append(out, 0), uint64(len(b))), b...)
			continue
		}
		runs := runsOf(c.Bytes)
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

var errTape = errors.New("the recorded choices of the counterexample are damaged")

// Decode decodes the result of Encode. The list contains the answers that are not zero, without their questions, so it
// can only be replayed by a Cursor.
func Decode(tape []byte) (*List, error) {
	if len(tape) == 0 || tape[0] != version {
		return nil, fmt.Errorf("%w, or those of another version: check the proof again", errTape)
	}
	d := decoder{rest: tape[1:]}
	l := &List{}
	for number := uint64(0); len(d.rest) > 0 && !d.damaged; {
		number += d.number()
		c := &Choice{number: number}
		if runs := d.number(); runs == 0 {
			c.Value = new(big.Int).SetBytes(d.bytes())
		} else {
			c.Content, c.Bytes = true, map[uint64]byte{}
			for off := uint64(0); runs > 0 && !d.damaged; runs-- {
				off += d.number()
				for _, b := range d.bytes() {
					c.Bytes[off] = b
					off++
				}
			}
		}
		l.Choices = append(l.Choices, c)
	}
	if d.damaged {
		return nil, errTape
	}
	return l, nil
}

// decoder reads numbers and byte strings; after the first error all results are zero or empty.
type decoder struct {
	rest    []byte
	damaged bool
}

func (d *decoder) number() uint64 {
	v, n := binary.Uvarint(d.rest)
	if n <= 0 || d.damaged {
		d.damaged = true
		return 0
	}
	d.rest = d.rest[n:]
	return v
}

func (d *decoder) bytes() []byte {
	n := d.number()
	if n > uint64(len(d.rest)) || d.damaged {
		d.damaged = true
		return nil
	}
	part := d.rest[:n]
	d.rest = d.rest[n:]
	return part
}
