package replay

import (
	"strings"

	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// To show a read of memory that was never written, a program is built with the shadow memory of MemorySanitizer and
// with checks before each read. MemorySanitizer itself reports the first branch on the value, perhaps lines behind the
// read.

// read emits a check that a load reads written memory. The exceptions are those of the interpreter: the storage of
// bit-fields, structs as a whole, and the padding of structs that are passed as integers.
func (w *instrumenter) read(s string, in *llvmir.Instr) {
	switch in.Type.Kind {
	case llvmir.StructType, llvmir.ArrayType, llvmir.VectorType:
		return
	}
	ops := operands(s, "load ")
	if len(ops) < 2 {
		return
	}
	t, value := accessed(ops[1])
	k := w.fresh
	w.fresh++
	if f := w.m.Of(in).BitField; f != nil {
		w.readBits(t, value, in, k, s)
		return
	}
	whole := 0
	if w.m.Of(in).Coerced {
		whole = 1
	}
	w.emit("  %%up.%d = bitcast %s %s to i8*", k, t, value)
	w.emit("  call void @unitproof_read(i8* %%up.%d, i64 %d, i32 %d)%s", k, in.Type.StoreSize, whole, debugOf(s))
}

// readBits emits a check that the bits of a bit-field were written.
func (w *instrumenter) readBits(t, value string, in *llvmir.Instr, k int, s string) {
	if f := w.m.Of(in).BitField; f.Width > 0 {
		w.emit("  %%up.%d = bitcast %s %s to i8*", k, t, value)
		w.emit("  call void @unitproof_read_bits(i8* %%up.%d, i32 %d, i32 %d)%s", k, f.Low, f.Width, debugOf(s))
	}
}

// writeBits emits a store of a bit-field: the other bits of its storage remain written or unwritten.
func (w *instrumenter) writeBits(s string, in *llvmir.Instr, f *clangir.BitField) {
	ops := operands(s, "store ")
	if len(ops) < 2 {
		w.emit("%s", s)
		return
	}
	t, value := accessed(ops[1])
	k, n := w.next(), in.Args[0].Type.StoreSize
	w.emit("  %%up.%d = bitcast %s %s to i8*", k, t, value)
	w.emit("  call void @unitproof_before_bits(i8* %%up.%d, i64 %d)", k, n)
	w.emit("%s", s)
	w.emit("  call void @unitproof_wrote_bits(i8* %%up.%d, i64 %d, i32 %d, i32 %d)", k, n, f.Low, f.Width)
}

// givesCopies emits notifications of the structs that a call passes by value: the machine's copy does not pass on which
// of their bytes were never written.
func (w *instrumenter) givesCopies(s string, in *llvmir.Instr) {
	open := strings.Index(s, "@"+in.Callee.Const.Func.Name+"(")
	if open < 0 {
		return
	}
	args := splitTop(s[open+strings.IndexByte(s[open:], '(')+1:])
	for i, t := range in.ByVal {
		if t == nil || i >= len(args) {
			continue
		}
		typ, value := splitOperand(args[i])
		w.emit("  %%up.%d = bitcast %s %s to i8*", w.fresh, typ, value)
		w.emit("  call void @unitproof_give(i8* %%up.%d, i64 %d)", w.fresh, t.Size)
		w.fresh++
	}
}

// takesCopies emits the counterpart of givesCopies at the beginning of a function.
func (w *instrumenter) takesCopies() {
	for i, p := range w.fn.Params {
		if p.ByVal == nil {
			continue
		}
		w.emit("  %%up.%d = bitcast %s %s to i8*", w.fresh, typeText(p.Type), w.register(i))
		w.emit("  call void @unitproof_take(i8* %%up.%d, i64 %d)", w.fresh, p.ByVal.Size)
		w.fresh++
	}
}
