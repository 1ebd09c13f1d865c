package explain

import (
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// maxRecordBytes bounds the bytes of an input that are reported.
const maxRecordBytes = 4096

// UsedInputs returns the choices that were used, in execution order.
func (w *View) UsedInputs() []found.Input {
	slices.SortStableFunc(w.Inputs, func(a, b *state.Input) int { return a.Order - b.Order })
	var out []found.Input
	for _, r := range w.Inputs {
		ir := w.inputRecord(r)
		ir.Idle = w.Keep != nil && !w.Keep.Inputs[r.Order]
		out = append(out, ir)
	}
	return out
}

func (w *View) inputRecord(r *state.Input) found.Input {
	ir := found.Input{Kind: found.InputKind(r.Kind), Function: r.Fn, Variable: r.Variable, Model: r.Model,
		Unmodelled: r.Unmodelled,
		Pos:        PosOf(r.Loc, r.Fn)}
	if r.Fails {
		ir.Value, ir.Bytes = "NULL", "0000000000000000"
		if r.DIType != nil {
			ir.Type = r.DIType.Name
		}
		return ir
	}
	if r.DIType != nil {
		if ir.Type = r.DIType.Name; ir.Type == "_Bool" {
			ir.Type = "bool" // as in <stdbool.h>
		}
	}
	if r.IsValue {
		n := int(r.Typ.StoreSize)
		buf := r.Value.Big().FillBytes(make([]byte, max(n, (r.Value.Big().BitLen()+7)/8)))
		if !w.Layout.BigEndian {
			slices.Reverse(buf)
		}
		ir.Bytes = hex.EncodeToString(buf)
		if r.DIType == nil || r.DIType.Kind == llvmir.DIStruct || r.DIType.Kind == llvmir.DIUnion ||
			r.DIType.Bits > int64(n)*8 {
			ir.Type, ir.Value = TypeName(r.Typ), w.Typed(r.Value, r.Typ)
			return ir
		}
		ir.Value = w.Scalar(r.Value, r.DIType)
		return ir
	}
	n := min(r.Size, maxRecordBytes)
	if r.Size > maxRecordBytes {
		n = max(min(r.Last+1, maxRecordBytes), 1)
	}
	buf := make([]byte, n)
	for i := range buf {
		buf[i] = r.Content(uint64(i))
	}
	ir.Bytes = hex.EncodeToString(buf)
	if r.DIType != nil && uint64(TypeSize(r.DIType)) == r.Size && r.Size <= maxRecordBytes {
		ir.Value = w.Memory(bytesOf{buf, w.Layout.BigEndian}, 0, r.DIType, 0)
	} else {
		elem, signed := "unsigned char", false
		if _, text := wholeStringAt(bytesOf{buf, w.Layout.BigEndian}, 0, uint64(len(buf))); text {
			elem = "char"
		}
		if t := r.DIType; t != nil && t.Kind == llvmir.DIChar {
			elem, signed = t.Name, t.Signed
		}
		ir.Value = renderBytes(buf, r.Size, signed)
		if ir.Type == "" || uint64(TypeSize(r.DIType)) != r.Size {
			ir.Type = fmt.Sprintf("%s[%d]", elem, r.Size)
		}
	}
	return ir
}
