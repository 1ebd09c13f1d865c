package state

import (
	"maps"
	"slices"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Frame is one call of a function.
type Frame struct {
	Fn      *llvmir.Func
	Info    *FuncInfo
	Regs    []Value
	Call    *llvmir.Instr // the call in the frame below; nil for the entry
	Block   *llvmir.Block
	Prev    int // block from which control came; -1 at the start
	PC      int // next instruction of block
	Depth   int
	Serial  int       // number of the frame in the execution, from 0
	Own     []*Object // stack objects whose lifetime ends with the frame
	VLAs    []*Object // the subset that stackrestore can end, oldest first
	Extra   []Value   // variadic arguments
	Bound   []Binding // variables that came into scope, oldest first
	NoValue bool      // the result was read from a return slot that was never written
	stamp   uint32    // see journal
	// Carried has, by register, the unwritten bits of a struct that is passed as a number; nil if there is none.
	Carried map[int][]byte
	// Unnamed has, by register, functions that await the name of the variable to which the register is stored.
	Unnamed map[int]func(variable string, t *llvmir.DIType)
}

// Carry records which bits of the value in a register were never written.
func (fr *Frame) Carry(reg int, unwritten []byte) {
	if fr.Carried == nil {
		fr.Carried = map[int][]byte{}
	}
	fr.Carried[reg] = unwritten
}

// Receive copies the unwritten bits of an operand of another frame that is passed or returned to a register of this
// one.
func (fr *Frame) Receive(reg int, from *Frame, a llvmir.Operand) {
	var unwritten []byte
	if a.Kind == llvmir.OperandReg {
		unwritten = from.Carried[a.Reg]
	}
	if unwritten != nil || fr.Carried != nil {
		fr.Carry(reg, unwritten)
	}
}

// Binding associates a variable with its address.
type Binding struct {
	V    *llvmir.DIVar
	Addr Value
}

func (fr *Frame) clone() Frame {
	c := *fr
	c.Regs, c.Own, c.VLAs, c.Bound = slices.Clone(fr.Regs), slices.Clone(fr.Own), slices.Clone(fr.VLAs),
		slices.Clone(fr.Bound)
	c.Carried, c.Unnamed = maps.Clone(fr.Carried), maps.Clone(fr.Unnamed)
	return c
}

// FuncInfo is static information about a function.
type FuncInfo struct {
	Def  []*llvmir.Instr // the instruction that defines each register; nil for parameters
	Used []bool          // registers that some instruction uses
	Vars []*llvmir.DIVar // by register: the variable at this address
	// Stored is, by register, the first instruction that stores it.
	Stored []*llvmir.Instr
}

// Definition returns the instruction that computes an operand, or nil if there is none.
func (i *FuncInfo) Definition(a llvmir.Operand) *llvmir.Instr {
	if a.Kind != llvmir.OperandReg {
		return nil
	}
	return i.Def[a.Reg]
}

// InfoOf computes the FuncInfo of a function.
func InfoOf(f *llvmir.Func) *FuncInfo {
	i := &FuncInfo{Def: make([]*llvmir.Instr, f.NumRegs), Used: make([]bool, f.NumRegs),
		Vars: make([]*llvmir.DIVar, f.NumRegs), Stored: make([]*llvmir.Instr, f.NumRegs)}
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			if in.Dst >= 0 {
				i.Def[in.Dst] = in
			}
			if in.Op == llvmir.OpStore && in.Args[0].Kind == llvmir.OperandReg && i.Stored[in.Args[0].Reg] == nil {
				i.Stored[in.Args[0].Reg] = in
			}
			if in.Op == llvmir.OpDbgDeclare || in.Op == llvmir.OpDbgValue {
				if in.Op == llvmir.OpDbgDeclare && in.Args[0].Kind == llvmir.OperandReg && in.Text == "" {
					i.Vars[in.Args[0].Reg] = in.Var
				}
				continue
			}
			for _, a := range in.Args {
				if a.Kind == llvmir.OperandReg {
					i.Used[a.Reg] = true
				}
			}
			if in.Op == llvmir.OpCall && in.Callee.Kind == llvmir.OperandReg {
				i.Used[in.Callee.Reg] = true
			}
		}
	}
	return i
}
