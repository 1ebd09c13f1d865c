package unfold

import (
	"bytes"
	"strings"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// output executes a function that prints: the result is arbitrary, and memory is unchanged. The reads of such a
// function are not checked: its strings are assumed to be valid, which is reported as an assumption. A format with %n,
// which writes, is unsupported.
func (cc *callCtx) output(function language.Entry) {
	r, name := cc.r(), function.Name
	reads := function.Strings
	if i := function.Format - 1; i >= 0 {
		format, known := constantString(cc.in, i)
		known = known && !strings.Contains(format, "$")
		conversions := conversionsOf(format)
		if bytes.IndexByte(conversions, 'n') >= 0 {
			cc.unsupported("%n of " + name)
			return
		}
		reads = !known
		for k, conv := range conversions {
			if conv == 's' || conv == 'S' {
				_, known := constantString(cc.in, i+1+k)
				reads = reads || !known
			}
		}
	}
	if reads {
		r.note(found.Assumption{What: found.ValidStrings, Name: name}, cc.site, 0)
	}
	if cc.in.Type.Kind != llvmir.VoidType {
		cc.ret = r.arbitrary(choice.Nondet, cc.in.Type, cc.p, cc.in.ID, name)
	}
}

// constantString returns an argument that is the address of a constant string, up to its terminating zero.
func constantString(in *llvmir.Instr, arg int) (string, bool) {
	if arg >= len(in.Args) || in.Args[arg].Kind != llvmir.OperandConst {
		return "", false
	}
	k := in.Args[arg].Const
	if k == nil || k.Kind != llvmir.ConstGlobal || k.Global.Init == nil || k.Offset < 0 {
		return "", false
	}
	switch init := k.Global.Init; init.Kind {
	case llvmir.ConstZero:
		return "", true
	case llvmir.ConstData:
		if k.Offset < int64(len(init.Data)) {
			if s, _, ok := bytes.Cut(init.Data[k.Offset:], []byte{0}); ok {
				return string(s), k.Global.Constant
			}
		}
	}
	return "", false
}

// conversionsOf lists the arguments that a format takes: the letters of its conversions, and a * for each width or
// precision that is an argument. Flags, numbers and lengths are skipped. The order is meaningless if arguments are
// numbered.
func conversionsOf(format string) []byte {
	var out []byte
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			continue
		}
		for i++; i < len(format) && strings.IndexByte("-+ #0'I123456789*.$hlLqjztZ", format[i]) >= 0; i++ {
			if format[i] == '*' {
				out = append(out, '*')
			}
		}
		if i < len(format) && format[i] != '%' {
			out = append(out, format[i])
		}
	}
	return out
}
