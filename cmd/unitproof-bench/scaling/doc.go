// Package scaling has families of unit proofs that grow with a number n, to measure the growth of the cost of a
// check. For example, the program of the family writes-loop for n = 1000 writes 1000 elements of an array in a loop,
// and then asserts the values of two of them.
//
// series.go has the families (All) and generates their programs. The package runs nothing.
package scaling
