package language

import "strings"

// BodyPrefix begins the names of functions whose calls go to their contracts.
const BodyPrefix = "unitproof_body_"

// ContractFile is the name of the file in which the program that contracts become lies, as far as no line of the user's
// stands for it.
const ContractFile = "unitproof_contract.h"

// internalPrefixes begin the names of functions and variables with which contracts are written.
var internalPrefixes = []string{"__unitproof_", VariablePrefix}

// Shown returns the name of a function or variable as its user knows it: f for unitproof_enforce_f, errno for the
// variable in which our models keep it.
func Shown(name string) string {
	if name == Errno {
		return "errno"
	}
	for _, prefix := range []string{EnforcePrefix, ReplacePrefix, BodyPrefix} {
		if own, ok := strings.CutPrefix(name, prefix); ok {
			return own
		}
	}
	return WithoutFile(name)
}

// Internal reports whether a name is one with which contracts are written, and that no user knows.
func Internal(name string) bool {
	for _, prefix := range internalPrefixes {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}
