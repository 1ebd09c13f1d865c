package llvmir

import (
	"bytes"
	"slices"
)

// entities are what a module has at its top level, as places in its text.
type entities struct {
	typeDefs  []entity
	objects   []entity // variables and aliases
	functions []entity
	groups    []entity // attributes
	nodes     map[int64]mdNode
}

// entity is a place in the text: what stands at start, behind name and "=" or at the keyword, up to end.
type entity struct {
	name       string
	id         int64 // of a group of attributes
	start, end int
	body       int // of a function: where its block begins, 0 for a declaration
}

// module reads the whole text.
func (r *reader) module() {
	r.declaring = true
	r.cut()
	for _, e := range r.typeDefs {
		r.seek(e.start)
		r.defineType(e.name)
		r.ends(e.end)
	}
	r.typesDefined()
	for _, e := range r.groups {
		r.seek(e.start)
		r.groupFacts[e.id] = r.group()
		r.ends(e.end)
	}
	for i := range r.objects {
		r.seek(r.objects[i].start)
		r.declareObject(&r.objects[i])
	}
	for i := range r.functions {
		r.seek(r.functions[i].start)
		r.declareFunc(&r.functions[i])
	}
	r.define()
}

// define reads what the declared symbols stand for.
func (r *reader) define() {
	for _, e := range r.objects {
		if s := r.symbols[e.name]; s.ifunc {
			r.seek(s.aliasee)
			r.aliasee(s)
			r.m.Funcs = append(r.m.Funcs, s.fn)
			r.m.FuncByName[s.name] = s.fn
		}
	}
	for _, e := range r.objects {
		if s := r.symbols[e.name]; s.aliasee > 0 && !s.ifunc {
			r.nameAlias(s)
		}
	}
	for _, e := range r.objects {
		if s := r.symbols[e.name]; s.tailAt > 0 {
			r.defineGlobal(s)
		}
	}
	for _, e := range r.functions {
		if s := r.symbols[e.name]; s.debug != 0 {
			r.describeFunc(s.fn, s.debug)
		}
		r.constParams(r.symbols[e.name].fn)
	}
	for _, e := range r.functions {
		if e.body > 0 {
			r.body(r.symbols[e.name].fn, e)
		}
	}
	if s := r.symbols["llvm.global_ctors"]; s != nil && s.init != nil {
		r.start = s.initAt
		r.m.Ctors = r.byPriority(s.init)
	}
	if s := r.symbols["llvm.global_dtors"]; s != nil && s.init != nil {
		r.start = s.initAt
		r.m.Dtors = r.byPriority(s.init)
		slices.Reverse(r.m.Dtors) // as the table of an ELF file is gone through
	}
	r.debug.finish()
}

// ends checks that an entity was read to its end.
func (r *reader) ends(end int) {
	if r.start < end && r.kind != tokEOF {
		r.fail("%q is not known here", r.shown())
	}
}

// cut finds the entities. It does not look into them, but for strings, comments and brackets.
func (r *reader) cut() {
	r.nodes = map[int64]mdNode{}
	var layout, triple string
	unnamed := 0
	number := func(name string) { // of a variable or function without a name
		if !numeral([]byte(name)) {
			return
		}
		if name != itoa(unnamed) {
			r.fail("@%s stands where @%d belongs", name, unnamed)
		}
		unnamed++
	}
	for r.seek(0); r.kind != tokEOF; {
		begin := r.start
		switch r.kind {
		case tokGlobal, tokLocal:
			isType := r.kind == tokLocal
			e := entity{name: string(r.name())}
			if !isType {
				number(e.name)
			}
			r.next()
			r.expect('=')
			if isType {
				r.expectWord("type")
			}
			e.start = r.start
			r.skipEntity()
			e.end = r.start
			if isType {
				r.typeDefs = append(r.typeDefs, e)
			} else {
				r.objects = append(r.objects, e)
			}
		case tokNode:
			id := r.decimal(r.word()[1:], maxNumber)
			r.next()
			r.expect('=')
			r.acceptWord("distinct")
			if _, ok := r.nodes[id]; ok {
				r.start = begin
				r.fail("metadata !%d is defined twice", id)
			}
			r.nodes[id] = mdNode(r.start)
			r.skipNode()
		case tokMetaName:
			r.next()
			r.expect('=')
			r.skipNode()
		case tokComdat:
			r.next()
			r.expect('=')
			r.expectWord("comdat")
			if r.kind != tokWord {
				r.fail("%q stands where the kind of a comdat belongs", r.shown())
			}
			r.next()
		case tokWord:
			if r.isWord("define") || r.isWord("declare") {
				e := r.cutFunction()
				number(e.name)
				r.functions = append(r.functions, e)
				continue
			}
			r.cutWord(&layout, &triple)
		default:
			r.fail("%q begins nothing that is known here", r.shown())
		}
	}
}

