package llvmir

import (
	"cmp"

	"github.com/unitproof/unitproof/vcgen/llvmir/lexer"
)

// funcFacts are the relevant attributes of a function or call.
type funcFacts struct {
	noReturn, naked, returnsTwice bool
	features                      string // of the machine, "+sse2,-x87" for example
}

func (f *funcFacts) add(o funcFacts) {
	f.noReturn = f.noReturn || o.noReturn
	f.naked = f.naked || o.naked
	f.returnsTwice = f.returnsTwice || o.returnsTwice
	f.features = cmp.Or(f.features, o.features)
}

// funcAttributes are the attributes of functions and calls in LLVM 14 and later.
//
// Promises of the compiler are ignored, because they prove nothing here; attributes that change the semantics are in
// funcFacts.
var funcAttributes = set(`allocsize alignstack alwaysinline argmemonly builtin cold convergent disable_sanitizer_instrumentation hot
inaccessiblememonly inaccessiblemem_or_argmemonly inlinehint jumptable minsize mustprogress naked nobuiltin nocf_check nocallback noduplicate
nofree noimplicitfloat noinline nomerge noprofile norecurse noredzone noreturn nosanitize_coverage nosync nounwind nonlazybind
null_pointer_is_valid optforfuzzing optnone optsize readnone readonly returns_twice ssp sspreq sspstrong safestack sanitize_address
sanitize_hwaddress sanitize_memtag sanitize_memory sanitize_thread shadowcallstack speculatable speculative_load_hardening strictfp uwtable
vscale_range willreturn writeonly
coro_elide_safe nocreateundeforpoison nodivergencesource noipa sanitize_alloc_token sanitize_numerical_stability sanitize_realtime
sanitize_realtime_blocking sanitize_type
allockind coro_only_destroy_when_complete fn_ret_thunk_extern hybrid_patchable memory nosanitize_bounds optdebug presplitcoroutine skipprofile
`)

// valueAttributes are the attributes of parameters, arguments and results.
var valueAttributes = set(`allocalign allocptr dead_on_return dead_on_unwind noext immarg inreg nest noalias nocapture nofree nonnull noundef readnone readonly
returned signext swiftasync swifterror swiftself writable writeonly zeroext`)

// isPromise reports whether a word is an attribute of values with an operand in parentheses. All of them are
// promises, which are ignored.
func isPromise(word string) bool {
	return word == "captures" || word == "initializes" || word == "nofpclass" || word == "range"
}

// callingConventions are the names of calling conventions; "cc n" is another form.
var callingConventions = set(`ccc fastcc coldcc ghccc webkit_jscc anyregcc preserve_mostcc preserve_allcc swiftcc cxx_fast_tlscc tailcc
cfguard_checkcc swifttailcc x86_stdcallcc x86_fastcallcc arm_apcscc arm_aapcscc arm_aapcs_vfpcc msp430_intrcc x86_thiscallcc ptx_kernel
ptx_device spir_func spir_kernel intel_ocl_bicc x86_64_sysvcc win64cc x86_vectorcallcc hhvmcc hhvm_ccc x86_intrcc avr_intrcc avr_signalcc
amdgpu_vs amdgpu_gs amdgpu_ps amdgpu_cs amdgpu_kernel x86_regcallcc amdgpu_hs amdgpu_ls amdgpu_es aarch64_vector_pcs
aarch64_sve_vector_pcs amdgpu_gfx graalcc
preserve_nonecc`)

// group reads an attribute group.
func (r *reader) group() funcFacts {
	r.Expect('{')
	facts := r.funcAttrs()
	r.Expect('}')
	return facts
}

// funcAttrs reads the attributes of a function or call.
func (r *reader) funcAttrs() funcFacts {
	var facts funcFacts
	for {
		switch r.Kind {
		case lexer.Group:
			f, ok := r.groupFacts[r.Decimal(r.Word()[1:], lexer.MaxNumber)]
			if !ok {
				r.Fail("attributes %s are not defined", r.Word())
			}
			facts.add(f)
			r.Next()
		case lexer.String:
			if key, value := r.textAttr(); key == "target-features" {
				facts.features = value
			}
		case lexer.Word:
			w := r.Word()
			if !funcAttributes[string(w)] {
				return facts
			}
			switch string(w) {
			case "noreturn":
				facts.noReturn = true
			case "naked":
				facts.naked = true
			case "returns_twice":
				facts.returnsTwice = true
			}
			r.Next()
			switch {
			case r.Accept('='): // alignstack=16
				r.Uint(1 << 32)
			case r.Is('('):
				r.SkipGroup()
			}
		default:
			return facts
		}
	}
}

// textAttr reads a string attribute: "key" or "key"="value".
func (r *reader) textAttr() (key, value string) {
	key = r.Str()
	if r.Accept('=') {
		value = r.Str()
	}
	return key, value
}

// valueAttrs are the relevant attributes of a parameter, argument or result.
type valueAttrs struct {
	byVal, sret *Type
	element     *Type // the target type of the pointer, for intrinsics and assembly
	signExt     bool
	noAlias     bool
	inAlloca    bool // also preallocated: memory in another calling convention
	align       int64
}

// valueAttrs reads attributes of a parameter, argument or result of type t.
func (r *reader) valueAttrs(t *Type) valueAttrs {
	var a valueAttrs
	for {
		if r.Kind == lexer.String {
			r.textAttr()
			continue
		}
		if r.Kind != lexer.Word {
			return a
		}
		w := string(r.Word())
		switch w {
		case "align":
			r.Next()
			paren := r.Accept('(')
			a.align = r.Uint(1 << 32)
			if paren {
				r.Expect(')')
			}
		case "alignstack", "dereferenceable", "dereferenceable_or_null":
			r.Next()
			r.Expect('(')
			r.Uint(1<<62 - 1)
			r.Expect(')')
		case "byval", "byref", "sret", "inalloca", "preallocated", "elementtype":
			r.Next()
			var of *Type
			if t != nil {
				of = t.Elem
			}
			if r.Accept('(') {
				of = r.typ()
				r.Expect(')')
			}
			switch w {
			case "byval":
				a.byVal = of
			case "sret":
				a.sret = of
			case "elementtype":
				a.element = of
			case "inalloca", "preallocated":
				a.inAlloca = true
			}
		default:
			if isPromise(w) {
				if r.Next(); !r.Is('(') {
					r.Fail("%q stands where what %s promises belongs", r.Shown(), w)
				}
				r.SkipGroup()
				continue
			}
			if !valueAttributes[w] {
				return a
			}
			a.signExt = a.signExt || w == "signext"
			a.noAlias = a.noAlias || w == "noalias"
			r.Next()
		}
	}
}

// callingConvention skips a calling convention.
func (r *reader) callingConvention() {
	if r.AcceptWord("cc") {
		r.Uint(1 << 16)
	} else if r.Kind == lexer.Word && callingConventions[string(r.Word())] {
		r.Next()
	}
}
