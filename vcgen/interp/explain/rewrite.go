package explain

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Other values for inputs, as a user writes them: the inverse of InputRecords.
//
//	-7, 0x1f, 'a', INT_MAX       scalars
//	RED, true, NULL              enumerators, truth values, null pointers
//	{.len = 3, .in = {.x = 2}}   structures; .len = 3 alone is the same without braces
//	{1, 2, [7] = 9}, "abc"       arrays, and blocks of bytes
//
// Parts that the text does not mention keep their values, unlike in C: a user changes a part of a large value. "?" and
// "..." stand for parts that keep their values, too.

// Rewritten is another value of an input.
type Rewritten struct {
	Number *big.Int        // of scalars; at least 0
	Bytes  map[uint64]byte // of content: the bytes that the text determines
}

// Rewrite reads a value for an input. The error is a sentence for the user.
func (w *View) Rewrite(r *state.Input, text string) (Rewritten, error) {
	t := r.DIType
	p := &valueParser{w: w, text: text, out: map[uint64]byte{}}
	if !r.IsValue {
		n := min(r.Size, maxRecordBytes)
		p.old = make([]byte, n)
		for i := range p.old {
			p.old[i] = r.Content(uint64(i))
		}
		if t == nil || uint64(TypeSize(t)) != r.Size || r.Size > maxRecordBytes {
			elem := &llvmir.DIType{Kind: llvmir.DIChar, Name: "unsigned char", Bits: 8}
			if t != nil && t.Kind == llvmir.DIChar {
				elem = t
			}
			t = &llvmir.DIType{Kind: llvmir.DIArray, Name: "bytes", Elem: elem, Count: int64(r.Size), Bits: int64(8 * n)}
		}
		err := p.all(t)
		return Rewritten{Bytes: p.out}, err
	}
	n := int(r.Typ.StoreSize)
	if t == nil || t.Bits > int64(n)*8 || t.Kind == llvmir.DIStruct || t.Kind == llvmir.DIUnion {
		kind := llvmir.DIInt
		if r.Typ.Kind == llvmir.FloatType {
			kind = llvmir.DIFloat
		}
		t = &llvmir.DIType{Kind: kind, Name: TypeName(r.Typ), Bits: int64(8 * n), Signed: true}
	}
	x, err := number(strings.TrimSpace(text), t)
	return Rewritten{Number: x}, err
}

// valueParser reads a value of a type into bytes.
type valueParser struct {
	w    *View
	text string
	at   int
	old  []byte
	out  map[uint64]byte
}

func (p *valueParser) space() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

// accept skips a punctuator, and reports whether it comes next.
func (p *valueParser) accept(s string) bool {
	p.space()
	if !strings.HasPrefix(p.text[p.at:], s) {
		return false
	}
	p.at += len(s)
	return true
}

func (p *valueParser) all(t *llvmir.DIType) error {
	p.space()
	aggregate := t.Kind == llvmir.DIStruct || t.Kind == llvmir.DIUnion || t.Kind == llvmir.DIArray
	if next := strings.TrimSpace(p.text); aggregate && next != "" && strings.IndexByte(".[", next[0]) >= 0 {
		p.text, p.at = "{"+next+"}", 0
	}
	if err := p.value(0, t, nil); err != nil {
		return err
	}
	if p.space(); p.at < len(p.text) {
		return fmt.Errorf("%q is left over after the value", p.text[p.at:])
	}
	return nil
}

