// Package smt is the term language of the engine.
package smt