// cutWord finds an entity that begins with a keyword.
func (r *reader) cutWord(layout, triple *string) {
	begin := r.start
	switch string(r.word()) {
	case "attributes":
		r.next()
		if r.kind != tokGroup {
			r.fail("%q stands where the number of a group belongs", r.shown())
		}
		e := entity{id: r.decimal(r.word()[1:], maxNumber)}
		r.next()
		r.expect('=')
		e.start = r.start
		if !r.is('{') {
			r.fail("%q stands where attributes belong", r.shown())
		}
		r.skipGroup()
		e.end = r.start
		r.groups = append(r.groups, e)
	case "source_filename":
		r.next()
		r.expect('=')
		r.str()
	case "target":
		r.next()
		to := triple
		if r.isWord("datalayout") {
			to = layout
		} else if !r.isWord("triple") {
			r.fail("%q is not known here", r.shown())
		}
		r.next()
		r.expect('=')
		*to = r.str()
		widest, err := checkTarget(*layout, *triple)
		if err != nil {
			r.start = begin
			r.fail("%v", err)
		}
		r.types.widest = widest
	case "module":
		r.next()
		r.expectWord("asm")
		r.str()
	default:
		r.fail("%q begins nothing that is known here", r.shown())
	}
}

// cutFunction finds a function and its body.
func (r *reader) cutFunction() entity {
	isDefinition := r.isWord("define")
	r.next()
	e := entity{start: r.start}
	for r.kind != tokGlobal {
		if r.kind == tokEOF {
			r.fail("a function has no name")
		}
		r.next()
	}
	e.name = string(r.name())
	r.next()
	if !r.is('(') {
		r.fail("%q stands where parameters belong", r.shown())
	}
	r.skipGroup()
	if !isDefinition {
		r.skipEntity()
		e.end = r.start
		return e
	}
	for !r.is('{') {
		switch {
		case r.is('('):
			r.skipGroup()
		case r.kind == tokEOF:
			r.fail("a function has no body")
		default:
			r.next()
		}
	}
	e.body = r.start
	r.skipGroup()
	e.end = r.start
	return e
}

// skipEntity goes to the next entity: to a line that begins like one, outside brackets.
func (r *reader) skipEntity() {
	for !r.beginsEntity() {
		r.end = r.lineEnd(r.start)
		r.next()
	}
}

// beginsEntity reports whether the current token is the first of an entity.
func (r *reader) beginsEntity() bool {
	switch r.kind {
	case tokEOF, tokNode, tokMetaName, tokComdat:
		return true
	case tokGlobal, tokLocal:
		i := r.skipSpace(r.end)
		return i < len(r.text) && r.text[i] == '='
	case tokWord:
		switch string(r.word()) {
		case "define", "declare", "attributes", "source_filename", "target", "module", "uselistorder", "uselistorder_bb":
			return true
		}
	}
	return false
}

// lineEnd returns the next end of a line outside brackets.
func (l *lexer) lineEnd(i int) int {
	text := l.text
	depth := 0
	for ; i < len(text); i++ {
		switch text[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case '"':
			i = l.quote(i) - 1
		case ';':
			if n := bytes.IndexByte(text[i:], '\n'); n >= 0 {
				i += n - 1
			} else {
				i = len(text) - 1
			}
		case '\n':
			if depth <= 0 {
				return i
			}
		}
	}
	return i
}
