package llvmir

import "sort"

// symbol is a variable, a function, an alias or an ifunc.
type symbol struct {
	name string
	// address is the constant @name; nil for an alias until it is resolved, and for variables that are no objects.
	address *Const
	typ     *Type // of a variable, or of what an alias stands for
	global  *Global
	fn      *Func
	ifunc   bool
	// Where the initialiser, what stands behind it, and what an alias stands for begin in the text, 0 for none.
	initAt, tailAt, aliasee int
	end                     int // where the symbol's text ends
	init                    *Const
	debug                   mdNode // what debug information says of a function
	resolving               bool
	// weak says that the symbol may be missing, and is "" for the others.
	weak string
}

// declareSymbol enters a symbol.
func (r *reader) declareSymbol(name string) *symbol {
	if r.symbols[name] != nil {
		r.fail("@%s is defined twice", name)
	}
	s := &symbol{name: name}
	r.symbols[name] = s
	return s
}

// symbol returns the address of a symbol; nil if there is none.
func (r *reader) symbol(name []byte) *Const {
	s := r.symbols[string(name)]
	if s == nil {
		return nil
	}
	if s.address == nil && s.aliasee > 0 {
		r.resolve(s)
	}
	if s.weak != "" {
		r.weak = s.weak
	}
	return s.address
}

// linkages are the words for who may refer to a symbol, and whether symbols of other files are meant or may be.
var linkages = map[string]bool{
	"private": false, "internal": false,
	"external": true, "available_externally": true, "linkonce": true, "linkonce_odr": true, "weak": true, "weak_odr": true,
	"common": true, "appending": true, "extern_weak": true,
}

// header is what stands before the type of a variable or function.
type header struct {
	declared                                                        bool // defined in another file
	external, weak, threadLocal, unnamedAddr, externallyInitialized bool
}

// header reads linkage, visibility and the like.
func (r *reader) header(name string) header {
	h := header{external: true}
	for r.kind == tokWord {
		w := string(r.word())
		if external, ok := linkages[w]; ok {
			h.external, h.weak, h.declared = external, w == "extern_weak", w == "extern_weak" || w == "external"
			r.next()
			continue
		}
		switch w {
		case "dso_local", "dso_preemptable", "default", "hidden", "protected", "dllimport", "dllexport", "local_unnamed_addr":
		case "unnamed_addr":
			h.unnamedAddr = true
		case "externally_initialized":
			h.externallyInitialized = true
		case "thread_local":
			h.threadLocal = true
			r.next()
			if r.accept('(') {
				switch string(r.word()) {
				case "localdynamic", "initialexec", "localexec":
				default:
					r.fail("%q is no model of thread-local storage", r.shown())
				}
				r.next()
				r.expect(')')
			}
			continue
		default:
			if r.opts.ExternalGlobals != nil {
				h.external = r.opts.ExternalGlobals[name]
			}
			return h
		}
		r.next()
	}
	if r.opts.ExternalGlobals != nil {
		h.external = r.opts.ExternalGlobals[name]
	}
	return h
}

// missing says that a weak symbol may not be there.
func (h header) missing(name string) string {
	if !h.weak {
		return ""
	}
	return "the address of " + name + ", which is weak and has no definition,"
}

// declareObject reads a variable, an alias or an ifunc up to its initialiser.
func (r *reader) declareObject(e *entity) {
	h := r.header(e.name)
	space := int64(0)
	if r.isWord("addrspace") {
		space = r.addrSpace()
	}
	if r.acceptWord("externally_initialized") {
		h.externallyInitialized = true
	}
	s := r.declareSymbol(e.name)
	switch {
	case r.isWord("alias"), r.isWord("ifunc"):
		r.declareAlias(s, h, e)
		return
	case r.isWord("constant"), r.isWord("global"):
	default:
		r.fail("%q stands where a variable belongs", r.shown())
	}
	constant := r.isWord("constant")
	r.next()
	s.typ = r.typ()
	s.weak = h.missing(e.name)
	if s.tailAt, s.end = r.start, e.end; r.start < e.end && !h.declared {
		s.initAt = r.start
	} else if !h.declared {
		r.fail("@%s has no initialiser", e.name)
	}
	if isIntrinsic(e.name) {
		return
	}
	s.global = &Global{
		Name: e.name, SourceName: e.name, Type: s.typ, Constant: constant, Arbitrary: h.externallyInitialized,
		UnnamedAddr: h.unnamedAddr, External: h.external, ThreadLocal: h.threadLocal, Align: max(1, s.typ.Align),
	}
	s.address = &Const{Kind: ConstGlobal, Type: r.pointerTo(s.typ, space), Global: s.global}
	r.m.Globals = append(r.m.Globals, s.global)
	r.m.GlobalByName[e.name] = s.global
}

// isIntrinsic reports whether a name is one of LLVM's own.
func isIntrinsic(name string) bool { return len(name) > 5 && name[:5] == "llvm." }

