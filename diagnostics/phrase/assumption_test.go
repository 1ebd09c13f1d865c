package phrase

import (
	"testing"

	"github.com/unitproof/unitproof/vcgen/found"
)

func TestAssumption(t *testing.T) {
	at := found.Pos{File: "src/a.c", Line: 3}
	other := found.Pos{File: "src/b.c", Line: 7}
	call := func(effect found.Effect, returns, callbacks bool) found.Assumption {
		return found.Assumption{What: found.MissingBody, Name: "f",
			Call: found.Call{Effect: effect, Returns: returns, Callbacks: callbacks}}
	}
	unused := func(name string, u found.Unused) found.Assumption {
		return found.Assumption{What: found.UnusedBound, Name: name, Unused: &u}
	}
	kinds := []found.Kind{found.UseAfterFree}
	for _, test := range []struct {
		a          found.Assumption
		kind, want string
	}{
		{call(found.EndsExecution, false, false), "missing-body", "no body for f: it ends the execution"},
		{call(found.WritesNothing, false, false), "missing-body", "no body for f: it does nothing"},
		{call(found.WritesNothing, true, false), "missing-body",
			"no body for f: it returns an arbitrary value and writes nothing"},
		{call(found.ReachesNone, false, true), "missing-body",
			"no body for f: it does nothing, and calls none of its function pointers"},
		{call(found.ReachesNone, true, false), "missing-body", "no body for f: it returns an arbitrary value"},
		{call(found.WritesMemory, false, false), "missing-body",
			"no body for f: it may write memory that it can reach"},
		{call(found.WritesMemory, true, true), "missing-body", "no body for f: it returns an arbitrary value and may " +
			"write memory that it can reach, and calls none of its function pointers"},
		{found.Assumption{What: found.MissingVariable, Name: "v"}, "missing-definition",
			"no definition of variable v: its content is arbitrary"},
		{found.Assumption{What: found.InlineAssembly}, "inline-asm",
			"inline assembly is assumed to return arbitrary values and to write no other memory"},
		{found.Assumption{What: found.ValidAccesses, Kinds: kinds}, "unchecked",
			"accesses are assumed to be valid: use-after-free is not checked"},
		{found.Assumption{What: found.ValidFrees, Kinds: kinds}, "unchecked",
			"calls of free are assumed to be valid: use-after-free is not checked"},
		{found.Assumption{What: found.ValidCalls, Kinds: []found.Kind{found.InvalidCall}}, "unchecked",
			"calls through pointers are assumed to be valid: invalid-call is not checked"},
		{found.Assumption{What: found.KeptContracts, Kinds: []found.Kind{found.Assigns}}, "unchecked",
			"contracts are assumed to hold: assigns is not checked"},
		{found.Assumption{What: found.TakenAsReached}, "unchecked", "some execution is assumed to get here: " +
			"an arbitrary iteration of a loop does; no complete execution was found that does"},
		{found.Assumption{What: found.TakenAsReached, Name: "f"}, "unchecked", "some execution is assumed to reach an " +
			"end of " +
			"f: an arbitrary iteration of a loop does; no complete execution was found that does"},
		{found.Assumption{What: found.ApartByName, Name: "v", Names: []string{"f"}}, "contract",
			"f is assumed not to use the variable v by name: the call passes that variable as a separate object " +
				"(__CPROVER_is_fresh)"},
		{found.Assumption{What: found.Contract, Name: "f"}, "contract", "using the contract of f"},
		{found.Assumption{What: found.LibraryState}, "contract",
			"calls replaced by contracts are assumed not to change the state of the C library: such as the position of " +
				"strtok"},
		{found.Assumption{What: found.ValidStrings, Name: "printf"}, "unchecked",
			"the strings that printf reads are assumed to be valid"},
		{found.Assumption{What: found.WrappingArithmetic, Name: "f"}, "unchecked",
			"signed arithmetic of f is assumed to wrap around: its attribute switches the sanitizer off"},
		{found.Assumption{What: found.FewArguments}, "model-limit",
			"main is assumed to get at most 8 arguments and 4 strings of its environment"},
		{found.Assumption{What: found.ShortInputs, Count: 64}, "model-limit",
			"inputs are assumed to have at most 64 bytes: max-len, --max-len"},
		{found.Assumption{What: found.ShortInputs, Count: 16, Missed: 183}, "model-limit",
			"inputs are assumed to have at most 16 bytes; none of them reaches 183 checks: max-len, --max-len"},
		{found.Assumption{What: found.GivenInput, Name: "crash", Count: 1}, "model-limit",
			"the only input is that of crash (1 byte)"},
		{found.Assumption{What: found.ArraysFit, Count: 1 << 40}, "model-limit",
			"arrays of variable length are assumed to fit into memory (1 TiB)"},
		{found.Assumption{What: found.ArraysFit, Count: 1 << 14}, "model-limit",
			"arrays of variable length are assumed to fit into memory (16 KiB)"},
		{found.Assumption{What: found.CutIndex, Name: "4294967296", Count: 32}, "model-limit",
			"the index 4294967296 is reduced modulo 2^32, the number of addresses: in C it is outside every object"},
		{found.Assumption{What: found.ExtendedPrecision}, "model-limit",
			"float and double are assumed to have no more than their own precision: x87 computes with 64 bits; -msse2 " +
				"-mfpmath=sse replaces it"},
		{found.Assumption{What: found.FusedMultiplyAdd}, "model-limit",
			"products are assumed to be rounded before they are added: this machine can do both in one step, " +
				"unless -ffp-contract=off forbids it"},
		{found.Assumption{What: found.OneThread}, "model-limit",
			"no other thread is assumed to change memory between calls of locks"},
		{found.Assumption{What: found.WeakExchange}, "model-limit",
			"a weak compare-and-exchange is assumed to fail only if the values differ"},
		{found.Assumption{What: found.FirstCounts, Name: "f", Other: other}, "ambiguous-definition",
			"f is the one of src/b.c; the definition here is ignored"},
		{found.Assumption{What: found.IncludedCounts, Other: other}, "ambiguous-definition",
			"the file is linked and is also included in b.c: its definitions there are used"},
		{found.Assumption{What: found.ExternalCounts, Name: "f", Names: []string{"src/a.c"}, Other: other},
			"ambiguous-definition", "calls of f in a.c go to the definition at b.c:7, which differs from the inline one " +
				"here: C does not specify which of them a call uses"},
		{found.Assumption{What: found.OneOfSeveral, Name: "f", At: at, Names: []string{"src/b.c", "c.c"}},
			"ambiguous-definition", "f is the one of src/a.c; also defined in src/b.c, c.c"},
		{found.Assumption{What: found.StandIn, Name: "f", Other: other}, "stand-in", "f is replaced by the one of b.c:7"},
		{found.Assumption{What: found.SecondCounts, Name: "f"}, "stand-in", "f is defined twice in one file, which C " +
			"forbids: this definition replaces the inline one, as goto-cc has it"},
		{found.Assumption{What: found.ConflictingTypes, Name: "f"}, "conflicting-types", "f has another type here than it " +
			"was declared with before, which C forbids: each file uses its own declaration"},
		{found.Assumption{What: found.StaticBehind, Name: "f"}, "conflicting-types",
			"f is static here but was declared non-static before, which C forbids: it is treated as non-static"},
		{found.Assumption{What: found.HiddenParameter, Name: "v"}, "conflicting-types",
			"v has the name of a parameter of its function, which C forbids: it hides the parameter"},
		{found.Assumption{What: found.ConstMember, Name: "m"}, "conflicting-types",
			"the member m is const but assigned to, which C forbids"},
		{found.Assumption{What: found.AnyResult, Name: "f"}, "stand-in",
			"f returns no value: a caller that uses the result gets an arbitrary value"},
		{found.Assumption{What: found.FewerParameters, Name: "f"}, "conflicting-types",
			"f has fewer parameters here than a call has arguments: the other arguments are dropped"},
		{found.Assumption{What: found.DroppedOption, Name: "-fx"}, "option-dropped", "the option -fx was dropped"},
		{found.Assumption{What: found.OtherFunction, Name: "remove"}, "missing-body", "remove is not the function of the C " +
			"library: it is declared with another type, and has no body"},
		{found.Assumption{What: found.OwnBuiltin, Name: "memcpy", At: at}, "option-dropped",
			"the definition of memcpy in a.c serves that file only: it is a built-in function of clang"},
		{found.Assumption{What: found.NoAssert}, "ndebug", "NDEBUG is defined: assert() checks nothing"},
		{found.Assumption{What: found.FreedContent}, "unchecked",
			"freed memory keeps its content where a pragma switches use-after-free off"},
		{found.Assumption{What: found.IgnoredPragma, Names: []string{"enable", "pointer"}, Kinds: kinds}, "ignored-pragma",
			`#pragma CPROVER check enable "pointer" is ignored: use-after-free is not checked (--check use-after-free ` +
				`checks it everywhere)`},
		{found.Assumption{What: found.IgnoredPragma, Names: []string{"enable", "x"}}, "ignored-pragma",
			`#pragma CPROVER check enable "x" is ignored: there is no such check here`},
		{found.Assumption{What: found.NothingToRemove, Names: []string{"f", "g"}}, "unused-setting",
			"nothing to remove: no linked file has a body for f, g"},
		{unused("f#2", found.Unused{Loop: true, Function: true, Loops: 1}), "unused-setting",
			"the bound for f#2 is not used: f has one loop here"},
		{unused("f#2", found.Unused{Loop: true, Function: true, Flag: true}), "unused-setting",
			"the --unwind bound for f#2 is not used: f has no loop here"},
		{unused("f#4", found.Unused{Loop: true, Function: true, Loops: 3}), "unused-setting",
			"the bound for f#4 is not used: f has 3 loops here"},
		{unused("g#1", found.Unused{Loop: true, Meant: "f#1"}), "unused-setting",
			`the bound for g#1 is not used: the proof has no such loop; did you mean "f#1"?`},
		{unused("g", found.Unused{}), "unused-setting", "the bound for g is not used: the proof has no such function"},
	} {
		brief, more := Assumption(test.a)
		if got := brief + AfterColon(more); got != test.want || test.a.What.Kind() != test.kind {
			t.Errorf("got [%s] %q, want [%s] %q", test.a.What.Kind(), got, test.kind, test.want)
		}
	}
}
