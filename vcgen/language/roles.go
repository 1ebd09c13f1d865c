package language

// Native is the form of a function without a body in native runs of a program.
type Native uint8

// Forms of functions in native runs.
const (
	NativeStub    Native = iota // a generated body: the result and the writes are inputs of the run
	NativeLibrary               // the function of the C library, which agrees with the engine
	NativeRuntime               // a function of the runtime, see StandIn
	NativeNever                 // none preserves the meaning: the program cannot be run
)

// properties are the columns of the table of roles.
type properties struct {
	// shape has the expected types of arguments and result: each letter is an argument, p for an address and n for an
	// integer; after the colon follows the result, if there is one.
	shape string
	// pure: a call leaves all memory unchanged that exists before it, except for errno.
	pure bool
	// errno: a successful call may set errno to any error number.
	errno bool
	// native is the form in native runs. It is NativeRuntime if standIn is not empty.
	native  Native
	standIn string // the runtime's function
}

// roles is the table of the properties of a role that do not depend on the name.
var roles = map[Role]properties{
	None:    {},
	Unknown: {native: NativeNever},

	Assume:        {pure: true, standIn: "unitproof_assume"},
	Assert:        {pure: true, standIn: "unitproof_assert"},
	StaticAssert:  {pure: true},
	AssertFailure: {pure: true, standIn: "unitproof_fail"},
	Error:         {pure: true, standIn: "unitproof_fail"},
	Nondet:        {pure: true},
	Uninterpreted: {pure: true},
	Havoc:         {shape: "pn:", standIn: "unitproof_havoc"},

	Dereferenceable: {shape: "p:n", pure: true, standIn: "unitproof_dereferenceable"},
	IsModified:      {shape: "p:n", standIn: "unitproof_is_modified"},
	ResetModified:   {shape: "p:", standIn: "unitproof_reset_modified"},
	TrackingOn:      {standIn: "unitproof_tracking_on"},
	TrackingOff:     {standIn: "unitproof_tracking_off"},
	ObjectSize:      {shape: "p:n", pure: true, standIn: "unitproof_object_size"},
	PointerOffset:   {shape: "p:n", pure: true, standIn: "unitproof_pointer_offset"},
	PointerObject:   {shape: "p:n", pure: true, native: NativeNever},

	Reads:        {pure: true, standIn: "unitproof_reads"},
	Known:        {pure: true, standIn: "unitproof_known"},
	SetsRounding: {shape: "pn:", standIn: "unitproof_set_rounding"},
	Apart:        {pure: true, standIn: "unitproof_apart"},
	Scans:        {pure: true, standIn: "unitproof_scans"},
	Find:         {pure: true, standIn: "unitproof_no_scan"},
	FindLast:     {pure: true, standIn: "unitproof_no_scan"},
	Differ:       {pure: true, standIn: "unitproof_no_scan"},

	LoopMode:     {pure: true, standIn: "unitproof_contract_loops"},
	Assuming:     {pure: true, standIn: "unitproof_contract_assuming"},
	Requires:     {pure: true, standIn: "unitproof_contract_requires"},
	Ensures:      {pure: true, standIn: "unitproof_contract_ensures"},
	Invariant:    {pure: true, standIn: "unitproof_contract_invariant"},
	Variant:      {pure: true, standIn: "unitproof_contract_variant"},
	FrameBegin:   {pure: true, standIn: "unitproof_frame_begin"},
	FrameAdd:     {pure: true, standIn: "unitproof_frame_add"},
	FrameFree:    {pure: true, standIn: "unitproof_frame_free"},
	FrameWritten: {pure: true, standIn: "unitproof_frame_written"},
	FramePause:   {pure: true, standIn: "unitproof_frame_pause"},
	FrameGoOn:    {pure: true, standIn: "unitproof_frame_go_on"},
	FrameEnd:     {pure: true, standIn: "unitproof_frame_end"},
	LoopLeave:    {pure: true, standIn: "unitproof_loop_leave"},
	LoopLeaving:  {pure: true, standIn: "unitproof_loop_leaving"},
	IsNew:        {pure: true, native: NativeNever},
	IsFreeable:   {pure: true, native: NativeNever},
	WasFreed:     {pure: true, native: NativeNever},
	ApartByName:  {pure: true, standIn: "unitproof_contract_apart"},
	ErrnoAt:      {pure: true, standIn: "unitproof_contract_errno"},
	Symbolic:     {pure: true, standIn: "unitproof_contract_symbolic"},
	Bound:        {pure: true},
	Forall:       {pure: true},
	Exists:       {pure: true},

	Exit:          {pure: true, standIn: "unitproof_exit"},
	Abort:         {pure: true, standIn: "unitproof_abort"},
	Malloc:        {shape: "n:p", pure: true, errno: true, standIn: "unitproof_malloc"},
	Lend:          {shape: "n:p", pure: true, errno: true, standIn: "unitproof_lend"},
	Part:          {pure: true, standIn: "unitproof_malloc"},
	Calloc:        {shape: "nn:p", pure: true, errno: true, standIn: "unitproof_calloc"},
	Realloc:       {shape: "pn:p", errno: true, standIn: "unitproof_realloc"},
	Reallocarray:  {shape: "pnn:p", errno: true, standIn: "unitproof_reallocarray"},
	AlignedAlloc:  {shape: "nn:p", pure: true, errno: true, standIn: "unitproof_aligned_alloc"},
	Valloc:        {shape: "n:p", pure: true, errno: true, standIn: "unitproof_valloc"},
	PosixMemalign: {shape: "pnn:n", errno: true, standIn: "unitproof_posix_memalign"},
	Free:          {shape: "p:", standIn: "unitproof_free"},
	Alloca:        {},
	Memcpy:        {shape: "ppn:p", native: NativeLibrary},
	Mempcpy:       {shape: "ppn:p", standIn: "unitproof_mempcpy"},
	Memmove:       {shape: "ppn:p", native: NativeLibrary},
	Memset:        {shape: "pnn:p", native: NativeLibrary},
	Print:         {pure: true, errno: true},

	OtherConversion: {standIn: "unitproof_other_conversion"},
	RustAlloc:       {shape: "nn:p", pure: true, standIn: "unitproof_rust_alloc"},
	RustAllocZeroed: {shape: "nn:p", pure: true, standIn: "unitproof_rust_alloc_zeroed"},
	RustRealloc:     {shape: "pnnn:p", standIn: "unitproof_rust_realloc"},
	RustDealloc:     {shape: "pnn:", standIn: "unitproof_rust_dealloc"},
	CapacityError:   {shape: "n:", pure: true, standIn: "unitproof_capacity_error"},
	Nothing:         {pure: true, standIn: "unitproof_nothing"},
	Impossible:      {native: NativeNever},
}

