package found

import (
	"maps"
	"slices"
	"strconv"
)

// CWE is the number of a weakness in the Common Weakness Enumeration (cwe.mitre.org).
type CWE int

// String is the weakness's id: "CWE-125".
func (c CWE) String() string { return "CWE-" + strconv.Itoa(int(c)) }

// Name is the weakness's name in the enumeration; "" for a weakness that no kind has.
func (c CWE) Name() string { return cweNames[c] }

// CWEVersion is the version of the enumeration that the names are from.
const CWEVersion = "4.15"

// cweNames are the names of the weaknesses that kinds have.
var cweNames = map[CWE]string{
	125:  "Out-of-bounds Read",
	129:  "Improper Validation of Array Index",
	131:  "Incorrect Calculation of Buffer Size",
	190:  "Integer Overflow or Wraparound",
	191:  "Integer Underflow (Wrap or Wraparound)",
	369:  "Divide By Zero",
	401:  "Missing Release of Memory after Effective Lifetime",
	415:  "Double Free",
	416:  "Use After Free",
	457:  "Use of Uninitialized Variable",
	469:  "Use of Pointer Subtraction to Determine Size",
	475:  "Undefined Behavior for Input to API",
	476:  "NULL Pointer Dereference",
	590:  "Free of Memory not on the Heap",
	628:  "Function Call with Incorrectly Specified Arguments",
	681:  "Incorrect Conversion between Numeric Types",
	758:  "Reliance on Undefined, Unspecified, or Implementation-Defined Behavior",
	761:  "Free of Pointer not at Start of Buffer",
	787:  "Out-of-bounds Write",
	822:  "Untrusted Pointer Dereference",
	824:  "Access of Uninitialized Pointer",
	825:  "Expired Pointer Dereference",
	908:  "Use of Uninitialized Resource",
	1335: "Incorrect Bitwise Shift of Integer",
}

// CWEs lists the weaknesses that some kind has, each once, in ascending order.
func CWEs() []CWE {
	list := slices.Collect(maps.Keys(cweNames))
	slices.Sort(list)
	return list
}

// CWE returns the ids of the weaknesses that a violation of the kind is: "CWE-125". A kind without a fitting weakness
// has none: an assertion states the intent of one proof, and a contract that of one function.
func (k Kind) CWE() []string {
	var ids []string
	for _, c := range k.Info().CWE {
		ids = append(ids, c.String())
	}
	return ids
}
