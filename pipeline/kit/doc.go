// Package kit reads the proofs of a CBMC starter kit and writes them into a unitproof.toml.
//
// A kit is a folder with a Makefile.common, below which each folder with a Makefile is a proof (find.go). What a proof
// consists of is known to make alone, so make is asked (ask.go); that runs what the Makefiles ask for, and is for
// folders that the user trusts. FreeRTOS describes its proofs in JSON, of which scripts write Makefiles: these are
// read without them (json.go, expr.go). proof.go makes settings of the variables, options.go of CBMC's options,
// write.go a configuration of the settings, and merge.go keeps what was written into it by hand.
package kit
