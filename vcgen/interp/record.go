package interp

import (
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// record is an arbitrary choice that the execution made, as it is reported afterwards.
type record struct {
	kind     string
	site     int
	fn       string // the function that was called
	in       string // the function that holds the place
	variable string
	dtype    *llvmir.DIType
	points   *llvmir.DIType // of a heap object: what the pointer that got it points to
	loc      *llvmir.Loc

	isValue bool
	value   value
	typ     *llvmir.Type

	size    uint64
	content func(uint64) byte
	used    bool   // some byte was looked at
	last    uint64 // the last byte that was
	order   int    // of the choice in the execution
}

// maxRecordBytes bounds the bytes of an input that are reported.
const maxRecordBytes = 4096

// note begins the record of a choice that is made here. Values are recorded at once,
// content when the first of its bytes is used: most is overwritten unseen, and a long run
// makes millions of choices.
func (m *machine) note(kind string, site int) *record {
	m.choices++
	r := &record{kind: kind, site: site, order: m.choices}
	if len(m.frames) > 0 {
		r.loc, r.in = m.where(), m.top().fn.SourceName
		r.fn = r.in
	}
	return r
}

// use notes that byte i of a content record was used.
func (m *machine) use(r *record, i uint64) {
	if !r.used {
		r.used = true
		m.records = append(m.records, r)
	}
	r.last = max(r.last, i)
}

// inputRecords renders the choices that were used, in the order of the execution.
func (m *machine) inputRecords() []InputRecord {
	slices.SortStableFunc(m.records, func(a, b *record) int { return a.order - b.order })
	var out []InputRecord
	for _, r := range m.records {
		ir := m.inputRecord(r)
		ir.Idle = m.opts.Keep != nil && !m.opts.Keep.inputs[r.order]
		out = append(out, ir)
	}
	return out
}

func (m *machine) inputRecord(r *record) InputRecord {
	ir := InputRecord{Kind: r.kind, Function: r.fn, Variable: r.variable, Loc: r.loc, In: r.in}
	if r.dtype != nil {
		if ir.Type = r.dtype.Name; ir.Type == "_Bool" {
			ir.Type = "bool" // as <stdbool.h> has it
		}
	}
	if r.isValue {
		n := int(r.typ.StoreSize)
		buf := r.value.big().FillBytes(make([]byte, max(n, (r.value.big().BitLen()+7)/8)))
		for i, j := 0, len(buf)-1; i < j; i, j = i+1, j-1 {
			buf[i], buf[j] = buf[j], buf[i]
		}
		ir.Bytes = hex.EncodeToString(buf)
		if r.dtype == nil || r.dtype.Kind == llvmir.DIStruct || r.dtype.Kind == llvmir.DIUnion || r.dtype.Bits > int64(n)*8 {
			ir.Type, ir.Value = llvmName(r.typ), m.renderTyped(r.value, r.typ)
			return ir
		}
		ir.Value = m.renderScalar(r.value, r.dtype)
		return ir
	}
	n := min(r.size, maxRecordBytes)
	if r.size > maxRecordBytes {
		n = max(min(r.last+1, maxRecordBytes), 1)
	}
	buf := make([]byte, n)
	for i := range buf {
		buf[i] = r.content(uint64(i))
	}
	ir.Bytes = hex.EncodeToString(buf)
	if r.dtype != nil && uint64(typeSize(r.dtype)) == r.size && r.size <= maxRecordBytes {
		ir.Value = m.renderMemory(bytesOf(buf), 0, r.dtype, 0)
	} else {
		ir.Value = renderBytes(buf, r.size)
		if ir.Type == "" || uint64(typeSize(r.dtype)) != r.size {
			ir.Type = fmt.Sprintf("char[%d]", r.size)
		}
	}
	return ir
}
