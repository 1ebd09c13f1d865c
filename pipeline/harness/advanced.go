package harness

import (
	"fmt"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// A parser often takes the address of a position, and advances the position for its caller. A number beside it, or the
// end, limits the block in which the position is:
//
//	int get_byte(const uint8_t **p, size_t len);
//	int get_tag(unsigned char **p, const unsigned char *end);

// limited is a parameter to a position in a block, with the parameter that limits the block.
type limited struct {
	by  int  // the number of that parameter
	end bool // it points to the end; otherwise it is the length
}

// takesBehind records that the pointer at which a parameter points is loaded.
func (w *walk) takesBehind(load *llvmir.Instr) {
	if w.slot(load.Args[0]) >= 0 || !isPointer(load.Type) {
		return
	}
	if params, off, ok := w.constantOffset(load.Args[0], 0); ok && off == 0 {
		w.pointers(params).each(func(n int) { w.out.params[n].taken = true })
	}
}

// positions finds the parameters that point to a position in a block with a limit.
func (w *writer) positions() {
	w.limits = map[int]limited{}
	used := map[int]bool{}
	for i := range w.params {
		p := &w.params[i]
		if p.typ.Kind != llvmir.DIPointer || p.indexed || !p.taken || !canHaveLength(p.typ.Elem) ||
			p.extent > p.typ.Elem.Bits/8 || p.length >= 0 {
			continue
		}
		for k := i + 1; k < len(w.params) && !used[k]; k++ {
			q := &w.params[k]
			end := q.typ.Kind == llvmir.DIPointer && q.typ.Elem != nil && p.typ.Elem.Elem != nil &&
				q.typ.Elem.Name == p.typ.Elem.Elem.Name && q.typ.Elem.Bits > 0 && endName.MatchString(q.name)
			if end || k == i+1 && isLength(q.name, q.typ) {
				w.limits[i], used[k] = limited{k, end}, true
				break
			}
		}
	}
}

func (w *writer) hasLimit(n int) bool {
	_, ok := w.limits[n]
	return ok
}

// isLimit reports whether a parameter is the length or the end of the block behind another one.
func (w *writer) isLimit(n int) bool {
	for _, l := range w.limits {
		if l.by == n {
			return true
		}
	}
	return false
}

// position writes the argument for a position in a block, and its limit if that is the end.
func (w *writer) position(p *parameter, l limited) string {
	w.block, w.sized = true, true
	q := &w.params[l.by]
	size := q.name
	if l.end {
		size = w.variable(p.name+"_size", 0)
		w.line("size_t "+size+" = nd_size_t();", "")
		w.line(fmt.Sprintf("assume(%s <= %s);", size, SizeMacro), "")
	}
	bytes := size
	if e := p.typ.Elem.Elem; e != nil && e.Bits > 8 {
		bytes += " * sizeof **" + p.name
	}
	value, comment := "any_block(sizeof *"+p.name+")", ""
	if p.null {
		value, comment = "nd_bool() ? "+value+" : NULL", "NULL: the code checks for it"
	}
	w.line(declare(plain(p.typ), p.name)+" = "+value+";", comment)
	role := "size"
	if l.end {
		role = "end"
	}
	what := w.ask("is " + q.name + " the " + role + " of the block behind *" + p.name + "?")
	block := w.blockOf(bytes, p.typ.Elem.Elem)
	if l.end {
		start := w.variable(p.name+"_start", 0)
		w.line(declare(plain(p.typ.Elem), start)+" = "+block+";", what)
		w.line(declare(plain(q.typ), q.name)+" = "+start+" + "+size+";", "")
		block, what = start, ""
	}
	statement := "*" + p.name + " = " + block + ";"
	if p.null {
		statement = "if (" + p.name + " != NULL) " + statement
	}
	w.line(statement, what)
	return p.name
}
