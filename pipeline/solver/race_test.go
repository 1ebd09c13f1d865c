//go:build race

package solver

func init() { slow = true }