// value reads a value of a type at an offset. field is the bit-field, nil for others.
func (p *valueParser) value(off uint64, t *llvmir.DIType, field *llvmir.DIField) error {
	if t == nil {
		return errors.New("the type of this part is not known")
	}
	p.space()
	if p.at < len(p.text) && p.text[p.at] == '{' {
		p.at++
		return p.list(off, t)
	}
	if p.at < len(p.text) && p.text[p.at] == '"' {
		return p.str(off, t)
	}
	word := p.word()
	switch {
	case word == Unknown:
		return nil
	case t.Kind == llvmir.DIStruct, t.Kind == llvmir.DIUnion, t.Kind == llvmir.DIArray:
		return fmt.Errorf("%q is no value of %s: write {...}", word, t.Name)
	case field != nil:
		return p.bitField(off, field, word)
	}
	n := uint64(TypeSize(t))
	if n == 0 || n > 16 {
		return fmt.Errorf("values of %s cannot be changed", t.Name)
	}
	if off+n <= uint64(len(p.old)) && p.w.Memory(bytesOf{p.old, p.w.Layout.BigEndian}, off, t, 0) == word {
		return nil // such as a pointer, which has no other text
	}
	x, err := number(word, t)
	if err != nil {
		return err
	}
	p.put(off, n, x)
	return nil
}

// put writes a number of n bytes.
func (p *valueParser) put(off, n uint64, x *big.Int) {
	for i, b := range x.FillBytes(make([]byte, n)) {
		at := n - 1 - uint64(i)
		if p.w.Layout.BigEndian {
			at = uint64(i)
		}
		p.out[off+at] = b
	}
}

func (p *valueParser) bitField(off uint64, f *llvmir.DIField, word string) error {
	t := *f.Type
	t.Bits = f.BitSize
	x, err := number(word, &t)
	if err != nil {
		return err
	}
	for i := range f.BitSize {
		bit, shift := f.BitOffset+i, i
		at := bit % 8
		if p.w.Layout.BigEndian {
			at, shift = 7-at, f.BitSize-1-i
		}
		where := off + uint64(bit/8)
		b, known := p.out[where]
		if !known && where < uint64(len(p.old)) {
			b = p.old[where]
		}
		p.out[where] = b&^(1<<at) | byte(x.Bit(int(shift)))<<at
	}
	return nil
}

// word returns the text of a scalar: up to a comma or a brace outside of quotes.
func (p *valueParser) word() string {
	start := p.at
	for quoted := false; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; {
		case c == '\\' && quoted:
			p.at++
		case c == '\'':
			quoted = !quoted
		case !quoted && (c == ',' || c == '}'):
			return strings.TrimSpace(p.text[start:p.at])
		}
	}
	p.at = min(p.at, len(p.text))
	return strings.TrimSpace(p.text[start:p.at])
}

// str reads a string with its terminator, if there is room for it.
func (p *valueParser) str(off uint64, t *llvmir.DIType) error {
	quoted, err := strconv.QuotedPrefix(p.text[p.at:])
	if err != nil {
		return errors.New("the string does not end, or has an escape that is not known")
	}
	p.at += len(quoted)
	s, err := strconv.Unquote(quoted)
	switch {
	case err != nil:
		return fmt.Errorf("%s is no string", quoted)
	case t.Kind != llvmir.DIArray || t.Elem == nil || t.Elem.Bits != 8:
		return fmt.Errorf("%s is no string", t.Name)
	case t.Count >= 0 && int64(len(s)) > t.Count:
		return fmt.Errorf("the string has %d bytes, and there is room for %d", len(s), t.Count)
	}
	for i := range len(s) {
		p.out[off+uint64(i)] = s[i]
	}
	if t.Count < 0 || int64(len(s)) < t.Count {
		p.out[off+uint64(len(s))] = 0
	}
	return nil
}

// list reads the rest of a value in braces.
func (p *valueParser) list(off uint64, t *llvmir.DIType) error {
	if t.Kind != llvmir.DIStruct && t.Kind != llvmir.DIUnion && t.Kind != llvmir.DIArray {
		return fmt.Errorf("a value of %s has no braces", t.Name)
	}
	zero := strings.HasPrefix(strings.ReplaceAll(p.text[p.at:], " ", ""), "0}")
	if zero {
		for i := range uint64(min(TypeSize(t), maxRecordBytes)) {
			p.out[off+i] = 0
		}
		p.at += strings.IndexByte(p.text[p.at:], '}') + 1
		return nil
	}
	for next := int64(0); ; {
		switch {
		case p.accept("}"):
			return nil
		case p.accept("..."):
			continue
		case p.accept(","):
			continue
		case p.at >= len(p.text): // accept has skipped the spaces
			return errors.New("a } is missing")
		}
		last, parts, err := p.designated(off, t, next)
		if err != nil {
			return err
		}
		start := p.at
		for _, part := range parts {
			p.at = start
			if err := p.value(part.off, part.t, part.field); err != nil {
				return err
			}
		}
		next = last + 1
	}
}

