package harness

import (
	"slices"
	"strings"

	"github.com/unitproof/unitproof/pipeline/lazyregexp"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// lengthOf returns the member with the number of elements of a pointer member: by the code, otherwise by its name. fits
// are members that are at most that number.
func (w *writer) lengthOf(of *llvmir.DIType, pointer *llvmir.DIField) (length *llvmir.DIField, fits []*llvmir.DIField) {
	own, others := w.shownLengths(of, pointer)
	if len(own) > 1 { // one index may run through several arrays: their names decide
		own = slices.DeleteFunc(own, func(f *llvmir.DIField) bool {
			return !affixed(f.Name, pointer.Name) && slices.ContainsFunc(of.Fields, func(p llvmir.DIField) bool {
				return p.Name != pointer.Name && p.Type != nil && p.Type.Kind == llvmir.DIPointer && affixed(f.Name, p.Name)
			})
		})
	}
	if !manyByName(pointer) && len(own) == 0 || pointer.Type.Elem != nil && pointer.Type.Elem.Kind == llvmir.DIFunc {
		return nil, nil
	}
	pointers := 0
	var lengths []*llvmir.DIField
	for i := range of.Fields {
		f := &of.Fields[i]
		if manyByName(f) {
			pointers++
		}
		if isLength(f.Name, f.Type) && !f.BitField && (f.Name != "argc" || strings.HasPrefix(pointer.Name, "arg")) {
			lengths = append(lengths, f)
		}
	}
	lengths = slices.DeleteFunc(lengths, func(f *llvmir.DIField) bool {
		return others[f.Name] && !affixed(f.Name, pointer.Name)
	})
	byName := slices.DeleteFunc(slices.Clone(lengths), func(f *llvmir.DIField) bool {
		return !affixed(f.Name, pointer.Name)
	})
	switch {
	case len(own) > 0:
		m := member{llvmName(of), pointer.BitOffset / 8}
		for _, f := range lengths { // the capacity and the index of the next element, too
			n := member{m.of, f.BitOffset / 8}
			if (w.capacities[n] || w.indices[m][n]) && !slices.Contains(own, f) {
				own = append(own, f)
			}
		}
		lengths = own
	case len(lengths) == 0:
		return nil, nil
	case len(byName) == 1:
		return byName[0], nil
	case len(lengths) > 3:
		return nil, nil
	case pointers > 1: // the one with a similar name
		like := slices.DeleteFunc(slices.Clone(lengths), func(f *llvmir.DIField) bool {
			return !strings.Contains(strings.ToLower(f.Name), strings.ToLower(strings.TrimSuffix(pointer.Name, "s")))
		})
		if len(like) == 1 {
			return like[0], nil
		}
		lengths = slices.DeleteFunc(lengths, func(f *llvmir.DIField) bool { return ofAnother(of, pointer, f) })
		if len(lengths) == 0 {
			return nil, nil
		}
	}
	length = lengths[0]
	rank := func(f *llvmir.DIField) int {
		if w.capacities[member{llvmName(of), f.BitOffset / 8}] {
			return CapacityRank(f.Name) + 3
		}
		return CapacityRank(f.Name)
	}
	for _, f := range lengths {
		if rank(f) > rank(length) || rank(f) == rank(length) && rank(f) >= 2 {
			length = f
		}
	}
	for _, f := range lengths {
		if f != length {
			fits = append(fits, f)
		}
	}
	return length, fits
}

// ofAnother reports whether a length names another member than a pointer: addrlen is the length of saddr. It is called
// if a struct has several pointers.
func ofAnother(of *llvmir.DIType, pointer, length *llvmir.DIField) bool {
	stem := strings.Trim(lengthSuffix.ReplaceAllString(strings.ToLower(length.Name), ""), "_")
	return len(stem) > 1 && !general.MatchString(stem) && !strings.Contains(strings.ToLower(pointer.Name), stem)
}

var (
	lengthSuffix = lazyregexp.New(`_?(len|length|size|sz|count|cnt|num|bytes|entries|elements|items|capacity|cap|alloc)$`)
	general      = lazyregexp.New(`^(n|num|max|min|total|used|cur|current|alloc|allocated|buf|buffer|data|len|size|cap)$`)
)

// manyByName reports whether a member may point to several elements: numbers, pointers, or, if its name is a plural,
// structs.
func manyByName(f *llvmir.DIField) bool {
	if canHaveLength(f.Type) {
		return true
	}
	if f.Type == nil || f.Type.Kind != llvmir.DIPointer || f.Type.Elem == nil {
		return false
	}
	e := f.Type.Elem
	return e.Kind == llvmir.DIPointer || isComposite(e) && !incomplete(e) && strings.HasSuffix(f.Name, "s")
}

var capacity = lazyregexp.New(`(?i)cap|alloc|max|limit|room|total|^a_?(?:size|len)$`)

// CapacityRank returns how likely the name of a length is that of a capacity, beside others: size beside len is one.
func CapacityRank(name string) int {
	switch {
	case capacity.MatchString(name):
		return 2
	case strings.HasSuffix(strings.ToLower(name), "size"):
		return 1
	}
	return 0
}

// showsLength reports whether the code uses a number as the length of a pointer beside it, or as its capacity.
func (w *writer) showsLength(pointer member, of *llvmir.DIType, length *llvmir.DIField) bool {
	n := member{llvmName(of), length.BitOffset / 8}
	return w.lengths[pointer][n] || w.indices[pointer][n] || w.capacities[n]
}
