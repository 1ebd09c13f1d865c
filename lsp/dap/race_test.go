//go:build race

package dap

// raceEnabled reports a build with the race detector, in which the engine is several times slower. Other packages
// test all programs with it.
const raceEnabled = true