// part is a place in a value.
type part struct {
	off   uint64
	t     *llvmir.DIType
	field *llvmir.DIField // of bit-fields
}

// designated reads the designators of an element. Without any, the element is the one with the index next. last is the
// index of the last element.
func (p *valueParser) designated(off uint64, t *llvmir.DIType, next int64) (last int64, parts []part, err error) {
	if !strings.HasPrefix(p.text[p.at:], ".") && !strings.HasPrefix(p.text[p.at:], "[") {
		one, err := element(off, t, next)
		return next, []part{one}, err
	}
	parts = []part{{off: off, t: t}}
	for level := 0; !p.accept("="); level++ {
		switch {
		case p.accept("."):
			start := p.at
			for p.at < len(p.text) && (p.text[p.at] == '_' || isAlnum(p.text[p.at])) {
				p.at++
			}
			name := p.text[start:p.at]
			for i := range parts {
				k, one, ok := memberPart(parts[i], name)
				if !ok {
					return 0, nil, fmt.Errorf("%s has no member %q", parts[i].t.Name, name)
				}
				if parts[i] = one; level == 0 {
					last = k
				}
			}
		case p.accept("["):
			end := strings.IndexByte(p.text[p.at:], ']')
			if end < 0 {
				return 0, nil, errors.New("a ] is missing")
			}
			from, to, isRange := strings.Cut(p.text[p.at:p.at+end], "...")
			p.at += end + 1
			lo, err := strconv.ParseInt(strings.TrimSpace(from), 0, 64)
			hi := lo
			if isRange && err == nil {
				hi, err = strconv.ParseInt(strings.TrimSpace(to), 0, 64)
			}
			if err != nil || hi < lo || hi-lo > maxLooked {
				return 0, nil, errors.New("an index in brackets is no number")
			}
			var all []part
			for i := lo; i <= hi; i++ {
				for _, of := range parts {
					one, err := element(of.off, of.t, i)
					if err != nil {
						return 0, nil, err
					}
					all = append(all, one)
				}
			}
			if parts = all; level == 0 {
				last = hi
			}
		default:
			return 0, nil, fmt.Errorf("a = is missing before %q", p.text[p.at:])
		}
	}
	return last, parts, nil
}

