// Package markup writes HTML in which whatever is not said to be markup is plain text.
//
// It knows nothing of what is written.
package markup

import (
	"fmt"
	"strings"
)

// Writer writes HTML. It is no template of html/template's: with these the linker keeps each exported method of the
// program, whoever calls it, a tenth of it.
type Writer struct{ strings.Builder }

// Text is text of HTML, where anything else is plain text.
type Text string

// Put writes markup with arguments in it: plain text is escaped.
func (w *Writer) Put(format string, args ...any) {
	for i, a := range args {
		switch a := a.(type) {
		case int, Text:
		default:
			args[i] = Plain(fmt.Sprint(a))
		}
	}
	fmt.Fprintf(w, format, args...)
}

var htmlEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\"", "&#34;", "'", "&#39;", "\x00",
	"\uFFFD")

// Plain is plain text in HTML, also between quotes.
func Plain(s string) Text { return Text(htmlEscapes.Replace(s)) }

// Words is a sentence with what stands in backticks as code.
func Words(s string) Text {
	parts := strings.Split(s, "`")
	if len(parts)%2 == 0 {
		return Plain(s)
	}
	var b strings.Builder
	for i, part := range parts {
		text := string(Plain(part))
		if i%2 == 1 {
			text = "<code>" + text + "</code>"
		}
		b.WriteString(text)
	}
	return Text(b.String())
}

// Link is text that leads to a place of the page, if there is one.
func Link(href, text string) Text {
	if href == "" {
		return Plain(text)
	}
	return Text(`<a href="` + string(Plain(href)) + `">` + string(Plain(text)) + "</a>")
}