// defineGlobal reads the initialiser of a variable and what stands behind it.
func (r *reader) defineGlobal(s *symbol) {
	r.seek(s.tailAt)
	if s.initAt > 0 {
		r.weak = ""
		s.init = r.constant(s.typ)
		if s.global != nil {
			s.global.Init = s.init
			if r.weak != "" {
				r.m.Unsupported = r.weak
			}
		}
	}
	for r.start < s.end && r.kind != tokEOF {
		if r.kind == tokGroup {
			r.next()
			continue
		}
		r.expect(',')
		switch {
		case r.kind == tokMetaName:
			name := string(r.word())
			r.next()
			n := r.nodeRef()
			if name == "!dbg" && s.global != nil && s.global.Loc == nil {
				r.describeGlobal(s.global, n)
			}
		case r.acceptWord("section"), r.acceptWord("partition"):
			r.str()
		case r.acceptWord("comdat"):
			r.comdat()
		case r.acceptWord("no_sanitize_address"), r.acceptWord("no_sanitize_hwaddress"), r.acceptWord("sanitize_memtag"),
			r.acceptWord("sanitize_address_dyninit"):
		case r.acceptWord("code_model"):
			r.str()
		case r.acceptWord("align"):
			if a := r.uint(1 << 32); s.global != nil && a > 0 {
				s.global.Align = a
			}
		default:
			r.fail("%q is not known here", r.shown())
		}
	}
}

// comdat reads the name behind "comdat", if there is one.
func (r *reader) comdat() {
	if r.accept('(') {
		if r.kind != tokComdat {
			r.fail("%q stands where the name of a comdat belongs", r.shown())
		}
		r.next()
		r.expect(')')
	}
}

// declareAlias reads an alias or ifunc.
func (r *reader) declareAlias(s *symbol, h header, e *entity) {
	s.ifunc = r.isWord("ifunc")
	r.next()
	s.typ = r.typ()
	r.expect(',')
	s.aliasee, s.end = r.start, e.end
	if !s.ifunc {
		return
	}
	t := s.typ
	if t.Kind != FuncType {
		r.fail("type %s is no function", t)
	}
	s.fn = &Func{
		Name: s.name, SourceName: s.name, Type: t, Ret: t.Ret, Variadic: t.Variadic, External: h.external,
		Unsupported: "an ifunc",
	}
	for i, p := range t.Params {
		s.fn.Params = append(s.fn.Params, Param{Name: itoa(i), Type: p})
	}
	s.address = &Const{Kind: ConstFunc, Type: r.pointerTo(t, 0), Func: s.fn}
}

// resolve reads what an alias stands for.
func (r *reader) resolve(s *symbol) {
	if s.resolving {
		r.fail("alias @%s refers to itself", s.name)
	}
	s.resolving = true
	met := r.weak
	r.weak = ""
	r.at(s.aliasee, func() {
		r.enter() // aliases of aliases
		c := r.aliasee(s)
		t := r.pointerTo(s.typ, c.Type.space)
		s.address = r.foldBitCast(c, t, r.unsupportedConst(t, "alias @"+s.name))
		r.leave()
	})
	s.weak, r.weak = r.weak, met
}

// aliasee reads what an alias stands for, or the resolver of an ifunc, and what is behind it.
func (r *reader) aliasee(s *symbol) *Const {
	var c *Const
	if _, ok := conversions[string(r.word())]; ok || r.isWord("getelementptr") {
		c = r.expression(nil) // LLVM writes expressions without their type here
	} else {
		c = r.typedConst()
	}
	if c.Type.Kind != PointerType {
		r.fail("@%s stands for a value of type %s", s.name, c.Type)
	}
	if r.accept(',') {
		r.expectWord("partition")
		r.str()
	}
	r.ends(s.end)
	return c
}

// nameAlias makes the target of an alias known under the alias's name, too.
func (r *reader) nameAlias(s *symbol) {
	r.start = s.aliasee
	c := r.symbol([]byte(s.name))
	switch {
	case c.Kind == ConstFunc:
		if r.m.FuncByName[s.name] == nil {
			r.m.FuncByName[s.name] = c.Func
		}
	case c.Kind == ConstGlobal && c.Offset == 0:
		if r.m.GlobalByName[s.name] == nil {
			r.m.GlobalByName[s.name] = c.Global
		}
	}
}

// byPriority reads llvm.global_ctors or llvm.global_dtors: an array of { i32 priority, void ()* function, i8* data }.
func (r *reader) byPriority(array *Const) []*Func {
	if array.Kind != ConstAggregate {
		return nil // zeroinitializer: there are none
	}
	type entry struct {
		priority int64
		fn       *Func
	}
	var entries []entry
	for _, e := range array.Elems {
		if e.Kind != ConstAggregate || len(e.Elems) < 2 {
			r.fail("entry %s of the constructors or destructors is no struct", e)
		}
		priority, fn := e.Elems[0], e.Elems[1]
		if priority.Kind != ConstInt || fn.Kind != ConstFunc {
			r.fail("entry %s of the constructors or destructors is no priority with a function", e)
		}
		entries = append(entries, entry{priority.Int.Int64(), fn.Func})
	}
	sort.SliceStable(entries, func(i, j int) bool { return entries[i].priority < entries[j].priority })
	var fns []*Func
	for _, e := range entries {
		fns = append(fns, e.fn)
	}
	return fns
}
