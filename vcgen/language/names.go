package language

// proofNames are the names of the proof language and of its dialects.
var proofNames = []Entry{
	{Name: "assume", Role: Assume, Dialect: Unitproof, Ordinary: true},
	{Name: "sassert", Role: Assert, Dialect: Unitproof, Ordinary: true},
	{Name: "memhavoc", Role: Havoc, Dialect: Unitproof, Ordinary: true},
	{Name: "sea_is_dereferenceable", Role: Dereferenceable, Dialect: Unitproof},
	{Name: "sea_is_modified", Role: IsModified, Dialect: Unitproof},
	{Name: "sea_reset_modified", Role: ResetModified, Dialect: Unitproof},
	{Name: "sea_tracking_on", Role: TrackingOn, Dialect: Unitproof},
	{Name: "sea_tracking_off", Role: TrackingOff, Dialect: Unitproof},

	{Name: "__SEA_assume", Role: Assume, Dialect: Seahorn},
	{Name: "__SEA_assert", Role: Assert, Dialect: Seahorn},
	{Name: "verifier.assume", Role: Assume, Dialect: Seahorn},

	{Name: "__VERIFIER_assume", Role: Assume, Dialect: SVComp},
	{Name: "__VERIFIER_assert", Role: Assert, Dialect: SVComp},
	{Name: "__VERIFIER_error", Role: Error, Dialect: SVComp},
	{Name: "reach_error", Role: Error, Dialect: SVComp, Ordinary: true},
	{Name: "__VERIFIER_nondet_memory", Role: Havoc, Dialect: SVComp},

	{Name: "__CPROVER_assume", Role: Assume, Dialect: CBMC},
	{Name: "__CPROVER_assert", Role: Assert, Dialect: CBMC, Described: true},
	{Name: "__CPROVER_precondition", Role: Assert, Dialect: CBMC, Described: true},
	{Name: "__CPROVER_postcondition", Role: Assert, Dialect: CBMC, Described: true},
	{Name: "__CPROVER_r_ok", Role: Dereferenceable, Dialect: CBMC},
	{Name: "__CPROVER_w_ok", Role: Dereferenceable, Dialect: CBMC},
	{Name: "__CPROVER_rw_ok", Role: Dereferenceable, Dialect: CBMC},
	{Name: "__CPROVER_OBJECT_SIZE", Role: ObjectSize, Dialect: CBMC},
	{Name: "__CPROVER_POINTER_OFFSET", Role: PointerOffset, Dialect: CBMC},
	{Name: "__CPROVER_POINTER_OBJECT", Role: PointerObject, Dialect: CBMC},

	{Name: "__ESBMC_assume", Role: Assume, Dialect: ESBMC},
	{Name: "__ESBMC_assert", Role: Assert, Dialect: ESBMC, Described: true},

	{Name: "klee_assume", Role: Assume, Dialect: KLEE},
	{Name: "klee_make_symbolic", Role: Havoc, Dialect: KLEE},
}

// fileLocal is the prefix that goto-cc adds to the name of a static function to export it.
const fileLocal = "__CPROVER_file_local_"

// proofPrefixes are the prefixes of names of the proof language, more specific ones first.
var proofPrefixes = []Entry{
	{Name: "nd_", Role: Nondet, Dialect: Unitproof, Ordinary: true},
	{Name: "nondet_", Role: Nondet, Dialect: CBMC, AnyAddress: true, Ordinary: true},
	{Name: "__VERIFIER_nondet_", Role: Nondet, Dialect: SVComp, AnyAddress: true},
	{Name: "__CPROVER_uninterpreted_", Role: Uninterpreted, Dialect: CBMC},
	{Name: fileLocal, Dialect: CBMC},
	{Name: "__SEA_", Role: Unknown, Dialect: Seahorn},
	{Name: "__VERIFIER_", Role: Unknown, Dialect: SVComp},
	{Name: "__CPROVER_", Role: Unknown, Dialect: CBMC},
	{Name: "__ESBMC_", Role: Unknown, Dialect: ESBMC},
	{Name: "klee_", Role: Unknown, Dialect: KLEE},
}
