package fuzz

import (
	"testing"

	"github.com/unitproof/unitproof/vcgen/choice"
)

// TestExplorerChoices checks that inputs are reproducible, and contain the program's constants often enough.
func TestExplorerChoices(t *testing.T) {
	count := func() (near, small, failed int) {
		x := &Inputs{state: 1, near: []uint64{64}, numbers: []uint64{64, 1000}, bytes: []byte{'{'}}
		for range 1000 {
			switch v := x.Choose(choice.Question{Kind: choice.Nondet, Bits: 32}).Value.Uint64(); {
			case v == 63, v == 64, v == 65:
				near++
			case v < 9:
				small++
			case v >= 1<<32:
				t.Fatalf("%d has more than 32 bits", v)
			}
			if x.Choose(choice.Question{Kind: choice.AllocFails}).Value != nil {
				failed++
			}
		}
		return near, small, failed
	}
	near, small, failed := count()
	if near < 200 || small < 200 || failed != 0 {
		t.Errorf("of 1000 numbers %d are near 64 and %d small; %d allocations fail", near, small, failed)
	}
	if n, s, _ := count(); n != near || s != small {
		t.Error("the second time numbers are others")
	}
	x := &Inputs{state: 1, bytes: []byte{'{'}, fails: true}
	braces, zeros := 0, 0
	for range 1000 {
		switch at := x.Choose(choice.Question{Kind: choice.Havoc, Content: true}).Content; {
		case at(3) == '{' && at(100) == '{':
			braces++
		case at(3) == 0 && at(100) == 0 && at(7) == 0:
			zeros++
		}
	}
	if braces < 200 || zeros < 100 {
		t.Errorf("of 1000 contents %d are of known bytes and %d zero", braces, zeros)
	}
}

// TestExplorerAlike checks that most uniform executions repeat the answer for a place, and that some have zero
// content.
func TestExplorerAlike(t *testing.T) {
	x := &Inputs{uniform: true, numbers: []uint64{1000}, matched: []byte{'{'}}
	number := choice.Question{Kind: choice.Nondet, Bits: 64, Site: 1}
	other := choice.Question{Kind: choice.Nondet, Bits: 64, Site: 2}
	content := choice.Question{Kind: choice.Havoc, Content: true, Site: 3}
	same, differ, blank, braces, pairs := 0, 0, 0, 0, 0
	for range 1000 {
		x.Begin(x.Fresh())
		first, second := x.Choose(number).Value.Uint64(), x.Choose(other).Value.Uint64()
		if x.Choose(number).Value.Uint64() == first {
			same++
		}
		if first != second {
			differ++
		}
		bytes := func(uint64) byte { return 0 }
		if a := x.Choose(content); a.Content != nil {
			bytes = a.Content
		}
		switch {
		case bytes(0) == '{' && bytes(1) == '{' && bytes(64) == '{':
			braces++
		case bytes(0) == 0 && bytes(1) == 0 && bytes(2) == 0 && bytes(64) == 0:
			blank++
		case bytes(0) == bytes(2) && bytes(1) == bytes(3) && bytes(0) != bytes(1):
			pairs++
		}
	}
	if same < 750 || same == 1000 || differ < 750 {
		t.Errorf("of 1000 executions, a place has one answer in %d, and two places have different ones in %d", same, differ)
	}
	if blank < 250 || braces < 50 || pairs < 10 {
		t.Errorf("of 1000 contents %d are zero, %d of a byte, %d of pairs of bytes", blank, braces, pairs)
	}
}
