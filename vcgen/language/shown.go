package language

import "strings"

// BodyPrefix begins the names of functions whose calls are replaced by their contracts.
const BodyPrefix = "unitproof_body_"

// ContractFile is the file name of code generated from contracts that corresponds to no line of the user.
const ContractFile = "unitproof_contract.h"

// internalPrefixes begin the names of functions and variables in generated code of contracts.
var internalPrefixes = []string{"__unitproof_", VariablePrefix}

// Shown returns the user's name of a function or variable.
//
// For example, it returns f for unitproof_enforce_f, and errno for the variable that stores it in our models.
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

// Internal reports whether a name belongs to the generated code of contracts, and is unknown to users.
func Internal(name string) bool {
	for _, prefix := range internalPrefixes {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}
