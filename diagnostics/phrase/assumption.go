package phrase

import (
	"fmt"
	"path"
	"strings"

	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/language"
)

// Assumption returns the sentence for an assumption: brief summarizes it, more is the text behind a colon. All texts
// of assumptions are in this file.
func Assumption(a found.Assumption) (brief, more string) {
	switch a.What {
	case found.MissingBody:
		return "no body for " + a.Name, callText(a.Call)
	case found.MissingVariable:
		return "no definition of variable " + a.Name, "its content is arbitrary"
	case found.InlineAssembly:
		return "inline assembly is assumed to return arbitrary values and to write no other memory", ""
	case found.FreedContent:
		return "freed memory keeps its content where a pragma switches use-after-free off", ""
	case found.ValidAccesses:
		return "accesses are assumed to be valid", notChecked(a.Kinds)
	case found.ValidFrees:
		return "calls of free are assumed to be valid", notChecked(a.Kinds)
	case found.ValidCalls:
		return "calls through pointers are assumed to be valid", notChecked(a.Kinds)
	case found.ValidStrings:
		return "the strings that " + a.Name + " reads are assumed to be valid", ""
	case found.WrappingArithmetic:
		return "signed arithmetic of " + a.Name + " is assumed to wrap around", "its attribute switches the sanitizer off"
	case found.FewArguments:
		return fmt.Sprintf("main is assumed to get at most %d arguments and %d strings of its environment",
			language.MaxArguments, language.MaxEnvironment), ""
	case found.ShortInputs:
		text := "inputs are assumed to have at most " + Count(int(a.Count), "byte")
		if a.Missed > 0 {
			text += "; none of them reaches " + Count(a.Missed, "check")
		}
		return text, "max-len, --max-len"
	case found.GivenInput:
		return fmt.Sprintf("the only input is that of %s (%s)", a.Name, Count(int(a.Count), "byte")), ""
	case found.ArraysFit:
		return fmt.Sprintf("arrays of variable length are assumed to fit into memory (%s)", binary(a.Count)), ""
	case found.CutIndex:
		return fmt.Sprintf("the index %s is reduced modulo 2^%d, the number of addresses", a.Name, a.Count),
			"in C it is outside every object"
	case found.ExtendedPrecision:
		return "float and double are assumed to have no more than their own precision",
			"x87 computes with 64 bits; -msse2 -mfpmath=sse replaces it"
	case found.FusedMultiplyAdd:
		return "products are assumed to be rounded before they are added",
			"this machine can do both in one step, unless -ffp-contract=off forbids it"
	case found.OneThread:
		return "no other thread is assumed to change memory between calls of locks", ""
	case found.WeakExchange:
		return "a weak compare-and-exchange is assumed to fail only if the values differ", ""
	}
	return linkingText(a)
}

// binary returns a size that is a power of two with its largest unit: 1 TiB, 16 KiB.
func binary(n int64) string {
	units := []string{"bytes", "KiB", "MiB", "GiB", "TiB"}
	i := 0
	for ; n >= 1<<10 && i < len(units)-1; i++ {
		n >>= 10
	}
	return fmt.Sprintf("%d %s", n, units[i])
}