func isAlnum(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' }

// element returns the element of an array, or the member of a structure, with an index.
func element(off uint64, t *llvmir.DIType, i int64) (part, error) {
	if t.Kind == llvmir.DIArray {
		size := TypeSize(t.Elem)
		if i < 0 || t.Count >= 0 && i >= t.Count || size <= 0 || uint64(i) > maxRecordBytes {
			return part{}, fmt.Errorf("there is no element %d", i)
		}
		return part{off: off + uint64(i*size), t: t.Elem}, nil
	}
	if (t.Kind != llvmir.DIStruct && t.Kind != llvmir.DIUnion) || i >= int64(len(t.Fields)) {
		return part{}, fmt.Errorf("%s has no part %d", t.Name, i)
	}
	return fieldPart(off, &t.Fields[i]), nil
}

func fieldPart(off uint64, f *llvmir.DIField) part {
	if f.BitField {
		return part{off, f.Type, f}
	}
	return part{off: off + uint64(f.BitOffset/8), t: f.Type}
}

// memberPart finds a member by its name, also in anonymous structures, with the index of the outermost member.
func memberPart(of part, name string) (int64, part, bool) {
	if of.t == nil || of.field != nil || of.t.Kind != llvmir.DIStruct && of.t.Kind != llvmir.DIUnion {
		return 0, part{}, false
	}
	for i := range of.t.Fields {
		f := &of.t.Fields[i]
		if f.Name == name {
			return int64(i), fieldPart(of.off, f), true
		}
		if f.Name == "" && !f.BitField && f.Type != nil {
			if _, one, ok := memberPart(fieldPart(of.off, f), name); ok {
				return int64(i), one, true
			}
		}
	}
	return 0, part{}, false
}

// limits are the names of the smallest and largest values of a type, which every user knows.
var limits = map[string]func(t *llvmir.DIType) *big.Int{"MIN": lowest, "MAX": highest}

func lowest(t *llvmir.DIType) *big.Int {
	if !t.Signed {
		return new(big.Int)
	}
	return new(big.Int).Neg(new(big.Int).Lsh(big.NewInt(1), uint(t.Bits-1)))
}

func highest(t *llvmir.DIType) *big.Int {
	bits := t.Bits
	if t.Signed {
		bits--
	}
	x := new(big.Int).Lsh(big.NewInt(1), uint(bits))
	return x.Sub(x, big.NewInt(1))
}

// number reads a scalar as the bits of its type.
func number(word string, t *llvmir.DIType) (*big.Int, error) {
	no := func() (*big.Int, error) { return nil, fmt.Errorf("%q is no value of %s", word, t.Name) }
	if t.Bits <= 0 {
		return no()
	}
	if t.Kind == llvmir.DIFloat {
		return float(word, t)
	}
	for _, e := range t.Enums {
		if e.Name == word {
			return wrap(big.NewInt(e.Value), t.Bits), nil
		}
	}
	switch {
	case word == "":
		return no()
	case t.Kind == llvmir.DIPointer && word == "NULL", t.Kind == llvmir.DIBool && word == "false":
		return new(big.Int), nil
	case t.Kind == llvmir.DIBool && word == "true":
		return big.NewInt(1), nil
	case word[0] == '\'':
		r, _, rest, err := strconv.UnquoteChar(strings.TrimPrefix(word, "'"), '\'')
		if err != nil || rest != "'" || r > 255 {
			return no()
		}
		return wrap(big.NewInt(int64(r)), t.Bits), nil
	}
	if i := strings.LastIndexByte(word, '_'); i > 0 && t.Kind != llvmir.DIPointer {
		if f := limits[word[i+1:]]; f != nil { // INT_MAX, SIZE_MAX: of the type of the input
			return wrap(f(t), t.Bits), nil
		}
	}
	if i := strings.IndexByte(word, ' '); i > 0 && t.Kind == llvmir.DIChar { // 97 'a'
		word = word[:i]
	}
	x, ok := new(big.Int).SetString(strings.TrimRight(word, "uUlL"), 0)
	if !ok {
		return no()
	}
	if x.Sign() < 0 && !t.Signed || x.Cmp(lowest(t)) < 0 || x.Cmp(highest(t)) > 0 && x.BitLen() > int(t.Bits) {
		return nil, fmt.Errorf("%s does not fit %s", word, t.Name)
	}
	if x.Cmp(highest(t)) > 0 && !strings.HasPrefix(word, "0x") && !strings.HasPrefix(word, "0X") {
		return nil, fmt.Errorf("%s does not fit %s", word, t.Name)
	}
	return wrap(x, t.Bits), nil
}

// wrap returns a number modulo 2^bits.
func wrap(x *big.Int, bits int64) *big.Int {
	return x.Mod(x, new(big.Int).Lsh(big.NewInt(1), uint(bits)))
}

func float(word string, t *llvmir.DIType) (*big.Int, error) {
	text := strings.TrimRight(word, "fF")
	if sign, ok := strings.CutSuffix(word, "INFINITY"); ok {
		text = sign + "Inf"
	}
	f, err := strconv.ParseFloat(text, int(t.Bits))
	if err != nil && !errors.Is(err, strconv.ErrRange) || t.Bits != 32 && t.Bits != 64 {
		return nil, fmt.Errorf("%q is no value of %s", word, t.Name)
	}
	if t.Bits == 32 {
		return new(big.Int).SetUint64(uint64(math.Float32bits(float32(f)))), nil
	}
	return new(big.Int).SetUint64(math.Float64bits(f)), nil
}
