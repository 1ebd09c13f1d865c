package smt

import "testing"

// TestCodec checks that decoded terms have the digests and the values of the encoded ones.
func TestCodec(t *testing.T) {
	total := 0
	for _, p := range profiles {
		for seed := range int64(8) {
			c, terms := canonTerms(seed, p)
			k := c.NewCanon()
			for _, x := range terms {
				k.Hash(x)
			}
			data, number := k.Encode(terms)
			c2, k2, list, err := Decode(data)
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range terms {
				y := list[number[x]]
				total++
				if k.Hash(x) != k2.Hash(y) {
					t.Fatalf("%s became %s", c.String(x), c2.String(y))
				}
				a := c.NewEvaluator(canonModel(c, k, x, 1)).EvalBool(x)
				if b := c2.NewEvaluator(canonModel(c2, k2, y, 1)).EvalBool(y); a != b {
					t.Fatalf("%s is %v and %s is %v", c.String(x), a, c2.String(y), b)
				}
			}
			// Damaged data is an error, not a panic.
			for cut := 0; cut < len(data); cut += 1 + len(data)/40 {
				if _, _, _, err := Decode(data[:cut]); err == nil {
					t.Fatalf("the first %d of %d bytes were decoded", cut, len(data))
				}
			}
		}
	}
	if total < 500 {
		t.Errorf("only %d terms", total)
	}
}

func TestCodecOfFunctions(t *testing.T) {
	c := NewContext()
	f, g := c.NewFunc("f", 8, 16), c.NewFunc("g", 8, 16)
	x := c.Var("x", BV(8))
	wide := c.VarAligned("w", 100, 3)
	root := c.And(c.Ult(c.Apply(f, x), c.Apply(g, x)), c.Eq(c.Apply(f, c.Int(8, 3)), c.Int(16, 7)),
		c.Ult(wide, c.Concat(c.Int(36, 5), c.Zext(x, 64))))
	k := c.NewCanon()
	want := k.Hash(root)
	data, number := k.Encode([]Term{root})
	_, k2, list, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if k2.Hash(list[number[root]]) != want {
		t.Error("another digest")
	}
}

func TestValueEncoding(t *testing.T) {
	for _, v := range []Value{BoolValue(true), BoolValue(false), UintValue(8, 0), UintValue(64, 1<<63),
		BigValueOf(200, pow2(150))} {
		got, rest, err := ReadValue(append(AppendValue(nil, v), 9))
		if err != nil || !got.Equal(v) || len(rest) != 1 {
			t.Errorf("%v became %v, %v", v, got, err)
		}
	}
	if _, _, err := ReadValue([]byte{8, 4, 1}); err == nil {
		t.Error("a value that ends early")
	}
}

// TestExactDigest checks that the digest depends on the order of terms, but not on names.
func TestExactDigest(t *testing.T) {
	make2 := func(swap bool, name string) Digest {
		c := NewContext()
		a, b := c.Var(name, Bool), c.Var("b", Bool)
		if swap {
			a, b = b, a
		}
		return c.ExactDigest([]Term{c.And(a, b)})
	}
	if make2(false, "a") != make2(false, "z") || make2(false, "a") == make2(true, "a") {
		t.Error("exact digests")
	}
}
