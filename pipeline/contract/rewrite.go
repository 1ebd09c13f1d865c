package contract

import (
	"slices"
)

// Name is the name and the position of a function with a contract.
type Name struct {
	Name         string
	File         string
	Line, Column int
}

// Rewrite translates a preprocessed text with contracts to C without contracts. It also returns the functions with
// contracts. The error for a contract that cannot be read has the type *Error. read returns the text of a file of the
// user, or nil if its columns do not matter.
func Rewrite(text []byte, read func(file string) []byte) (out []byte, functions []Name, err error) {
	src := aligned(text, read)
	r, err := newReader(src)
	if err != nil {
		return nil, nil, err
	}
	c := &conditions{reader: r, w: &writer{src: src}, lifted: r.lift()}
	c.w.raw([]byte(prelude()))
	if err := c.everything(); err != nil {
		return nil, nil, err
	}
	c.weakPredicates()
	c.predicateHeads()
	if err := c.predicateBodies(); err != nil {
		return nil, nil, err
	}
	done := map[string]function{}
	for _, f := range r.functions {
		name := r.word(f.name)
		p := src.fineAt(r.tokens[f.name].Start)
		if first, again := done[name]; again {
			if !r.sameContract(first, f) {
				return nil, nil, r.wrong(f.clauses[0].name, "%s has another contract already", name)
			}
			continue
		}
		done[name] = f
		functions = append(functions, Name{name, src.files[p.file], p.line, p.column})
		if err := c.functionCode(f); err != nil {
			return nil, nil, err
		}
	}
	c.w.raw([]byte("\n"))
	return c.w.out, functions, nil
}

// sameContract reports whether two declarations of a function have the same clauses.
func (r *reader) sameContract(a, b function) bool {
	words := func(f function) (list []string) {
		for _, cl := range f.clauses {
			for i := cl.name; i <= cl.close; i++ {
				list = append(list, r.tokens[i].Of(r.src.text))
			}
		}
		return list
	}
	return slices.Equal(words(a), words(b))
}

// edit has the insertions around a token, and whether the token is dropped.
type edit struct {
	before, after []func() error
	skip          bool
}

// edits are the edits of a text, by token.
type edits map[int]*edit

func (e edits) at(i int) *edit {
	if e[i] == nil {
		e[i] = &edit{}
	}
	return e[i]
}

// skip drops clauses.
func (e edits) skip(list []clause) {
	for _, cl := range list {
		for i := cl.name; i <= cl.close; i++ {
			e.at(i).skip = true
		}
	}
}

// everything writes the text without contracts and with the heads of loops.
func (c *conditions) everything() error {
	e := edits{}
	for _, f := range c.functions {
		e.skip(f.clauses)
	}
	for _, l := range c.loops {
		if err := c.rewriteLoop(l, e); err != nil {
			return err
		}
	}
	c.rewriteQuantifiers(e)
	return c.apply(e)
}

// rewriteLoop adds the edits of a loop with a contract.
func (c *conditions) rewriteLoop(l loop, e edits) error {
	if err := c.enteredFromOutside(l); err != nil {
		return err
	}
	e.skip(l.clauses)
	s := &scope{use: checked, inLoop: true, fresh: &slots{}}
	var init span
	cond := span{l.open + 1, l.shut}
	if l.word == "for" {
		first := c.find(l.open+1, l.shut, ";")
		if first < 0 {
			return c.wrong(l.start, "the head of the loop is not understood")
		}
		second := c.find(first+1, l.shut, ";")
		if second < 0 {
			return c.wrong(l.start, "the head of the loop is not understood")
		}
		init, cond = span{l.open + 1, first}, span{first + 1, second}
		for i := init.lo; i < init.hi; i++ {
			e.at(i).skip = true
		}
	}
	late := c.entersLate(l, cond)
	e.at(l.start).before = append(e.at(l.start).before, func() error {
		c.w.text("{ ")
		for i := init.lo; i < init.hi; i++ {
			c.token(i)
		}
		c.w.text(";")
		return c.loopBegin(l, s, late)
	})
	head := func() error {
		c.w.move(c.src.fineAt(c.tokens[l.clauses[0].name].Start))
		return c.loopHead(l, *s, cond, late)
	}
	if l.word == "do" {
		e.at(l.body).after = append(e.at(l.body).after, func() error {
			err := head()
			c.w.text(";")
			return err
		})
	} else if late {
		e.at(cond.lo - 1).after = append(e.at(cond.lo-1).after, func() error {
			err := head()
			if c.w.text(", "); cond.lo == cond.hi {
				c.w.text("1")
			} else {
				c.w.text("(")
			}
			return err
		})
		if cond.lo < cond.hi {
			e.at(cond.hi).before = append(e.at(cond.hi).before, func() error { c.w.text(")"); return nil })
		}
	} else {
		for i := cond.lo; i < cond.hi; i++ {
			e.at(i).skip = true
		}
		e.at(cond.lo - 1).after = append(e.at(cond.lo-1).after, func() error {
			c.w.text("__extension__({ ")
			if err := head(); err != nil {
				return err
			}
			return c.loopEntered(l, *s, cond)
		})
	}
	for _, out := range c.exits(l) {
		e.at(out.open).after = append(e.at(out.open).after, func() error {
			for range out.loops {
				c.ours(" __unitproof_loop_leaving(1);")
			}
			return nil
		})
		e.at(out.last).before = append(e.at(out.last).before, func() error {
			c.ours(" __unitproof_loop_leaving(0);")
			return nil
		})
	}
	e.at(l.last).after = append([]func() error{func() error {
		if !late {
			c.w.text(" %s: ;", c.out(l))
		}
		c.w.text(" }")
		return nil
	}}, e.at(l.last).after...)
	return nil
}

