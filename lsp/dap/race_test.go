//go:build race

package dap

// raceEnabled: the engine is several times slower, and other packages run it on all programs.
const raceEnabled = true
