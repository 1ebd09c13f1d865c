package llvmir

import (
	"sort"

	"github.com/unitproof/unitproof/vcgen/llvmir/lexer"
)

// symbol is a variable, a function, an alias or an ifunc.
type symbol struct {
	name string
	// address is the constant @name; nil for an alias that is not resolved, and for variables that are not objects.
	address *Const
	typ     *Type // of a variable, or of the target of an alias
	global  *Global
	fn      *Func
	ifunc   bool
	// Offsets of the initializer, of the part after it, and of the target of an alias; 0 if there is none.
	initAt, tailAt, aliasee int
	end                     int // where the symbol's text ends
	init                    *Const
	debug                   mdNode // debug information of a function
	resolving               bool
	// weak is the description of a symbol that may be missing; "" for others.
	weak string
}

// declareSymbol adds a symbol.
func (r *reader) declareSymbol(name string) *symbol {
	if r.symbols[name] != nil {
		r.Fail("@%s is defined twice", name)
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

// linkages are the keywords of linkage, and whether symbols in other files are, or may be, meant.
var linkages = map[string]bool{
	"private": false, "internal": false,
	"external": true, "available_externally": true, "linkonce": true, "linkonce_odr": true, "weak": true, "weak_odr": true,
	"common": true, "appending": true, "extern_weak": true,
}

// header is the part before the type of a variable or function.
type header struct {
	declared                                                        bool // defined in another file
	replaceable                                                     bool // a definition of another file may replace it
	external, weak, threadLocal, unnamedAddr, externallyInitialized bool
}

// header reads linkage, visibility and similar keywords.
func (r *reader) header() header {
	h := header{external: true}
	for r.Kind == lexer.Word {
		w := string(r.Word())
		if external, ok := linkages[w]; ok {
			h.external, h.weak, h.declared = external, w == "extern_weak", w == "extern_weak" || w == "external"
			h.replaceable = w == "weak" || w == "weak_odr" || w == "linkonce" || w == "linkonce_odr"
			r.Next()
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
			r.Next()
			if r.Accept('(') {
				switch string(r.Word()) {
				case "localdynamic", "initialexec", "localexec":
				default:
					r.Fail("%q is no model of thread-local storage", r.Shown())
				}
				r.Next()
				r.Expect(')')
			}
			continue
		default:
			return h
		}
		r.Next()
	}
	return h
}

// missing returns the description of a weak symbol that may be missing; "" for others.
func (h header) missing(name string) string {
	if !h.weak {
		return ""
	}
	return "the address of " + name + ", which is weak and has no definition,"
}

// declareObject reads a variable, an alias or an ifunc up to its initializer.
func (r *reader) declareObject(e *entity) {
	h := r.header()
	space := int64(0)
	if r.IsWord("addrspace") {
		space = r.addrSpace()
	}
	if r.AcceptWord("externally_initialized") {
		h.externallyInitialized = true
	}
	s := r.declareSymbol(e.name)
	switch {
	case r.IsWord("alias"), r.IsWord("ifunc"):
		r.declareAlias(s, h, e)
		return
	case r.IsWord("constant"), r.IsWord("global"):
	default:
		r.Fail("%q stands where a variable belongs", r.Shown())
	}
	constant := r.IsWord("constant")
	r.Next()
	s.typ = r.typ()
	s.weak = h.missing(e.name)
	if s.tailAt, s.end = r.Start, e.end; r.Start < e.end && !h.declared {
		s.initAt = r.Start
	} else if !h.declared {
		r.Fail("@%s has no initialiser", e.name)
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

// isIntrinsic reports whether a name is reserved by LLVM.
func isIntrinsic(name string) bool { return len(name) > 5 && name[:5] == "llvm." }

// defineGlobal reads the initializer of a variable and the part after it.
func (r *reader) defineGlobal(s *symbol) {
	r.Seek(s.tailAt)
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
	for r.Start < s.end && r.Kind != lexer.EOF {
		if r.Kind == lexer.Group {
			r.Next()
			continue
		}
		r.Expect(',')
		switch {
		case r.Kind == lexer.MetaName:
			name := string(r.Word())
			r.Next()
			n := r.nodeRef()
			if name == "!dbg" && s.global != nil && s.global.Loc == nil {
				r.describeGlobal(s.global, n)
			}
		case r.AcceptWord("section"), r.AcceptWord("partition"):
			r.Str()
		case r.AcceptWord("comdat"):
			r.comdat()
		case r.AcceptWord("no_sanitize_address"), r.AcceptWord("no_sanitize_hwaddress"), r.AcceptWord("sanitize_memtag"),
			r.AcceptWord("sanitize_address_dyninit"):
		case r.AcceptWord("code_model"):
			r.Str()
		case r.AcceptWord("align"):
			if a := r.Uint(1 << 32); s.global != nil && a > 0 {
				s.global.Align = a
			}
		default:
			r.Fail("%q is not known here", r.Shown())
		}
	}
}

// comdat reads the name after "comdat", if there is one.
func (r *reader) comdat() {
	if r.Accept('(') {
		if r.Kind != lexer.Comdat {
			r.Fail("%q stands where the name of a comdat belongs", r.Shown())
		}
		r.Next()
		r.Expect(')')
	}
}

// declareAlias reads an alias or ifunc.
func (r *reader) declareAlias(s *symbol, h header, e *entity) {
	s.ifunc = r.IsWord("ifunc")
	r.Next()
	s.typ = r.typ()
	r.Expect(',')
	s.aliasee, s.end = r.Start, e.end
	if !s.ifunc {
		return
	}
	t := s.typ
	if t.Kind != FuncType {
		r.Fail("type %s is no function", t)
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

// resolve reads the target of an alias.
func (r *reader) resolve(s *symbol) {
	if s.resolving {
		r.Fail("alias @%s refers to itself", s.name)
	}
	s.resolving = true
	outer := r.weak
	r.weak = ""
	r.At(s.aliasee, func() {
		r.enter() // aliases of aliases
		c := r.aliasee(s)
		t := r.pointerTo(s.typ, c.Type.space)
		s.address = r.foldBitCast(c, t, r.unsupportedConst(t, "alias @"+s.name))
		r.leave()
	})
	s.weak, r.weak = r.weak, outer
}

// aliasee reads the target of an alias, or the resolver of an ifunc, and the part after it.
func (r *reader) aliasee(s *symbol) *Const {
	var c *Const
	if _, ok := conversions[string(r.Word())]; ok || r.IsWord("getelementptr") {
		c = r.expression(nil) // LLVM writes expressions without their type here
	} else {
		c = r.typedConst()
	}
	if c.Type.Kind != PointerType {
		r.Fail("@%s stands for a value of type %s", s.name, c.Type)
	}
	if r.Accept(',') {
		r.ExpectWord("partition")
		r.Str()
	}
	r.ends(s.end)
	return c
}

// nameAlias registers the target of an alias under the alias's name, too.
func (r *reader) nameAlias(s *symbol) {
	r.Start = s.aliasee
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
			r.Fail("entry %s of the constructors or destructors is no struct", e)
		}
		priority, fn := e.Elems[0], e.Elems[1]
		if priority.Kind != ConstInt || fn.Kind != ConstFunc {
			r.Fail("entry %s of the constructors or destructors is no priority with a function", e)
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