// Fits reports whether a function of this role can be called with the given arguments and result.
//
// isAddress(i) reports whether argument i, or the result for -1, can be an address, isInteger(i) whether it is a
// number. Declarations in the program may have other types.
func (e Entry) Fits(args int, isAddress, isInteger func(i int) bool) bool {
	i := 0
	for _, letter := range roles[e.Role].shape {
		switch {
		case letter == ':':
			i = -1
			continue
		case i >= args, letter == 'p' && !isAddress(i), letter == 'n' && !isInteger(i):
			return false
		}
		i++
	}
	return true
}

// WritesNothing reports whether a call leaves all memory unchanged that exists before it, except for errno.
func (e Entry) WritesNothing() bool { return roles[e.Role].pure }

// MayChangeErrno reports whether a successful call may set errno to any error number.
//
// C allows this for all functions whose description does not mention errno (C11 7.5p3). Functions that only compute,
// and free, preserve errno in all common C libraries.
func (e Entry) MayChangeErrno() bool { return roles[e.Role].errno }

// Native returns the form of the function in native runs.
func (e Entry) Native() Native {
	if p := roles[e.Role]; p.standIn == "" {
		return p.native
	}
	return NativeRuntime
}

// StandIn returns the runtime's function that replaces the function in native runs (NativeRuntime).
func (e Entry) StandIn() string { return roles[e.Role].standIn }
