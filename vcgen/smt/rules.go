package smt

import "slices"

// rule is a named rewriting of the builders (build_*.go).
//
// Rules are counted, and can be switched off to measure them or to find a wrong one (as in bitwuzla). The property
// test checks them one by one. The normal form, on which other code relies, is not a rule: constants are folded and
// collected, sums are linear, operands are ordered, slices of slices are one slice.
type rule uint8

const (
	ruleSubSelfWide rule = iota
	ruleSubNarrowUnsigned
	ruleSubNarrowSigned
	ruleNotChoice
	ruleNotNotWide
	ruleAddZeroWide
	ruleAddNarrowUnsigned
	ruleAddNarrowSigned
	ruleAddGatherWide
	ruleAddNegationWide
	ruleAddDifferenceWide
	ruleMulConstantOutward
	ruleMulChoice
	ruleMulQuotient
	ruleMulZeroWide
	ruleMulOneWide
	ruleMulPowerWide
	ruleMulNarrowUnsigned
	ruleMulNegationTwice
	ruleUdivPower
	ruleUdivSmaller
	ruleUdivSelf
	ruleUdivNarrow
	ruleUremPower
	ruleUremSelf
	ruleUremSmaller
	ruleUremNarrow
	ruleSdivOne
	ruleSdivMinusOne
	ruleSdivNonnegative
	ruleSremOne
	ruleSremSelf
	ruleSremNonnegative
	ruleBitwiseComplement
	ruleAndClearsNothing
	ruleOrSetsWhatIsSet
	ruleBitwiseChoice
	ruleBitwiseZextConstant
	ruleOrJoinsPieces
	ruleBitwiseExtended
	ruleAndClearsOnes
	ruleAndLowBits
	ruleAndConcat
	ruleOrWithoutCarry
	ruleXorOfKnownBits
	ruleShlNothingLeft
	ruleLshrNothingLeft
	ruleAshrNonnegative
	ruleAndOpposite
	ruleAndKnown
	ruleAndRefuted
	ruleAndStrict
	ruleAndImplied
	ruleAndNotRefuted
	ruleAndNotImplied
	ruleOrCommonPrefix
	ruleOrCommonConjunct
	ruleIffCancels
	ruleIteDecided
	ruleIteOfConstant
	ruleIteOpposite
	ruleIteNegations
	ruleIteSharesBranch
	ruleIteOpenLast
	ruleIteImpliedConjunct
	ruleUltRange
	ruleUltNarrow
	ruleUltZext
	ruleUltSext
	ruleUltConcat
	ruleUltChoice
	ruleUltZextConstant
	ruleUltAtEndOfRange
	ruleUltSolve
	ruleUltQuotient
	ruleUltCancel
	ruleSltRange
	ruleSltAsUlt
	ruleSltNarrow
	ruleSltSext
	ruleSltSextConstant
	ruleSltChoice
	ruleSltOffset
	ruleSltQuotient
	ruleEqOfSums
	ruleEqFacts
	ruleEqParity
	ruleEqSolve
	ruleEqZextConstant
	ruleEqSextConstant
	ruleEqConcatConstant
	ruleEqChoiceConstant
	ruleEqXorConstant
	ruleEqXorZero
	ruleEqMaskedRun
	ruleEqTruncated
	ruleEqOneBit
	ruleEqZext
	ruleEqSext
	ruleEqConcat
	ruleEqBranch
	ruleEqChoices
	ruleFeqSelf
	ruleFltSelf
	ruleFleSelf
	ruleConcatSlices
	ruleConcatChoices
	ruleConcatChoiceConstant
	ruleExtractChoice
	ruleExtractProduct
	ruleExtractMasked
	ruleExtractLow
	ruleZextChoice
	ruleSextNonnegative
	ruleSextChoice
	ruleZextSum
	ruleSextSum

	numRules
)

