package picture

import (
	"fmt"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/markup"
	"github.com/unitproof/unitproof/diagnostics/phrase"
	"github.com/unitproof/unitproof/vcgen/found"
)

// draw writes the picture, with its content as text for readers who cannot see it.
func (p *drawing) draw(h *markup.Writer) {
	h.Put(`<div class="memory" tabindex="0" role="group" aria-label="Memory at the violation">`)
	h.Put(`<svg width="%d" height="%d" viewBox="0 0 %d %d" role="img" aria-label="%s">`, p.width, p.height, p.width,
		p.height, p.words())
	h.Put("\n")
	for _, b := range p.boxes {
		p.drawBox(h, b)
	}
	for _, b := range p.boxes {
		for i := range b.rows {
			if b.rows[i].target != nil {
				p.drawArrow(h, b, &b.rows[i])
			}
		}
	}
	h.Put("</svg>\n")
	if p.m.More > 0 {
		h.Put(`<p class="more">%s</p>`, phrase.Count(p.m.More, "more variable")+" or objects in reach")
	}
	h.Put("</div>\n")
}

func (p *drawing) drawBox(h *markup.Writer, b *box) {
	c := p.columns[b.column]
	class := "box"
	if b.ended {
		class += " ended"
	}
	if b.hit {
		class += " hit"
	}
	h.Put(`<rect class="%s" x="%d" y="%d" width="%d" height="%d" rx="5"/>`, class, c.x, b.y, c.width, b.height())
	text(h, "title", c.x+boxPadding, b.y+titleHeight/2, b.title, widestTitle)
	h.Put("\n")
	for i := range b.rows {
		p.drawRow(h, c, &b.rows[i])
	}
}

func (p *drawing) drawRow(h *markup.Writer, c column, r *row) {
	x := c.x + boxPadding
	if len(r.bytes) == 0 {
		class := "soft"
		if r.bad {
			class = "bad"
		} else if !strings.HasPrefix(r.text, "⋮") {
			class = "name"
		}
		text(h, class, x, r.y, r.text, widestTitle)
		h.Put("\n")
		return
	}
	text(h, "label", x, r.y, r.label, widestLabel)
	x += c.label + charWidth
	top, height := r.y-rowHeight/2+1, rowHeight-2
	if r.pointer {
		h.Put(`<rect class="cell" x="%d" y="%d" width="%d" height="%d"/>`, x, top, len(r.bytes)*byteWidth, height)
		text(h, "", x+charWidth/2, r.y, r.value, len(r.bytes)*byteWidth/charWidth-2)
	} else {
		for i, b := range r.bytes {
			class, text := "cell", "?"
			switch {
			case r.ghost:
				class, text = "cell ghost", ""
			case b == found.Unwritten:
				class, text = "cell unwritten", "–"
			case b >= 0:
				text = fmt.Sprintf("%02x", int(b))
			}
			h.Put(`<rect class="%s" x="%d" y="%d" width="%d" height="%d"/>`, class, x+i*byteWidth, top, byteWidth, height)
			if text != "" {
				h.Put(`<text class="byte" x="%d" y="%d">%s</text>`, x+i*byteWidth+byteWidth/2, r.y, text)
			}
		}
		text(h, "value", x+c.bytes+charWidth, r.y, r.value, widestValue)
	}
	if from, to, ok := p.struck(r); ok {
		h.Put(`<rect class="struck" x="%d" y="%d" width="%d" height="%d"/>`, x+from*byteWidth, top, (to-from)*byteWidth,
			height)
	}
	h.Put("\n")
}

// struck returns the bytes of a row that the violating access touches.
func (p *drawing) struck(r *row) (from, to int, ok bool) {
	a := p.m.Access
	if a == nil || a.Object != r.object {
		return 0, 0, false
	}
	n := int64(len(r.bytes))
	lo, hi := max(a.Off-r.off, 0), min(a.Off-r.off+int64(min(a.Len, 1<<40)), n)
	return int(lo), int(hi), lo < hi
}

