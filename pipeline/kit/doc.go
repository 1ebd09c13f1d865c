// Package kit reads the proofs of a CBMC starter kit and writes them to a unitproof.toml.
//
// A kit is a folder with a Makefile.common; each folder below it with a Makefile is a proof (find.go). Only make can
// determine the parts of a proof, so the package starts make (ask.go). That executes commands from the Makefiles, so it
// is only for folders that the user trusts. FreeRTOS describes its proofs in JSON, from which scripts generate
// Makefiles: these files are read without the scripts (json.go, expr.go).
//
// For example, a Makefile with
//
//	HARNESS_ENTRY = memcmp_harness
//	UNWINDSET += memcmp.0:100
//
// becomes a [[proof]] with entry = "memcmp_harness" and max-unwind = 100.
//
// The principal types are Kits, Proof and Imported. proof.go derives settings from the variables, options.go from
// CBMC's options; write.go writes the configuration, merge.go preserves manual changes, and report.go describes the
// result.
package kit