// linkingText returns the sentence for an assumption about linking.
func linkingText(a found.Assumption) (brief, more string) {
	other := path.Base(a.Other.File)
	at := fmt.Sprintf("%s:%d", other, a.Other.Line)
	switch a.What {
	case found.FirstCounts:
		return fmt.Sprintf("%s is the one of %s; the definition here is ignored", a.Name, a.Other.File), ""
	case found.IncludedCounts:
		return "the file is linked and is also included in " + other, "its definitions there are used"
	case found.ExternalCounts:
		return fmt.Sprintf("calls of %s in %s go to the definition at %s, which differs from the inline one here", a.Name,
			path.Base(strings.Join(a.Names, "")), at), "C does not specify which of them a call uses"
	case found.Contract:
		return "using the contract of " + a.Name, ""
	case found.ApartByName:
		return strings.Join(a.Names, "") + " is assumed not to use the variable " + a.Name + " by name",
			"the call passes that variable as a separate object (__CPROVER_is_fresh)"
	case found.LibraryState:
		return "calls replaced by contracts are assumed not to change the state of the C library",
			"such as the position of strtok"
	case found.TakenAsReached:
		why := "an arbitrary iteration of a loop does; no complete execution was found that does"
		if a.Name != "" {
			return "some execution is assumed to reach an end of " + a.Name, why
		}
		return "some execution is assumed to get here", why
	case found.KeptContracts:
		return "contracts are assumed to hold", notChecked(a.Kinds)
	case found.OneOfSeveral:
		return fmt.Sprintf("%s is the one of %s; also defined in %s", a.Name, a.At.File, strings.Join(a.Names, ", ")), ""
	case found.StandIn:
		return fmt.Sprintf("%s is replaced by the one of %s", a.Name, at), ""
	case found.SecondCounts:
		return a.Name + " is defined twice in one file, which C forbids",
			"this definition replaces the inline one, as goto-cc has it"
	case found.ConflictingTypes:
		return a.Name + " has another type here than it was declared with before, which C forbids",
			"each file uses its own declaration"
	case found.StaticBehind:
		return a.Name + " is static here but was declared non-static before, which C forbids", "it is treated as non-static"
	case found.HiddenParameter:
		return a.Name + " has the name of a parameter of its function, which C forbids", "it hides the parameter"
	case found.ConstMember:
		return "the member " + a.Name + " is const but assigned to, which C forbids", ""
	case found.AnyResult:
		return a.Name + " returns no value", "a caller that uses the result gets an arbitrary value"
	case found.FewerParameters:
		return a.Name + " has fewer parameters here than a call has arguments", "the other arguments are dropped"
	case found.DroppedOption:
		return "the option " + a.Name + " was dropped", ""
	case found.OwnBuiltin:
		return fmt.Sprintf("the definition of %s in %s serves that file only", a.Name, path.Base(a.At.File)),
			"it is a built-in function of clang"
	case found.OtherFunction:
		return a.Name + " is not the function of the C library", "it is declared with another type, and has no body"
	case found.NoAssert:
		return "NDEBUG is defined", "assert() checks nothing"
	case found.Pragma, found.IgnoredPragma:
		return pragmaText(a)
	case found.NothingToRemove:
		return "nothing to remove", "no linked file has a body for " + strings.Join(a.Names, ", ")
	case found.CompiledElsewhere:
		return a.Name + " is taken as it is",
			"checks see only the code that its compiler kept, and arithmetic only where the compiler inserted checks"
	case found.UnusedBound:
		return unusedText(a)
	}
	return string(a.What), ""
}

func callText(c found.Call) string {
	text := "it does nothing"
	switch {
	case c.Effect == found.EndsExecution:
		return "it ends the execution"
	case c.Effect == found.WritesMemory && c.Returns:
		text = "it returns an arbitrary value and may write memory that it can reach"
	case c.Effect == found.WritesMemory:
		text = "it may write memory that it can reach"
	case c.Effect == found.WritesNothing && c.Returns:
		text = "it returns an arbitrary value and writes nothing"
	case c.Returns:
		text = "it returns an arbitrary value"
	}
	if c.Callbacks {
		text += ", and calls none of its function pointers"
	}
	return text
}

// kindNames returns a list of kinds: "use-after-free, use-after-scope".
func kindNames(kinds []found.Kind) string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = string(k)
	}
	return strings.Join(names, ", ")
}

func notChecked(kinds []found.Kind) string { return kindNames(kinds) + " is not checked" }

func pragmaText(a found.Assumption) (brief, more string) {
	var action, what string
	if len(a.Names) == 2 {
		action, what = a.Names[0], a.Names[1]
	}
	brief = fmt.Sprintf("#pragma CPROVER check %s %q is ignored", action, what)
	if len(a.Kinds) == 0 {
		return brief, "there is no such check here"
	}
	return brief, fmt.Sprintf("%s (--check %s checks it everywhere)", notChecked(a.Kinds), a.Kinds[0])
}

func unusedText(a found.Assumption) (brief, more string) {
	u := a.Unused
	if u == nil {
		u = &found.Unused{}
	}
	of := "bound"
	if u.Flag {
		of = "--unwind bound"
	}
	brief = fmt.Sprintf("the %s for %s is not used", of, a.Name)
	switch function, _, _ := strings.Cut(a.Name, "#"); {
	case u.Function && u.Loops == 0:
		return brief, function + " has no loop here"
	case u.Function && u.Loops == 1:
		return brief, function + " has one loop here"
	case u.Function:
		return brief, fmt.Sprintf("%s has %d loops here", function, u.Loops)
	}
	more = "the proof has no such function"
	if u.Loop {
		more = "the proof has no such loop"
	}
	if u.Meant != "" {
		more += fmt.Sprintf("; did you mean %q?", u.Meant)
	}
	return brief, more
}
