package llvmir

import (
	"slices"

	"github.com/unitproof/unitproof/vcgen/llvmir/lexer"
)

// entities are the top-level parts of a module, as ranges of its text.
type entities struct {
	typeDefs  []entity
	objects   []entity // variables and aliases
	functions []entity
	groups    []entity // attributes
	nodes     map[int64]mdNode
}

// entity is a range of the text. start is after name and "=", or at the keyword.
type entity struct {
	name       string
	id         int64 // of a group of attributes
	start, end int
	body       int // of a function: offset of its body, 0 for a declaration
}

// module reads the whole text.
func (r *reader) module() {
	r.declaring = true
	r.cut()
	for _, e := range r.typeDefs {
		r.Seek(e.start)
		r.defineType(e.name)
		r.ends(e.end)
	}
	r.typesDefined()
	for _, e := range r.groups {
		r.Seek(e.start)
		r.groupFacts[e.id] = r.group()
		r.ends(e.end)
	}
	for i := range r.objects {
		r.Seek(r.objects[i].start)
		r.declareObject(&r.objects[i])
	}
	for i := range r.functions {
		r.Seek(r.functions[i].start)
		r.declareFunc(&r.functions[i])
	}
	r.define()
}

// define reads the definitions of the declared symbols.
func (r *reader) define() {
	for _, e := range r.objects {
		if s := r.symbols[e.name]; s.ifunc {
			r.Seek(s.aliasee)
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
	}
	for _, e := range r.functions {
		if e.body > 0 {
			r.body(r.symbols[e.name].fn, e)
		}
	}
	if s := r.symbols["llvm.global_ctors"]; s != nil && s.init != nil {
		r.Start = s.initAt
		r.m.Ctors = r.byPriority(s.init)
	}
	if s := r.symbols["llvm.global_dtors"]; s != nil && s.init != nil {
		r.Start = s.initAt
		r.m.Dtors = r.byPriority(s.init)
		slices.Reverse(r.m.Dtors) // the order in which an ELF loader calls them
	}
	r.debug.finish()
}

// ends checks that an entity was read completely.
func (r *reader) ends(end int) {
	if r.Start < end && r.Kind != lexer.EOF {
		r.Fail("%q is not known here", r.Shown())
	}
}

// cut finds the entities. It inspects only strings, comments and brackets inside them.
func (r *reader) cut() {
	r.nodes = map[int64]mdNode{}
	var layout, triple string
	unnamed := 0
	number := func(name string) { // of an unnamed variable or function
		if !lexer.Numeral([]byte(name)) {
			return
		}
		if name != itoa(unnamed) {
			r.Fail("@%s stands where @%d belongs", name, unnamed)
		}
		unnamed++
	}
	for r.Seek(0); r.Kind != lexer.EOF; {
		begin := r.Start
		switch r.Kind {
		case lexer.Global, lexer.Local:
			isType := r.Kind == lexer.Local
			e := entity{name: string(r.Name())}
			if !isType {
				number(e.name)
			}
			r.Next()
			r.Expect('=')
			if isType {
				r.ExpectWord("type")
			}
			e.start = r.Start
			r.skipEntity()
			e.end = r.Start
			if isType {
				r.typeDefs = append(r.typeDefs, e)
			} else {
				r.objects = append(r.objects, e)
			}
		case lexer.Node:
			id := r.Decimal(r.Word()[1:], lexer.MaxNumber)
			r.Next()
			r.Expect('=')
			r.AcceptWord("distinct")
			if _, ok := r.nodes[id]; ok {
				r.Start = begin
				r.Fail("metadata !%d is defined twice", id)
			}
			r.nodes[id] = mdNode(r.Start)
			r.skipNode()
		case lexer.MetaName:
			r.Next()
			r.Expect('=')
			r.skipNode()
		case lexer.Comdat:
			r.Next()
			r.Expect('=')
			r.ExpectWord("comdat")
			if r.Kind != lexer.Word {
				r.Fail("%q stands where the kind of a comdat belongs", r.Shown())
			}
			r.Next()
		case lexer.Word:
			if r.IsWord("define") || r.IsWord("declare") {
				e := r.cutFunction()
				number(e.name)
				r.functions = append(r.functions, e)
				continue
			}
			r.cutWord(&layout, &triple)
		default:
			r.Fail("%q begins nothing that is known here", r.Shown())
		}
	}
	l, err := ParseLayout(layout, triple)
	if err != nil {
		panic(&UnsupportedTarget{err})
	}
	r.m.Layout = l
}

// cutWord finds an entity that begins with a keyword.
func (r *reader) cutWord(layout, triple *string) {
	switch string(r.Word()) {
	case "attributes":
		r.Next()
		if r.Kind != lexer.Group {
			r.Fail("%q stands where the number of a group belongs", r.Shown())
		}
		e := entity{id: r.Decimal(r.Word()[1:], lexer.MaxNumber)}
		r.Next()
		r.Expect('=')
		e.start = r.Start
		if !r.Is('{') {
			r.Fail("%q stands where attributes belong", r.Shown())
		}
		r.SkipGroup()
		e.end = r.Start
		r.groups = append(r.groups, e)
	case "source_filename":
		r.Next()
		r.Expect('=')
		r.Str()
	case "target":
		r.Next()
		to := triple
		if r.IsWord("datalayout") {
			to = layout
		} else if !r.IsWord("triple") {
			r.Fail("%q is not known here", r.Shown())
		}
		r.Next()
		r.Expect('=')
		*to = r.Str()
	case "module":
		r.Next()
		r.ExpectWord("asm")
		r.Str()
	default:
		r.Fail("%q begins nothing that is known here", r.Shown())
	}
}

// cutFunction finds a function and its body.
func (r *reader) cutFunction() entity {
	isDefinition := r.IsWord("define")
	r.Next()
	e := entity{start: r.Start}
	for r.Kind != lexer.Global {
		if r.Kind == lexer.EOF {
			r.Fail("a function has no name")
		}
		r.Next()
	}
	e.name = string(r.Name())
	r.Next()
	if !r.Is('(') {
		r.Fail("%q stands where parameters belong", r.Shown())
	}
	r.SkipGroup()
	if !isDefinition {
		r.skipEntity()
		e.end = r.Start
		return e
	}
	for !r.Is('{') {
		switch {
		case r.Is('('):
			r.SkipGroup()
		case r.Kind == lexer.EOF:
			r.Fail("a function has no body")
		default:
			r.Next()
		}
	}
	e.body = r.Start
	r.SkipGroup()
	e.end = r.Start
	return e
}

// skipEntity skips to the next entity: to a line outside brackets that begins like one.
func (r *reader) skipEntity() {
	for !r.beginsEntity() {
		r.End = r.LineEnd(r.Start)
		r.Next()
	}
}

// beginsEntity reports whether the current token begins an entity.
func (r *reader) beginsEntity() bool {
	switch r.Kind {
	case lexer.EOF, lexer.Node, lexer.MetaName, lexer.Comdat:
		return true
	case lexer.Global, lexer.Local:
		i := r.SkipSpace(r.End)
		return i < len(r.Text) && r.Text[i] == '='
	case lexer.Word:
		switch string(r.Word()) {
		case "define", "declare", "attributes", "source_filename", "target", "module", "uselistorder", "uselistorder_bb":
			return true
		}
	}
	return false
}
