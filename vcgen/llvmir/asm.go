package llvmir

import (
	"math/big"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// asmConstraint is a constraint of inline assembly, except clobbers.
type asmConstraint struct {
	text             string
	output, indirect bool
	arg              int // index of its argument; -1: it is a part of the result
}

func (in *Instr) constraints() []asmConstraint {
	var list []asmConstraint
	arg := 0
	for c := range strings.SplitSeq(in.AsmConstraints, ",") {
		if c == "" || strings.HasPrefix(c, "~") { // a clobbered register
			continue
		}
		a := asmConstraint{text: c, output: strings.HasPrefix(c, "="), indirect: strings.Contains(c, "*"), arg: arg}
		if a.output && !a.indirect {
			a.arg = -1
		} else {
			arg++
		}
		if a.arg < len(in.Args) {
			list = append(list, a)
		}
	}
	return list
}

// AsmResult is a result of inline assembly.
type AsmResult struct {
	To   int   // the argument that is the address of the result; -1: it is the instruction's result, or a member of that
	From int   // the argument that is its value; -1: any value
	Type *Type // nil: unknown
}

// AsmResults lists the results of inline assembly: first the result or its members, in order, then those in memory.
//
// An empty template executes nothing. Then
//
//   - an output that shares its location with an argument ("+r" in C, here the constraint 0) is that argument,
//   - memory that is both input and output ("+m") is unchanged and not listed,
//   - memory that is only an output is listed with any value, because a compiler may have removed earlier stores to
//     it.
func (in *Instr) AsmResults() []AsmResult {
	var direct, memory []AsmResult
	list := in.constraints()
	for number, c := range list {
		if !c.output {
			continue
		}
		r := AsmResult{To: c.arg, From: -1}
		if c.indirect {
			if in.Indirect != nil {
				r.Type = in.Indirect[c.arg]
			}
			if in.Text == "" && in.readsMemory(list, in.Args[c.arg]) {
				continue
			}
		}
		if in.Text == "" {
			r.From = tiedTo(list, number)
		}
		if c.indirect {
			memory = append(memory, r)
		} else {
			direct = append(direct, r)
		}
	}
	for i := range direct {
		if direct[i].Type = in.Type; len(direct) > 1 && in.Type.Kind == StructType && len(in.Type.Fields) == len(direct) {
			direct[i].Type = in.Type.Fields[i]
		}
	}
	all := append(direct, memory...)
	for i := range all {
		if r := &all[i]; r.From >= 0 && in.Args[r.From].Type != r.Type {
			r.From = -1
		}
	}
	return all
}

// tiedTo returns the argument that shares the location of an output; -1 if there is none.
func tiedTo(list []asmConstraint, output int) int {
	for _, c := range list {
		if n, err := strconv.Atoi(c.text); err == nil && n == output {
			return c.arg
		}
	}
	return -1
}

// readsMemory reports whether the memory at an address is an input.
func (in *Instr) readsMemory(list []asmConstraint, address Operand) bool {
	for _, c := range list {
		if a := &in.Args[max(c.arg, 0)]; !c.output && c.indirect && a.Kind == address.Kind && a.Reg == address.Reg &&
			reflect.DeepEqual(a.Const, address.Const) {
			return true
		}
	}
	return false
}

// template matches a single x86-64 instruction in AT&T syntax that is equivalent to an intrinsic on its operand.
//
// The suffix and the operand's modifier determine its width, if present.
var template = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*(bswap|rol|ror)([wlq]?)\s+(?:\$\$(\d+)\s*,\s*)?(?:\$0|\$\{0:([wkq])\})\s*$`)
})

// asmWidth returns the width of a suffix or operand modifier; 0 if there is none.
func asmWidth(said string) int {
	switch said {
	case "w":
		return 16
	case "l", "k":
		return 32
	case "q":
		return 64
	}
	return 0
}

// AsmCall returns the call of an intrinsic that is equivalent to inline assembly.
//
// It has the same ID, result and location. It is nil if the template is not supported.
func (in *Instr) AsmCall() *Instr {
	if in.Text == "" || in.Type.Kind != IntType || len(in.Args) != 1 || in.Args[0].Type != in.Type {
		return nil
	}
	list := in.constraints()
	if len(list) != 2 || list[0].indirect || tiedTo(list, 0) != 0 {
		return nil
	}
	m := template().FindStringSubmatch(in.Text)
	if m == nil {
		return nil
	}
	width := in.Type.Bits
	for _, said := range []int{asmWidth(m[2]), asmWidth(m[4])} {
		if said != 0 && said != width {
			return nil
		}
	}
	count, _ := strconv.Atoi(m[3])
	call := *in
	call.Op, call.Text, call.AsmConstraints = OpCall, "", ""
	switch rotates := m[1] != "bswap"; {
	case rotates && (m[3] == "" || count >= width || width < 16), !rotates && (m[3] != "" || width < 32), width > 64:
		return nil
	case !rotates:
		call.Intrinsic = "bswap"
	default:
		if call.Intrinsic = "fshl"; m[1] == "ror" {
			call.Intrinsic = "fshr"
		}
		by := Operand{Kind: OperandConst, Type: in.Type,
			Const: &Const{Kind: ConstInt, Type: in.Type, Int: big.NewInt(int64(count))}}
		call.Args = []Operand{in.Args[0], in.Args[0], by}
	}
	return &call
}

// describeIndirect records the target types of arguments of inline assembly that are addresses.
//
// They come from the text or from the pointer types.
func (in *Instr) describeIndirect(said func(arg int) *Type) {
	for _, c := range in.constraints() {
		if !c.indirect {
			continue
		}
		if in.Indirect == nil {
			in.Indirect = make([]*Type, len(in.Args))
		}
		if in.Indirect[c.arg] = said(c.arg); in.Indirect[c.arg] == nil {
			in.Indirect[c.arg] = in.Args[c.arg].Type.Elem
		}
	}
}
