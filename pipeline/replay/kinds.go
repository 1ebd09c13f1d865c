package replay

import (
	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/seair"
)

// Witness says how a native run can show violations of a kind, in words for people; why is set
// instead where it cannot.
type Witness struct{ How, Why string }

// Witnesses has an entry for every kind of the contract.
var Witnesses = map[vcgen.Kind]Witness{
	seair.Assertion:          {How: "the assertion's own call"},
	seair.NullDereference:    {How: "AddressSanitizer: SEGV near address 0; for a call, our check before it"},
	seair.InvalidPointer:     {How: "AddressSanitizer: SEGV"},
	seair.UseAfterFree:       {How: "AddressSanitizer: heap-use-after-free"},
	seair.UseAfterScope:      {How: "AddressSanitizer: stack-use-after-scope, stack-use-after-return"},
	seair.ArrayBounds:        {How: "UndefinedBehaviorSanitizer: array-bounds"},
	seair.OutOfBoundsRead:    {How: "AddressSanitizer: a buffer overflow, or SEGV far outside; our check where another object lies there"},
	seair.OutOfBoundsWrite:   {How: "AddressSanitizer: a buffer overflow, or SEGV far outside; our check where another object lies there"},
	seair.ReadOnlyWrite:      {How: "AddressSanitizer: SEGV of a write to a segment that may not be written"},
	seair.OverlappingCopy:    {How: "AddressSanitizer: memcpy-param-overlap"},
	seair.DoubleFree:         {How: "AddressSanitizer: attempting double-free"},
	seair.InvalidFree:        {How: "AddressSanitizer: attempting free on an address that was not malloc()-ed"},
	seair.MemoryLeak:         {How: "our search from the global variables when the entry returns"},
	seair.UninitializedRead:  {How: "our check before each read, in the shadow memory of MemorySanitizer, in a program of its own"},
	seair.Misaligned:         {How: "UndefinedBehaviorSanitizer: alignment"},
	seair.InvalidSize:        {How: "UndefinedBehaviorSanitizer: vla-bound"},
	seair.SignedOverflow:     {How: "UndefinedBehaviorSanitizer: signed-integer-overflow, integer-divide-by-zero; our check before __builtin_abs"},
	seair.UnsignedOverflow:   {How: "UndefinedBehaviorSanitizer: unsigned-integer-overflow"},
	seair.FloatToIntOverflow: {How: "UndefinedBehaviorSanitizer: float-cast-overflow"},
	seair.DivisionByZero:     {How: "UndefinedBehaviorSanitizer: integer-divide-by-zero"},
	seair.InvalidShift:       {How: "UndefinedBehaviorSanitizer: shift-exponent"},
	seair.ShiftOverflow:      {How: "UndefinedBehaviorSanitizer: shift-base"},
	seair.InvalidCall:        {How: "our check before each call through a pointer"},
	seair.Unreachable:        {How: "UndefinedBehaviorSanitizer: unreachable; a trap; our check where a missing result is used"},
	seair.InvalidBuiltin:     {How: "UndefinedBehaviorSanitizer: builtin"},
	seair.AmbiguousPointer:   {How: "AddressSanitizer: invalid-pointer-pair"},
	seair.Unwinding:          {Why: "a loop that needs more iterations is no violation"},
}
