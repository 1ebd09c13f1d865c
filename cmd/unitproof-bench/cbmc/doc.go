// Package cbmc runs unit proofs with an installed CBMC, to compare its verdicts and costs with ours.
//
// command.go turns a proof's settings into options of cbmc, output.go reads what cbmc prints, run.go runs a proof,
// process.go measures a process. header/unitproof.h is the proof language for CBMC.
package cbmc
