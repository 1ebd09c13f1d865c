package language

// Rounding is the variable of our models in which the rounding mode is kept: one of the constants below. Only programs
// that use <fenv.h> have it.
const Rounding = "__unitproof_rounding"

// RoundingCBMC is CBMC's name of such a variable, with CBMC's numbers, which proofs may write.
const RoundingCBMC = "__CPROVER_rounding_mode"

// Rounding modes as Rounding holds them. RoundNearest is 0, so that programs begin with it.
const (
	RoundNearest = iota
	RoundZero
	RoundUp
	RoundDown
)

// RoundingOfCBMC translates the numbers that RoundingCBMC may hold.
var RoundingOfCBMC = []uint64{RoundNearest, RoundDown, RoundUp, RoundZero}

// FltRounds translates the modes into the numbers of FLT_ROUNDS (C11 5.2.4.2.2).
var FltRounds = []uint64{1, 0, 2, 3}
