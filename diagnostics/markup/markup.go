// Package markup writes HTML and escapes all arguments that are not of type Text.
//
//	w.Put("<p>%s</p>", "a < b")        // <p>a &lt; b</p>
//	w.Put("<p>%s</p>", Words("`a` is 0")) // <p><code>a</code> is 0</p>
//
// A Writer collects the output; Plain, Words and Link return Text. The package has no knowledge of the content.
package markup

import (
	"fmt"
	"strings"
)

// Writer writes HTML. It does not use html/template, because with that package the linker keeps all exported methods,
// which are a tenth of the program.
type Writer struct{ strings.Builder }

// Text is HTML text; arguments of other types are plain text.
type Text string

// Put writes markup with its arguments inserted and escaped, except for arguments of type Text or int.
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

// Plain escapes plain text for HTML, also between quotes.
func Plain(s string) Text { return Text(htmlEscapes.Replace(s)) }

// Words returns a sentence as HTML; text in backticks becomes code.
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

// Link returns text as a link to href, or as plain text if href is empty.
func Link(href, text string) Text {
	if href == "" {
		return Plain(text)
	}
	return Text(`<a href="` + string(Plain(href)) + `">` + string(Plain(text)) + "</a>")
}
