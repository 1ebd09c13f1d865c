package interp

import (
	"fmt"
	"slices"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// madeArguments is what is chosen while the model makes the arguments of main (clangir.Module.Before).
type madeArguments struct {
	from    int                            // the choices of the execution before that
	content map[*state.Object]*state.Input // the last choice of the content of an object
}

// nameArguments makes inputs of main of what the model chose for its arguments: their number, which it chooses first,
// and the content of each string. How long the strings are shows in their content, so the other numbers are no inputs.
func (m *Machine) nameArguments(f *llvmir.Func, args []state.Value) {
	made := m.made
	m.made = madeArguments{}
	if made.content == nil {
		return
	}
	own := func(r *state.Input, name string) {
		r.Kind, r.Loc, r.In, r.Fn, r.Variable = choice.Parameter, f.Loc, f.SourceName, f.SourceName, name
	}
	numbers := 0
	m.Inputs = slices.DeleteFunc(m.Inputs, func(r *state.Input) bool {
		if r.Order <= made.from || !r.IsValue {
			return false
		}
		if numbers++; numbers == 1 {
			own(r, f.Params[0].Name)
		}
		return numbers > 1
	})
	for k := 1; k < len(args); k++ { // the arguments, and the environment
		list := args[k].Obj
		if list == nil || f.Params[k].Type.Kind != llvmir.PointerType {
			continue
		}
		for at := uint64(0); at+8 <= list.Size; at += 8 {
			text, _ := m.fetch(list, at, f.Params[k].Type)
			if r := made.content[text.Obj]; text.Obj != nil && r != nil {
				own(r, fmt.Sprintf("%s[%d]", f.Params[k].Name, at/8))
				r.DIType = nil // an array of as many bytes as there are
			}
		}
	}
}
