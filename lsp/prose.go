package lsp

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"go.lsp.dev/protocol"
)

// prose is the text of a hover: Markdown, or plain text if the client does not render Markdown. Arguments are shown
// literally; only the methods add markup.
type prose struct {
	strings.Builder
	plain bool
	// links reports that the client executes commands in links.
	links bool
}

// newProse returns an empty text in the format that the client renders.
func (v *view) newProse() *prose {
	formats := v.caps.TextDocument.Hover.ContentFormat
	plain := len(formats) > 0 && !slices.Contains(formats, string(protocol.Markdown))
	return &prose{plain: plain, links: v.commandLinks && !plain}
}

// hover returns the text as an LSP hover for a range.
func (p *prose) hover(span protocol.Range) *protocol.Hover {
	kind := protocol.Markdown
	if p.plain {
		kind = protocol.PlainText
	}
	return &protocol.Hover{Contents: protocol.MarkupContent{Kind: kind, Value: p.String()}, Range: &span}
}

// say adds text.
func (p *prose) say(text string) {
	if !p.plain {
		so := p.String()
		text = escapeIn(text, so == "" || strings.HasSuffix(so, "\n") || strings.HasSuffix(so, "\n- "))
	}
	p.WriteString(text)
}

func (p *prose) sayf(format string, args ...any) { p.say(fmt.Sprintf(format, args...)) }

// strong adds emphasised text.
func (p *prose) strong(text string) {
	if p.plain {
		p.say(text)
		return
	}
	p.WriteString("**")
	p.say(text)
	p.WriteString("**")
}

// line begins a new line of the same paragraph.
func (p *prose) line() {
	if !p.plain {
		p.WriteString("  ")
	}
	p.WriteString("\n")
}

// paragraph begins a new paragraph.
func (p *prose) paragraph() { p.WriteString("\n\n") }

// rule adds a horizontal rule.
func (p *prose) rule() {
	p.paragraph()
	if !p.plain {
		p.WriteString("---")
		p.paragraph()
	}
}

// bullet adds an item of a list.
func (p *prose) bullet(text string) {
	p.WriteString("\n- ")
	p.say(text)
}

// code adds lines of C.
func (p *prose) code(lines []string) {
	fence := "```"
	for !p.plain && slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(l, fence) }) {
		fence += "`"
	}
	if !p.plain {
		p.WriteString(fence + "c\n")
	}
	for i, l := range lines {
		if p.plain && i > 0 {
			p.WriteString("\n")
		}
		p.WriteString(l)
		if !p.plain {
			p.WriteString("\n")
		}
	}
	if !p.plain {
		p.WriteString(fence)
	}
}

// link adds a link that executes a command of the server.
func (p *prose) link(title string, c *protocol.Command) {
	args, err := json.Marshal(c.Arguments)
	if err != nil {
		return
	}
	fmt.Fprintf(p, "[%s](command:%s?%s)", escape(title), c.Command, url.PathEscape(string(args)))
}

// escape escapes Markdown in text. Quoted code stays code: as in CommonMark a run of backticks ends at the next run
// of the same length, and runs without a partner are escaped.
func escape(text string) string { return escapeIn(text, true) }

// escapeIn is like escape; start reports that the text begins a line.
func escapeIn(text string, start bool) string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	var b strings.Builder
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '`':
			n := run(text[i:])
			if end := closing(text[i+n:], n); end >= 0 {
				b.WriteString(text[i : i+n+end+n])
				i += n + end + n
			} else {
				b.WriteString(strings.Repeat("\\`", n))
				i += n
			}
			start = false
			continue
		case c == '\n':
			b.WriteString("  \n")
			start = true
			i++
			continue
		case start && (c == ' ' || c == '\t'): // four spaces would begin a block of code
			i++
			continue
		case strings.IndexByte(`\*_[]<>~|&@`, c) >= 0,
			start && strings.IndexByte("#-+=", c) >= 0,
			(c == '.' || c == ')') && i > 0 && isDigit(text[i-1]) && isNumber(lineBefore(text, i)),
			c == ':' && strings.HasPrefix(text[i:], "://"), // editors turn addresses into links
			c == '.' && i >= 3 && strings.EqualFold(text[i-3:i], "www"):
			b.WriteByte('\\')
		}
		b.WriteByte(c)
		start = false
		i++
	}
	return b.String()
}

// isNumber reports whether a line consists of digits only, like the start of a numbered list.
func isNumber(line string) bool { return strings.TrimLeft(line, " \t0123456789") == "" }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// lineBefore returns the part of a line before an offset.
func lineBefore(text string, at int) string {
	return text[strings.LastIndexByte(text[:at], '\n')+1 : at]
}

// run returns the number of backticks at the beginning of a text.
func run(text string) int {
	return len(text) - len(strings.TrimLeft(text, "`"))
}

// closing returns the offset of the run of exactly n backticks that ends a code span within the line, or -1.
func closing(text string, n int) int {
	for i := 0; i < len(text) && text[i] != '\n'; {
		if text[i] != '`' {
			i++
			continue
		}
		k := run(text[i:])
		if k == n {
			return i
		}
		i += k
	}
	return -1
}
