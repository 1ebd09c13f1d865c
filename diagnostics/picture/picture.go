// Package picture draws memory as HTML: boxes of bytes with their values, and arrows for pointers. For
//
//	int *p = malloc(4);
//	p[1] = 0;
//
// it draws a box with the variable p, an arrow to a box malloc#1 of 4 bytes, and 4 marked bytes behind the end of
// that box.
//
// Memory is the entry point. It converts objects to boxes and rows (fill), selects columns (settleColumns) and
// positions (settlePlaces), and writes SVG (draw.go). The package depends on found.Memory only, neither on findings
// nor on pages.
package picture

import (
	_ "embed"
	"fmt"
	"math"
	"slices"

	"github.com/unitproof/unitproof/diagnostics/markup"
	"github.com/unitproof/unitproof/vcgen/found"
)

// Style is the CSS of pictures of memory; its colours are variables of the page around them.
//
//go:embed picture.css
var Style string

// Memory returns the picture of the memory at a violation of a kind, or "" if there is nothing to draw. Variables are
// on the left, grouped by call, the targets of their pointers further right, and the violating access is marked. If
// alone, the fragment includes its style.
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

// Dimensions of a picture, in CSS pixels.
const (
	charWidth   = 7 // for 11px monospace; slightly more than in all usual fonts
	rowHeight   = 19
	byteWidth   = 19
	wordBytes   = 8 // per row
	titleHeight = 24
	boxPadding  = 9
	boxGap      = 16
	columnGap   = 60
	maxColumns  = 4
	widestLabel = 18 // characters
	widestValue = 26
	widestTitle = 52
	ghostRows   = 2 // rows of bytes outside the object
)

// drawing is a picture under construction.
type drawing struct {
	m             *found.Memory
	kind          found.Kind
	boxes         []*box
	box           map[int]*box // by object
	columns       [maxColumns]column
	width, height int
}

// column is a column of boxes: its left edge, and the widths of the parts of its rows.
type column struct{ x, label, bytes, value, width int }

// box is the variables of a call, the static variables, or one object.
type box struct {
	title  string
	vars   bool // it has variables
	ended  bool
	hit    bool // the violation is about the whole box
	column int  // -1: not assigned yet
	rows   []row
	y      int
}

// row is a row of a box.
type row struct {
	object int
	label  string
	text   string // of a row without bytes; else ""
	bad    bool   // the row describes the violation
	off    int64
	bytes  []found.Byte
	ghost  bool // the bytes are outside the object
	value  string
	// pointer reports that the value is shown instead of the bytes, which are an address. target is the object that
	// it points to, or nil.
	pointer bool
	target  *found.Target
	y       int // vertical centre
}

func (b *box) height() int { return titleHeight + len(b.rows)*rowHeight + boxPadding }

// fill puts the objects into boxes, with the variables of the innermost call on top, in any order of the objects.
func (p *drawing) fill() {
	shared := map[int]*box{} // by order
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

// rowsOf returns the rows of an object, in a box of its own or among variables.
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
	// Only the visible part of an access is drawn.
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
		for at := 0; at < len(part.Bytes); at += wordBytes { // long doubles take two rows
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

// nothing is the index of an access to no object.
const nothing = -1

// firstPage is the largest distance between a pointer and an access that is derived from it: a member of a struct at
// NULL.
const firstPage = 4096

// leadNowhere sets the target of pointers from which an access to no object may be derived.
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

// address returns the little-endian number of some bytes.
func address(bytes []found.Byte) (n uint64, ok bool) {
	for i, b := range bytes {
		if b < 0 || i >= wordBytes {
			return 0, false
		}
		n |= uint64(b) << (8 * i)
	}
	return n, len(bytes) > 0
}

// nowhere returns the box of an access to no object.
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

// settleColumns puts each box to the right of the first box that has a pointer to it.
func (p *drawing) settleColumns() {
	rest := 0 // first column of boxes without a pointer to them
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

// settlePlaces computes the widths of columns, and the vertical position of each box: next to the first pointer to
// it, if there is room.
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
				b.y = p.levelWith(b, k)
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

// unpointed is the position of a box that no pointer leads to.
const unpointed = math.MaxInt

// levelWith returns the position at which a box in column k has its target row level with the first pointer to it. It
// returns unpointed if no box further left has such a pointer.
func (p *drawing) levelWith(b *box, k int) int {
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

// at returns the index of the row that a pointer leads to; -1 is the title.
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

// chars returns the width of a text that is cropped to limit characters.
func chars(s string, limit int) int { return charWidth * min(len([]rune(s)), limit) }
