// Package cbmc runs unit proofs with an installed CBMC, to compare its verdicts and costs with unitproof's.
//
//	c, err := cbmc.Find(ctx, dir)                      // the cbmc on PATH; dir gets its header
//	r, err := c.Run(ctx, proof, time.Minute, nil)      // r.Verdict, r.Cost
//
// command.go translates a proof's settings to options of cbmc, output.go parses cbmc's output, run.go runs a proof,
// process.go measures a process, kit.go runs proofs by the Makefiles of CBMC's starter kits. header/unitproof.h
// defines the proof language for CBMC; differences.txt explains known differences between verdicts (differences.go).
package cbmc
