// Package picture draws memory as HTML: boxes of bytes with their values, and arrows for pointers.
//
// It knows nothing of findings and of pages: whoever has what memory holds may ask for its picture.
package picture

import (
	_ "embed"
	"fmt"
	"math"
	"slices"

	"github.com/unitproof/unitproof/diagnostics/markup"
	"github.com/unitproof/unitproof/vcgen/found"
)

// Style is the style of pictures of memory; the colours are variables of what they stand on.
//
//go:embed picture.css
var Style string

// Memory draws what memory holds at a violation of a kind: variables by their calls on the left, what their pointers
// lead to right of them, the violating access marked. It is "" where there is nothing to draw. The fragment has its
// style where it is to stand alone.
func Memory(m *found.Memory, of found.Kind, alone bool) markup.Text {
	if m == nil {
		return ""
	}
	p := drawing{m: m, kind: of, box: map[int]*box{}}
	p.fill()
	p.settleColumns()
	p.settlePlaces()
	var h markup.Writer
	if alone {
		h.Put("<style>%s</style>\n", markup.Text(Style))
	}
	p.draw(&h)
	return markup.Text(h.String())
}

// Measures of a picture, in pixels of CSS.
const (
	charWidth   = 7 // of 11px monospace, a little more than in any usual font
	rowHeight   = 19
	byteWidth   = 19
	wordBytes   = 8 // of a line
	titleHeight = 24
	boxPadding  = 9
	boxGap      = 16
	columnGap   = 60
	maxColumns  = 4
	widestLabel = 18 // characters
	widestValue = 26
	widestTitle = 52
	ghostRows   = 2 // lines of bytes that are not the object's
)

// drawing is a picture that is being made.
type drawing struct {
	m             *found.Memory
	kind          found.Kind
	boxes         []*box
	box           map[int]*box // of each object
	columns       [maxColumns]column
	width, height int
}

// column is a column of boxes: where it begins, and the widths of what is in each line.
type column struct{ x, label, bytes, value, width int }

// box is a call with variables, the static ones, or one object.
type box struct {
	title  string
	vars   bool // it holds variables
	ended  bool
	hit    bool // the violation is about all of it
	column int  // -1: not known yet
	rows   []row
	y      int
}

// row is a line of a box.
type row struct {
	object int
	label  string
	text   string // of a line without bytes; "" for one with them
	bad    bool   // the line tells of the violation
	off    int64
	bytes  []found.Byte
	ghost  bool // the bytes are not the object's
	value  string
	// pointer: the value stands in place of the bytes, which are an address; target is where it leads to, which may be
	// nothing.
	pointer bool
	target  *found.Target
	y       int // of its middle
}

func (b *box) height() int { return titleHeight + len(b.rows)*rowHeight + boxPadding }

// fill puts the objects into boxes: the innermost call's variables on top, whatever was found first.
func (p *drawing) fill() {
	shared := map[int]*box{} // by their order
	const static, other = 1 << 20, 1 << 21
	order := map[*box]int{}
	a := p.m.Access
	for i := range p.m.Objects {
		o := &p.m.Objects[i]
		at, title := other, o.Name+objectFacts(o)
		switch {
		case o.Frame > 0:
			at, title = o.Frame, "variables of "+o.Function
		case o.Storage == found.Static && !o.Constant:
			at, title = static, "static variables"
		}
		b := shared[at]
		if b == nil {
			b = &box{title: title, vars: at != other, ended: at == other && o.Ended != "", column: -1}
			order[b] = at
			p.boxes = append(p.boxes, b)
			if b.vars {
				b.column, shared[at] = 0, b
			}
		}
		p.box[i] = b
		b.rows = append(b.rows, p.rowsOf(i, b.vars)...)
		b.hit = b.hit || a != nil && a.Object == i && a.Len == 0 && !b.vars
	}
	if a != nil && a.Object < 0 {
		b := p.nowhere(a)
		order[b], p.box[nothing] = other, b
		p.boxes = append(p.boxes, b)
		p.leadNowhere(a)
	}
	slices.SortStableFunc(p.boxes, func(x, y *box) int { return order[x] - order[y] })
}

