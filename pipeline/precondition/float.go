package precondition

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

// nan is the value of a float that is no number: it differs from all values, also from itself.
var nan = new(big.Int)

// FloatKey returns the value of a float in a State: keys are ordered like the numbers.
func FloatKey(f float64) *big.Int {
	switch {
	case f != f:
		return nan
	case f == 0:
		return new(big.Int) // 0 and -0 are equal
	case f < 0:
		key := new(big.Int).SetUint64(math.Float64bits(-f))
		return key.Neg(key)
	}
	return new(big.Int).SetUint64(math.Float64bits(f))
}

// floatOf is the inverse of FloatKey for numbers.
func floatOf(key *big.Int) float64 {
	f := math.Float64frombits(new(big.Int).Abs(key).Uint64())
	if key.Sign() < 0 {
		return -f
	}
	return f
}

// simplest returns the key of the number between two keys that has the fewest bits: a power of two near the middle, if
// there is one. A search that halves the range with it finds simple bounds in few steps. It returns nil if no number is
// between them.
func simplest(low, high *big.Int, bits int) *big.Int {
	middle := new(big.Int).Add(low, high)
	middle.Rsh(middle, 1)
	fraction := 52 // of a double; a float has the upper 23
	if bits == 32 {
		fraction = 23
	}
	for n := fraction; n >= 0; n-- { // bits of the fraction that are zero
		unit := new(big.Int).Lsh(big.NewInt(1), uint(52-fraction+n))
		down := new(big.Int).Div(middle, unit)
		down.Mul(down, unit)
		for _, key := range []*big.Int{new(big.Int).Add(down, unit), down} {
			if key.Cmp(low) > 0 && key.Cmp(high) < 0 {
				return key
			}
		}
	}
	return nil
}

// floatConstant is a constant that floats of a width are compared with; false if they cannot have the value.
func floatConstant(f float64, bits int) (*term, bool) {
	if f != f || bits == 32 && float64(float32(f)) != f {
		return nil, false
	}
	text := ""
	switch {
	case math.IsInf(f, 1):
		text = "__builtin_inf()"
	case math.IsInf(f, -1):
		text = "-__builtin_inf()"
	case f == math.Trunc(f) && math.Abs(f) < 1e6:
		text = strconv.FormatFloat(f, 'f', 1, 64)
	default:
		if text = strconv.FormatFloat(f, 'g', -1, bits); !strings.ContainsAny(text, ".e") {
			text += ".0"
		}
	}
	if bits == 32 && text[len(text)-1] != ')' {
		text += "f"
	}
	return &term{constant: FloatKey(f), name: text}, true
}

// float adds comparisons of a float with constants.
func (m *maker) float(i int) {
	v, x := &m.Vars[i], variable(i)
	m.add(scoreNumber, atom{x, "==", x})
	known := map[string]bool{}
	compare := func(f float64) {
		k, ok := floatConstant(f, v.Bits)
		if !ok || known[k.name] {
			return
		}
		known[k.name] = true
		m.add(scoreConstant+scoreUnequal, atom{x, "!=", k})
		for _, op := range []string{"<=", ">="} {
			m.add(scoreConstant, atom{x, op, k})
			m.add(scoreConstant+scoreStrict, atom{x, op[:1], k})
		}
		for _, op := range []string{"!<=", "!>="} { // also if it is no number
			m.add(scoreConstant+scoreStrict, atom{x, op[:2], k})
			m.add(scoreConstant+2*scoreStrict, atom{x, op, k})
		}
	}
	for _, c := range m.Consts {
		if c.Value.IsInt64() && c.Value.Int64() == int64(float64(c.Value.Int64())) {
			compare(float64(c.Value.Int64()))
			compare(float64(-c.Value.Int64()))
		}
	}
	for _, f := range m.Floats {
		compare(f)
		compare(-f)
	}
}

// floats adds comparisons of two floats.
func (m *maker) floats(i, k int) {
	x, y := variable(i), variable(k)
	m.add(scoreRelation, atom{x, "<=", y})
	m.add(scoreRelation+scoreStrict, atom{x, "<", y})
	m.add(scoreRelation+scoreStrict, atom{x, "!>", y})
	m.add(scoreRelation+2*scoreStrict, atom{x, "!>=", y})
	if i < k {
		m.add(scoreRelation, atom{x, "!=", y})
		m.add(scoreEqual, atom{x, "==", y})
	}
}
