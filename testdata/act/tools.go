//go:build tools

// Package tools names the programs that the tests of the action need.
package tools

import _ "github.com/nektos/act"
