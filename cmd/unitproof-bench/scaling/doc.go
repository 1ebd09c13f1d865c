// Package scaling holds families of unit proofs that grow with a number n, to see how the cost of a check grows with
// it.
//
// series.go lists the families and writes their programs. The package runs nothing.
package scaling
