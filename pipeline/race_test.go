//go:build race

package pipeline

// raceEnabled: the engine is several times slower, and its own tests look for races in it.
const raceEnabled = true
