package llvmir

// resultType returns the type of an operation's result, and checks the types of its operands.
func (r *reader) resultType(in *Instr) *Type {
	arg := func(i int) *Type { return in.Args[i].Type }
	same := func(i, k int) {
		if arg(i) != arg(k) {
			r.Fail("%s of %s and %s", in.Op, arg(i), arg(k))
		}
	}
	switch {
	case in.Op >= OpAdd && in.Op <= OpFRem:
		same(0, 1)
		return arg(0)
	case in.Op == OpFNeg || in.Op == OpFreeze:
		return arg(0)
	}
	switch in.Op {
	case OpICmp, OpFCmp:
		same(0, 1)
		t := r.intType(1)
		if n := vectorLen(arg(0)); n > 0 {
			t = r.sequence(VectorType, n, t)
		}
		return t
	case OpSelect:
		same(1, 2)
		if c := arg(0); c != r.intType(1) && (c.Kind != VectorType || c.Elem != r.intType(1) || c.Len != vectorLen(arg(1))) {
			r.Fail("a choice by a value of type %s", c)
		}
		return arg(1)
	case OpExtractValue, OpInsertValue:
		t := r.member(arg(0), in.Path)
		if in.Op == OpExtractValue {
			return t
		}
		if arg(1) != t {
			r.Fail("a member of type %s becomes a value of type %s", t, arg(1))
		}
		return arg(0)
	}
	if arg(0).Kind != VectorType {
		r.Fail("%s of %s", in.Op, arg(0))
	}
	switch in.Op {
	case OpExtractElement:
		return arg(0).Elem
	case OpInsertElement:
		if arg(1) != arg(0).Elem {
			r.Fail("an element of %s becomes a value of type %s", arg(0), arg(1))
		}
		return arg(0)
	case OpShuffleVector:
		same(0, 1)
		t := r.sequence(VectorType, int64(len(in.Mask)), arg(0).Elem)
		return t
	}
	r.Fail("%s has no result type", in.Op)
	return nil
}

// member returns the type of the member at a path in an aggregate.
func (r *reader) member(t *Type, path []int) *Type {
	if len(path) == 0 {
		r.Fail("a member of %s without an index", t)
	}
	for _, i := range path {
		switch {
		case t.Kind == StructType && i < len(t.Fields):
			t = t.Fields[i]
		case t.Kind == ArrayType && int64(i) < t.Len:
			t = t.Elem
		default:
			r.Fail("%s has no member %d", t, i)
		}
	}
	return t
}