var ruleNames = [numRules]string{
	ruleSubSelfWide:          "sub-self-wide",
	ruleSubNarrowUnsigned:    "sub-narrow-unsigned",
	ruleSubNarrowSigned:      "sub-narrow-signed",
	ruleNotChoice:            "not-choice",
	ruleNotNotWide:           "not-not-wide",
	ruleAddZeroWide:          "add-zero-wide",
	ruleAddNarrowUnsigned:    "add-narrow-unsigned",
	ruleAddNarrowSigned:      "add-narrow-signed",
	ruleAddGatherWide:        "add-gather-wide",
	ruleAddNegationWide:      "add-negation-wide",
	ruleAddDifferenceWide:    "add-difference-wide",
	ruleMulConstantOutward:   "mul-constant-outward",
	ruleMulChoice:            "mul-choice",
	ruleMulQuotient:          "mul-quotient",
	ruleMulZeroWide:          "mul-zero-wide",
	ruleMulOneWide:           "mul-one-wide",
	ruleMulPowerWide:         "mul-power-wide",
	ruleMulNarrowUnsigned:    "mul-narrow-unsigned",
	ruleMulNegationTwice:     "mul-negation-twice",
	ruleUdivPower:            "udiv-power",
	ruleUdivSmaller:          "udiv-smaller",
	ruleUdivSelf:             "udiv-self",
	ruleUdivNarrow:           "udiv-narrow",
	ruleUremPower:            "urem-power",
	ruleUremSelf:             "urem-self",
	ruleUremSmaller:          "urem-smaller",
	ruleUremNarrow:           "urem-narrow",
	ruleSdivOne:              "sdiv-one",
	ruleSdivMinusOne:         "sdiv-minus-one",
	ruleSdivNonnegative:      "sdiv-nonnegative",
	ruleSremOne:              "srem-one",
	ruleSremSelf:             "srem-self",
	ruleSremNonnegative:      "srem-nonnegative",
	ruleBitwiseComplement:    "bitwise-complement",
	ruleAndClearsNothing:     "and-clears-nothing",
	ruleOrSetsWhatIsSet:      "or-sets-what-is-set",
	ruleBitwiseChoice:        "bitwise-choice",
	ruleBitwiseZextConstant:  "bitwise-zext-constant",
	ruleOrJoinsPieces:        "or-joins-pieces",
	ruleBitwiseExtended:      "bitwise-extended",
	ruleAndClearsOnes:        "and-clears-ones",
	ruleAndLowBits:           "and-low-bits",
	ruleAndConcat:            "and-concat",
	ruleOrWithoutCarry:       "or-without-carry",
	ruleXorOfKnownBits:       "xor-of-known-bits",
	ruleShlNothingLeft:       "shl-nothing-left",
	ruleLshrNothingLeft:      "lshr-nothing-left",
	ruleAshrNonnegative:      "ashr-nonnegative",
	ruleAndOpposite:          "and-opposite",
	ruleAndKnown:             "and-known",
	ruleAndRefuted:           "and-refuted",
	ruleAndStrict:            "and-strict",
	ruleAndImplied:           "and-implied",
	ruleAndNotRefuted:        "and-not-refuted",
	ruleAndNotImplied:        "and-not-implied",
	ruleOrCommonPrefix:       "or-common-prefix",
	ruleOrCommonConjunct:     "or-common-conjunct",
	ruleIffCancels:           "iff-cancels",
	ruleIteDecided:           "ite-decided",
	ruleIteOfConstant:        "ite-of-constant",
	ruleIteOpposite:          "ite-opposite",
	ruleIteNegations:         "ite-negations",
	ruleIteSharesBranch:      "ite-shares-branch",
	ruleIteOpenLast:          "ite-open-last",
	ruleIteImpliedConjunct:   "ite-implied-conjunct",
	ruleUltRange:             "ult-range",
	ruleUltNarrow:            "ult-narrow",
	ruleUltZext:              "ult-zext",
	ruleUltSext:              "ult-sext",
	ruleUltConcat:            "ult-concat",
	ruleUltChoice:            "ult-choice",
	ruleUltZextConstant:      "ult-zext-constant",
	ruleUltAtEndOfRange:      "ult-at-end-of-range",
	ruleUltSolve:             "ult-solve",
	ruleUltQuotient:          "ult-quotient",
	ruleUltCancel:            "ult-cancel",
	ruleSltRange:             "slt-range",
	ruleSltAsUlt:             "slt-as-ult",
	ruleSltNarrow:            "slt-narrow",
	ruleSltSext:              "slt-sext",
	ruleSltSextConstant:      "slt-sext-constant",
	ruleSltChoice:            "slt-choice",
	ruleSltOffset:            "slt-offset",
	ruleSltQuotient:          "slt-quotient",
	ruleEqOfSums:             "eq-of-sums",
	ruleEqFacts:              "eq-facts",
	ruleEqParity:             "eq-parity",
	ruleEqSolve:              "eq-solve",
	ruleEqZextConstant:       "eq-zext-constant",
	ruleEqSextConstant:       "eq-sext-constant",
	ruleEqConcatConstant:     "eq-concat-constant",
	ruleEqChoiceConstant:     "eq-choice-constant",
	ruleEqXorConstant:        "eq-xor-constant",
	ruleEqXorZero:            "eq-xor-zero",
	ruleEqMaskedRun:          "eq-masked-run",
	ruleEqTruncated:          "eq-truncated",
	ruleEqOneBit:             "eq-one-bit",
	ruleEqZext:               "eq-zext",
	ruleEqSext:               "eq-sext",
	ruleEqConcat:             "eq-concat",
	ruleEqBranch:             "eq-branch",
	ruleEqChoices:            "eq-choices",
	ruleFeqSelf:              "feq-self",
	ruleFltSelf:              "flt-self",
	ruleFleSelf:              "fle-self",
	ruleConcatSlices:         "concat-slices",
	ruleConcatChoices:        "concat-choices",
	ruleConcatChoiceConstant: "concat-choice-constant",
	ruleExtractChoice:        "extract-choice",
	ruleExtractProduct:       "extract-product",
	ruleExtractMasked:        "extract-masked",
	ruleExtractLow:           "extract-low",
	ruleZextChoice:           "zext-choice",
	ruleSextNonnegative:      "sext-nonnegative",
	ruleSextChoice:           "sext-choice",
	ruleZextSum:              "zext-sum",
	ruleSextSum:              "sext-sum",
}

// use reports whether a rule that applies is enabled, and counts its use. It must be the last test of a rule.
func (c *Context) use(r rule) bool {
	if c.rulesOff[r] {
		return false
	}
	c.ruleUses[r]++
	return true
}

// Rules returns the names of the rewriting rules.
func Rules() []string { return ruleNames[:] }

// DisableRule disables a rewriting rule, one of Rules, for terms that are built later.
func (c *Context) DisableRule(name string) {
	c.rulesOff[slices.Index(ruleNames[:], name)] = true
}

// RuleUses returns the number of uses of each rule, in the order of Rules.
func (c *Context) RuleUses() []int { return c.ruleUses[:] }
