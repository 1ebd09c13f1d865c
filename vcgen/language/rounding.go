package language

// Rounding is the variable of our models that stores the rounding mode: one of the constants below.
//
// Only programs that use <fenv.h> have it.
const Rounding = "__unitproof_rounding"

// RoundingCBMC is CBMC's name of such a variable, with CBMC's numbers. Proofs may write it.
const RoundingCBMC = "__CPROVER_rounding_mode"

// Rounding modes, the values of Rounding. RoundNearest is 0, so that it is the initial mode.
const (
	RoundNearest = iota
	RoundZero
	RoundUp
	RoundDown
)

// RoundingOfCBMC maps the values of RoundingCBMC to rounding modes.
var RoundingOfCBMC = []uint64{RoundNearest, RoundDown, RoundUp, RoundZero}

// FltRounds maps rounding modes to the values of FLT_ROUNDS (C11 5.2.4.2.2).
var FltRounds = []uint64{1, 0, 2, 3}
