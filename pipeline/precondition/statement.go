package precondition

import "github.com/unitproof/unitproof/diagnostics/csource"

// Statement is a range of a text; labels before it do not belong to it.
type Statement struct{ Start, End int }

// block is the statements between two braces.
type block struct {
	Statement // with the braces
	list      []Statement
	inner     []block
}

// Blocks returns the statements of the blocks around an offset, the outermost block first. body is the offset of a
// function's opening brace.
func Blocks(text []byte, body, at int) (list [][]Statement) {
	p := &parser{text: text, scan: csource.Scanner{Text: text, Next: body}}
	p.next()
	for b := p.block(0); b != nil; {
		list = append(list, b.list)
		inside := b.inner
		b = nil
		for i := range inside {
			if inside[i].Start <= at && at < inside[i].End {
				b = &inside[i]
			}
		}
	}
	return list
}

// parser finds the statements of a body by its tokens alone: the text need not be whole.
type parser struct {
	text []byte
	scan csource.Scanner
	tok  csource.Token
}

func (p *parser) next() {
	for {
		p.tok = p.scan.Code()
		if p.tok.Kind != csource.Operator || p.text[p.tok.Start] != '#' || !csource.StartsLine(p.text, p.tok.Start) {
			return
		}
		p.scan.Next = csource.LineEnd(p.text, p.tok.End)
	}
}

func (p *parser) is(c byte) bool {
	return p.tok.Kind == csource.Operator && p.tok.End == p.tok.Start+1 && p.text[p.tok.Start] == c
}

func (p *parser) word() string { return p.tok.Of(p.text) }

// maxBlocks bounds the nesting of blocks.
const maxBlocks = 200

// block reads from an opening brace through the closing one; nil if there is none.
func (p *parser) block(depth int) *block {
	if !p.is('{') || depth > maxBlocks {
		return nil
	}
	b := &block{Statement: Statement{Start: p.tok.Start}}
	p.next()
	for !p.is('}') && p.tok.Kind != csource.End {
		p.labels()
		if p.is('}') {
			break
		}
		b.list = append(b.list, p.statement(b, depth))
	}
	b.End = p.tok.End
	p.next()
	return b
}

// labels passes over the labels before a statement.
func (p *parser) labels() {
	for {
		switch {
		case p.word() == "case":
			for !p.is(':') && !p.is(';') && !p.is('}') && p.tok.Kind != csource.End {
				p.next()
			}
			p.next()
		case p.tok.Kind == csource.Ident:
			ahead := p.scan
			if t := ahead.Code(); t.Kind != csource.Operator || t.Of(p.text) != ":" {
				return
			}
			p.next()
			p.next()
		default:
			return
		}
	}
}

// statement reads one statement, and adds the blocks in it to b.
func (p *parser) statement(b *block, depth int) Statement {
	s := Statement{Start: p.tok.Start}
	loop := p.word() == "do"
	parens, value, again := 0, false, false
	for p.tok.Kind != csource.End {
		ends := false
		switch {
		case p.is('('), p.is('['):
			parens++
		case p.is(')'), p.is(']'):
			parens--
		case p.is('=') && parens == 0, p.word() == "return":
			value = true
		case p.is('{') && (parens > 0 || value):
			if end, ok := csource.Closing(p.text, p.tok.Start); ok {
				p.scan.Next = end + 1
			}
		case p.is('{'):
			inner := p.block(depth + 1)
			if inner == nil {
				return Statement{s.Start, len(p.text)}
			}
			b.inner = append(b.inner, *inner)
			s.End = inner.End
			switch {
			case p.word() == "else":
			case loop && !again && p.word() == "while":
				again = true
			default:
				return s
			}
			continue
		case p.is('}'):
			return s // of the block around: a semicolon is missing
		case p.is(';') && parens == 0:
			ends = true
		}
		s.End = p.tok.End
		p.next()
		if ends {
			value = false
			switch {
			case p.word() == "else":
			case loop && !again && p.word() == "while":
				again = true
			default:
				return s
			}
		}
	}
	return s
}
