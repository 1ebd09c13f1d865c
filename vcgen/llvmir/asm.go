package llvmir

import (
	"math/big"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// asmConstraint is a constraint of inline assembly that is no clobber.
type asmConstraint struct {
	text             string
	output, indirect bool
	arg              int // the argument that it is about; -1: none, it is a part of the result
}

func (in *Instr) constraints() []asmConstraint {
	var list []asmConstraint
	arg := 0
	for c := range strings.SplitSeq(in.AsmConstraints, ",") {
		if c == "" || strings.HasPrefix(c, "~") { // a register that is overwritten
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

// AsmResult is what inline assembly leaves in one place.
type AsmResult struct {
	To   int   // the argument that is the address of the place; -1: it is the instruction's result, or a member of that
	From int   // the argument that it is; -1: any value
	Type *Type // nil: not known
}

// AsmResults lists what inline assembly leaves: the result or its members, in their order, and then what is in memory.
//
// An empty template executes nothing. What shares its place with an argument ("+r" in C, here the constraint 0) is that
// argument then, and memory that is an argument, too ("+m"), stays as it is and is not listed. Memory that is a result
// only is: what was stored there before may have been left out by a compiler.
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

// tiedTo is the argument that shares the place of an output, -1: none does.
func tiedTo(list []asmConstraint, output int) int {
	for _, c := range list {
		if n, err := strconv.Atoi(c.text); err == nil && n == output {
			return c.arg
		}
	}
	return -1
}

// readsMemory tells whether the memory at an address is an argument.
func (in *Instr) readsMemory(list []asmConstraint, address Operand) bool {
	for _, c := range list {
		if a := &in.Args[max(c.arg, 0)]; !c.output && c.indirect && a.Kind == address.Kind && a.Reg == address.Reg &&
			reflect.DeepEqual(a.Const, address.Const) {
			return true
		}
	}
	return false
}

// template is an instruction that computes what an intrinsic does, from the operand that it overwrites: of x86-64, in
// AT&T's syntax. The suffix and the operand's modifier say its width, where they stand there.
var template = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*(bswap|rol|ror)([wlq]?)\s+(?:\$\$(\d+)\s*,\s*)?(?:\$0|\$\{0:([wkq])\})\s*$`)
})

// asmWidth is the width that a suffix or the modifier of an operand says, 0 for none.
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

// AsmCall is the call of an intrinsic that computes what inline assembly computes, of the same ID, result and place;
// nil where the template is not known here.
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

// describeIndirect notes what arguments of inline assembly are addresses of: as the text says it, or as their type
// does.
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