// rowsOf are the lines of an object, in a box of its own or among variables.
func (p *drawing) rowsOf(i int, variable bool) (rows []row) {
	o, a := &p.m.Objects[i], p.m.Access
	if a != nil && a.Object != i {
		a = nil
	}
	line := func(text string, bad bool) { rows = append(rows, row{object: i, text: text, bad: bad, off: -1}) }
	scalar := variable && len(o.Parts) == 1 && o.Parts[0].Name == "" && o.Ended == "" && o.Left == 0
	if variable && !scalar {
		line(o.Name+objectFacts(o), false)
	}
	ghosts := func(from, to int64) {
		for range ghostRows {
			if n := min(wordBytes, to-from); n > 0 {
				rows = append(rows, ghostRow(i, fmt.Sprintf("%+d", from), from, n))
				from += n
			}
		}
		if from < to {
			line("⋮ "+bytesText(to-from)+" more", true)
		}
	}
	// An access is looked at as far as it can be shown.
	end := int64(0)
	if a != nil {
		line(p.accessText(a, o), true)
		end = a.Off + int64(min(a.Len, 1<<40))
		if a.Off < 0 && a.Len > 0 {
			ghosts(a.Off, min(end, 0))
			if end < 0 {
				line("⋮ "+bytesText(-end)+" before its begin", true)
			}
		}
	}
	for k := range o.Parts {
		part := &o.Parts[k]
		if part.Left > 0 {
			line("⋮ "+bytesText(int64(part.Left)), false)
		}
		label := part.Name
		switch {
		case scalar:
			label = o.Name
		case label == "" && part.Off > 0 || o.Type == "" && label == "":
			label = fmt.Sprintf("%+d", part.Off)
		}
		for at := 0; at < len(part.Bytes); at += wordBytes { // long doubles take two lines
			r := row{object: i, off: int64(part.Off) + int64(at),
				bytes: part.Bytes[at:min(at+wordBytes, len(part.Bytes))]}
			if at == 0 {
				r.label, r.value, r.pointer, r.target = label, part.Value, part.Pointer && part.Value != "", part.Target
			}
			rows = append(rows, r)
		}
	}
	if o.Left > 0 {
		line("⋮ "+bytesText(int64(o.Left)), false)
	}
	if size := int64(o.Size); a != nil && a.Off >= 0 && end > size {
		from := max(a.Off, size)
		if from > size {
			line("⋮ "+bytesText(from-size)+" behind its end", true)
		}
		ghosts(from, end)
	}
	if len(rows) == 0 {
		line(map[bool]string{true: "a function", false: "no bytes"}[o.Storage == found.Code], false)
	}
	return rows
}

func ghostRow(object int, label string, off, n int64) row {
	return row{object: object, label: label, off: off, ghost: true,
		bytes: slices.Repeat([]found.Byte{found.Unlooked}, int(n))}
}

// nothing stands for an object where there is none.
const nothing = -1

// firstPage is how far behind an address an access may be that has it from there: a member of a struct at NULL.
const firstPage = 4096

// leadNowhere has pointers lead to the place of an access to no object that they may be meant for.
func (p *drawing) leadNowhere(a *found.Access) {
	for _, b := range p.boxes {
		for i := range b.rows {
			r := &b.rows[i]
			if at, ok := address(r.bytes); ok && r.pointer && r.target == nil && at <= uint64(a.Off) &&
				uint64(a.Off)-at < firstPage {
				r.target = &found.Target{Object: nothing, Off: int64(at)}
			}
		}
	}
}

// address is the number that some bytes are, the lowest first.
func address(bytes []found.Byte) (n uint64, ok bool) {
	for i, b := range bytes {
		if b < 0 || i >= wordBytes {
			return 0, false
		}
		n |= uint64(b) << (8 * i)
	}
	return n, len(bytes) > 0
}