// rewriteQuantifiers adds the edits of quantifiers outside of clauses.
func (c *conditions) rewriteQuantifiers(e edits) {
	for i := 0; i < len(c.tokens); i++ {
		if !quantifiers[c.word(i)] || e[i] != nil && e[i].skip || !c.is(i+1, "{") || c.partner[i+1] < 0 {
			continue
		}
		first := i
		e.at(i).before = append(e.at(i).before, func() error {
			return c.quantifier(first, scope{use: checked, inLoop: true})
		})
		for end := c.partner[i+1]; i <= end; i++ {
			e.at(i).skip = true
		}
		i--
	}
}

// apply writes the text with the edits.
func (c *conditions) apply(all edits) error {
	from := 0
	where := make([]int, 0, len(all))
	for i := range all {
		where = append(where, i)
	}
	slices.Sort(where)
	for _, i := range where {
		e, t := all[i], c.tokens[i]
		if len(e.before) > 0 || e.skip {
			c.w.copy(from, t.Start)
			from = t.Start
		}
		for _, f := range e.before {
			if err := f(); err != nil {
				return err
			}
		}
		if e.skip {
			from = t.End
			continue
		}
		if len(e.after) > 0 {
			c.w.copy(from, t.End)
			from = t.End
			for _, f := range e.after {
				if err := f(); err != nil {
					return err
				}
			}
		}
	}
	c.w.copy(from, len(c.src.text))
	return nil
}

// enteredFromOutside returns an error if a jump enters the loop from outside, which would bypass its invariant.
func (c *conditions) enteredFromOutside(l loop) error {
	top := c.outermost(l)
	labels := map[string]bool{}
	for i := l.start; i <= l.last; i++ {
		word := c.word(i)
		if word == "case" || word == "default" {
			inside := false
			for b := c.around(i); b > l.start; b = c.around(b) {
				if c.is(b-1, ")") && c.partner[b-1] > 0 && c.word(c.partner[b-1]-1) == "switch" {
					inside = true
					break
				}
			}
			if !inside && !c.is(i-1, ",") && !c.is(i-1, "(") {
				return c.wrong(i, "a loop with a contract may not be entered by a switch around it")
			}
		}
		if word != "" && c.is(i+1, ":") && !c.is(i-1, "?") {
			labels[word] = true
		}
	}
	for i := top; i < len(c.tokens) && (c.depth[i] > 0 || i == top); i++ {
		if (i < l.start || i > l.last) && c.word(i) == "goto" && labels[c.word(i+1)] {
			return c.wrong(i, "a loop with a contract may not be entered by goto")
		}
	}
	return nil
}

// outermost returns the first token of the body of the function around a loop.
func (c *conditions) outermost(l loop) int {
	top := l.start
	for top > 0 && c.depth[top] > 0 {
		top--
	}
	return top
}

// around returns the brace that opens the block around token i, or -1.
func (c *conditions) around(i int) int {
	for b := i - 1; b >= 0; b-- {
		if c.is(b, "}") && c.partner[b] >= 0 {
			b = c.partner[b]
			continue
		}
		if c.is(b, "{") {
			return b
		}
	}
	return -1
}
