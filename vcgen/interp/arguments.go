package interp

import (
	"fmt"
	"slices"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// madeArguments are the choices made while the model constructs the arguments of main (clangir.Module.Before).
type madeArguments struct {
	from    int                            // number of choices of the execution before that
	content map[*state.Object]*state.Input // the last choice of the content of an object
}

// nameArguments attributes the choices for the arguments of main to inputs: argc, chosen first, and each string's
// content.
//
// The length of a string is visible in its content, so the other numbers are not inputs.
func (m *Machine) nameArguments(f *llvmir.Func, args []state.Value) {
	made := m.made
	m.made = madeArguments{}
	if made.content == nil {
		return
	}
	size := 0 // the parameter for the number that is chosen first
	if f.Name == language.FuzzTarget {
		size = 1
	}
	own := func(r *state.Input, name string) {
		r.Kind, r.Loc, r.In, r.Fn, r.Variable = choice.Parameter, f.Loc, f.SourceName, f.SourceName, name
	}
	last := map[*state.Input]bool{} // content that no other content replaced
	for _, r := range made.content {
		last[r] = true
	}
	numbers := 0
	m.Inputs = slices.DeleteFunc(m.Inputs, func(r *state.Input) bool {
		if r.Order <= made.from || !r.IsValue {
			return r.Order > made.from && !last[r]
		}
		if numbers++; numbers == 1 {
			own(r, f.Params[size].Name)
			r.DIType = f.Params[size].DIType
		}
		return numbers > 1
	})
	if size > 0 {
		data := args[0].Obj
		if data == nil {
			return
		}
		data.Input = f.Params[0].Name
		if r := made.content[data]; r != nil {
			own(r, data.Input)
			r.DIType = nil // an array of all bytes
		}
		return
	}
	for k := 1; k < len(args); k++ { // the arguments, and the environment
		list := args[k].Obj
		if list == nil || f.Params[k].Type.Kind != llvmir.PointerType {
			continue
		}
		for at := uint64(0); at+8 <= list.Size; at += 8 {
			text, _ := m.fetch(list, at, f.Params[k].Type)
			if r := made.content[text.Obj]; text.Obj != nil && r != nil {
				own(r, fmt.Sprintf("%s[%d]", f.Params[k].Name, at/8))
				text.Obj.Input = r.Variable
				r.DIType = nil // an array of all bytes
			}
		}
	}
}