// drawArrow draws an arrow from a pointer to its target. It goes to the right, or around the boxes if the target is
// in the same column or further left.
func (p *drawing) drawArrow(h *markup.Writer, b *box, r *row) {
	to := p.box[r.target.Object]
	from, at := p.columns[b.column], p.columns[to.column]
	y := to.y + titleHeight/2
	row, end := to.at(r.target), false
	if r.target.Object != nothing {
		o := &p.m.Objects[r.target.Object]
		end = o.Size > 0 && uint64(r.target.Off) == o.Size
	}
	switch {
	case row >= 0 && end:
		y = to.rows[row].y + rowHeight/2
	case row >= 0:
		y = to.rows[row].y
	case end:
		y = to.y + to.height() - boxPadding
	}
	start := from.x + boxPadding + from.label + charWidth + len(r.bytes)*byteWidth
	edge := from.x + from.width
	const tip = 7
	switch bend := columnGap / 2; {
	case to.column > b.column:
		h.Put(`<path class="arrow" d="M%d %dH%dC%d %d %d %d %d %d"/>`, start, r.y, edge, edge+bend, r.y, at.x-bend, y,
			at.x-tip, y)
		h.Put(`<path class="tip" d="M%d %dl-%d -4v8z"/>`, at.x, y, tip+1)
	case to.column == b.column:
		h.Put(`<path class="arrow" d="M%d %dH%dC%d %d %d %d %d %d"/>`, start, r.y, edge, edge+bend, r.y, edge+bend, y,
			edge+tip, y)
		h.Put(`<path class="tip" d="M%d %dl%d -4v8z"/>`, edge, y, tip+1)
	default:
		start, edge = from.x, at.x+at.width
		h.Put(`<path class="arrow" d="M%d %dC%d %d %d %d %d %d"/>`, start, r.y, start-bend, r.y, edge+bend, y, edge+tip, y)
		h.Put(`<path class="tip" d="M%d %dl%d -4v8z"/>`, edge, y, tip+1)
	}
	h.Put(`<circle class="tip" cx="%d" cy="%d" r="2.5"/>`, start, r.y)
	if row >= 0 && r.target.Off > to.rows[row].off && len(to.rows[row].bytes) > 0 { // into the middle of a row
		x := at.x + boxPadding + at.label + charWidth + int(r.target.Off-to.rows[row].off)*byteWidth
		h.Put(`<path class="tip" d="M%d %dl-4 -5h8z"/>`, x, to.rows[row].y-rowHeight/2+5)
	}
	h.Put("\n")
}

// text writes a text, cropped to limit characters; a tooltip has the full text.
func text(h *markup.Writer, class string, x, y int, s string, limit int) {
	if s == "" {
		return
	}
	short, tooltip := []rune(s), markup.Text("")
	if len(short) > limit {
		short, tooltip = append(short[:limit-1:limit-1], '…'), "<title>"+markup.Plain(s)+"</title>"
	}
	h.Put(`<text class="%s" x="%d" y="%d">%s%s</text>`, class, x, y, string(short), tooltip)
}

// accessText describes the violating access; o is nil if the access is to no object.
func (p *drawing) accessText(a *found.Access, o *found.Object) string {
	if a.Len == 0 {
		switch p.kind {
		case found.MemoryLeak:
			return "✗ never freed"
		case found.DoubleFree:
			return "✗ freed a second time"
		case found.InvalidFree:
			return "✗ the freed pointer was not returned by an allocation"
		}
		return "✗ the object of the violation"
	}
	verb := "reads"
	switch {
	case p.kind == found.ArrayBounds:
		verb = "the index leads to"
	case a.Write:
		verb = "writes"
	}
	s := fmt.Sprintf("✗ %s %s", verb, bytesText(int64(min(a.Len, 1<<62))))
	if o == nil {
		return s
	}
	s += fmt.Sprintf(" at offset %d", a.Off)
	switch {
	case o.Ended == found.Freed:
		return s + ", after it was freed"
	case o.Ended != "":
		return s + ", after its lifetime ended"
	case a.Off < 0:
		return s + ", before its begin"
	case a.Outside(p.m):
		return s + ", beyond its end"
	case a.Write && o.Constant:
		return s + ", though it is constant"
	case p.kind == found.UninitializedRead:
		return s + ", never written"
	}
	return s
}

// objectFacts returns the properties of an object that follow its name.
func objectFacts(o *found.Object) string {
	if o.Storage == found.Code {
		return "()"
	}
	s := ", "
	if o.Type != "" {
		s = ": " + o.Type + ", "
	}
	s += bytesText(int64(o.Size))
	if o.Constant {
		s += ", constant"
	}
	switch o.Ended {
	case found.Freed:
		s += ", freed"
	case found.OutOfScope:
		s += ", out of scope"
	}
	return s
}

func bytesText(n int64) string { return phrase.Count(int(n), "byte") }

// words describes the picture in words.
func (p *drawing) words() string {
	var parts []string
	for _, b := range p.boxes {
		var lines []string
		for i := range b.rows {
			r := &b.rows[i]
			switch {
			case r.ghost:
			case r.text != "":
				lines = append(lines, strings.TrimLeft(r.text, "✗⋮ "))
			case r.label != "" && r.value != "":
				lines = append(lines, r.label+" = "+r.value)
			case r.value != "":
				lines = append(lines, r.value)
			default:
				lines = append(lines, strings.TrimSpace(r.label+" "+r.hex()))
			}
		}
		parts = append(parts, b.title+": "+strings.Join(lines, "; "))
	}
	return strings.Join(parts, ". ")
}

// hex returns the bytes of a row in hexadecimal.
func (r *row) hex() string {
	var b strings.Builder
	for i, x := range r.bytes {
		if i > 0 {
			b.WriteByte(' ')
		}
		switch {
		case x == found.Unwritten:
			b.WriteString("never written")
			return b.String()
		case x < 0:
			b.WriteByte('?')
		default:
			fmt.Fprintf(&b, "%02x", int(x))
		}
	}
	return b.String()
}