// nowhere is the box of an access to no object.
func (p *drawing) nowhere(a *found.Access) *box {
	b := &box{title: "no object", column: -1}
	if a.Off >= 0 && a.Off < firstPage {
		b.title = "NULL"
	}
	b.rows = []row{{object: nothing, text: p.accessText(a, nil), bad: true, off: -1}}
	if a.Len > 0 {
		b.rows = append(b.rows, ghostRow(nothing, fmt.Sprintf("%#x", uint64(a.Off)), a.Off, int64(min(a.Len, wordBytes))))
	}
	return b
}

// settleColumns puts each box right of the first one with a pointer to it.
func (p *drawing) settleColumns() {
	rest := 0 // where what nothing points to begins
	for _, b := range p.boxes {
		if b.column == 0 {
			rest = 1
		}
	}
	follow := func(todo []*box) {
		for ; len(todo) > 0; todo = todo[1:] {
			for _, r := range todo[0].rows {
				if r.target == nil {
					continue
				}
				if to := p.box[r.target.Object]; to.column < 0 {
					to.column = min(todo[0].column+1, maxColumns-1)
					todo = append(todo, to)
				}
			}
		}
	}
	var vars []*box
	for _, b := range p.boxes {
		if b.column == 0 {
			vars = append(vars, b)
		}
	}
	follow(vars)
	for _, b := range p.boxes {
		if b.column < 0 {
			b.column = rest
			follow([]*box{b})
		}
	}
}

// settlePlaces gives columns their widths, and boxes their heights: beside the first pointer to them, where there is
// room.
func (p *drawing) settlePlaces() {
	for _, b := range p.boxes {
		c := &p.columns[b.column]
		c.width = max(c.width, chars(b.title, widestTitle))
		for _, r := range b.rows {
			c.width = max(c.width, chars(r.text, widestTitle))
			c.label = max(c.label, chars(r.label, widestLabel))
			c.bytes = max(c.bytes, byteWidth*len(r.bytes))
			if !r.pointer {
				c.value = max(c.value, chars(r.value, widestValue))
			}
		}
	}
	x := 1
	for k := range p.columns {
		c := &p.columns[k]
		if c.width == 0 {
			continue
		}
		c.x = x
		c.width = max(c.width, c.label+charWidth+c.bytes+charWidth+c.value) + 2*boxPadding
		x += c.width + columnGap
		p.width = x
	}
	for k := range maxColumns {
		var column []*box
		for _, b := range p.boxes {
			if b.column == k {
				b.y = p.beside(b, k)
				column = append(column, b)
			}
		}
		slices.SortStableFunc(column, func(x, y *box) int { return x.y - y.y })
		bottom := 1
		for _, b := range column {
			if b.y == unpointed {
				b.y = bottom
			}
			b.y = max(bottom, b.y)
			bottom = b.y + b.height() + boxGap
			p.height = max(p.height, b.y+b.height()+1)
			for i := range b.rows {
				b.rows[i].y = b.y + titleHeight + i*rowHeight + rowHeight/2
			}
		}
	}
}

// unpointed stands for the place of a box that no pointer leads to.
const unpointed = math.MaxInt

// beside is where a box in column k has the line that is pointed to beside the first pointer to it; far below where no
// pointer left of it leads there.
func (p *drawing) beside(b *box, k int) int {
	for _, from := range p.boxes {
		if from.column >= k {
			continue
		}
		for i := range from.rows {
			t := from.rows[i].target
			if t == nil || p.box[t.Object] != b {
				continue
			}
			down := titleHeight / 2
			if row := b.at(t); row >= 0 {
				down = titleHeight + row*rowHeight + rowHeight/2
			}
			return from.rows[i].y - down
		}
	}
	return unpointed
}

// at is the line of a box that a pointer leads to; -1 stands for the title.
func (b *box) at(t *found.Target) int {
	first := -1
	for i := range b.rows {
		r := &b.rows[i]
		if r.object != t.Object {
			continue
		}
		if first < 0 && b.vars {
			first = i
		}
		if len(r.bytes) > 0 && r.off <= t.Off && t.Off < r.off+int64(len(r.bytes)) {
			return i
		}
	}
	return first
}

// chars is the width of a text that is cut off behind so many characters.
func chars(s string, limit int) int { return charWidth * min(len([]rune(s)), limit) }
