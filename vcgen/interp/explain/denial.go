package explain

import (
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// NoteDenial records why fr, which is about to return ret, returns false; used in runs with a trace.
func (w *View) NoteDenial(fr *state.Frame, ret state.Value) {
	t := fr.Fn.Ret
	if t.Kind != llvmir.IntType || t.Bits > 32 {
		return
	}
	delete(w.Denials, fr.Call)
	in := fr.Block.Term()
	if ret.Bits&state.Mask(t.Bits) != 0 || in.Op != llvmir.OpRet || len(in.Args) == 0 || !w.userFunction(fr.Fn) {
		return
	}
	if c := w.comparison(fr, in.Args[0], maxExpression); c != nil && c.Pos != (found.Pos{}) {
		d := &found.Denial{Function: fr.Fn.SourceName, Comparison: *c, Operands: w.operandsOf(fr, in.Args[0])}
		w.Denials[fr.Call] = d
	} else if call := denyingCall(fr, in.Args[0], maxExpression); call != nil && w.Denials[call] != nil {
		w.Denials[fr.Call] = w.Denials[call]
	}
}

func (w *View) userFunction(f *llvmir.Func) bool {
	l := f.Blocks[0].Instrs[len(f.Blocks[0].Instrs)-1].Loc
	for _, in := range f.Blocks[0].Instrs {
		if in.Loc != nil && in.Loc.Line > 0 {
			l = in.Loc
			break
		}
	}
	return l != nil && w.UserFile(l.File)
}

// denyingCall returns the call whose result makes a condition false; nil if there is none.
func denyingCall(fr *state.Frame, a llvmir.Operand, depth int) *llvmir.Instr {
	if a.Kind != llvmir.OperandReg || depth == 0 || fr.Info.Def[a.Reg] == nil || fr.Regs[a.Reg].Bits != 0 {
		return nil
	}
	def := fr.Info.Def[a.Reg]
	switch def.Op {
	case llvmir.OpCall:
		return def
	case llvmir.OpTrunc, llvmir.OpZExt, llvmir.OpFreeze:
		return denyingCall(fr, def.Args[0], depth-1)
	case llvmir.OpICmp:
		// An int used as a condition.
		if k := def.Args[1].Const; def.Pred == llvmir.PredNE && k != nil && k.Kind == llvmir.ConstInt && k.Int.Sign() == 0 {
			return denyingCall(fr, def.Args[0], depth-1)
		}
	case llvmir.OpPhi:
		// The operand of && and || that was evaluated last.
		if fr.Block.Instrs[0] != def {
			return nil
		}
		for i, p := range def.In {
			if p != fr.Prev {
				continue
			}
			if def.Args[i].Kind == llvmir.OperandReg {
				return denyingCall(fr, def.Args[i], depth-1)
			}
			if t := fr.Fn.Blocks[p].Term(); t.Op == llvmir.OpCondBr {
				return denyingCall(fr, t.Args[0], depth-1)
			}
		}
	}
	return nil
}
