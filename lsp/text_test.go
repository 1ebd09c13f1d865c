package lsp

import (
	"testing"
	"unicode/utf16"

	"go.lsp.dev/protocol"
)

func at(line, character int) protocol.Position {
	return protocol.Position{Line: uint32(line), Character: uint32(character)}
}

func TestOffsets(t *testing.T) {
	x := newText([]byte("ab\r\nä😀c\n\xffz\rend"))
	for _, test := range []struct {
		p      protocol.Position
		enc    encoding
		offset int
		back   protocol.Position
	}{
		{at(0, 0), utf16Columns, 0, at(0, 0)},
		{at(0, 2), utf16Columns, 2, at(0, 2)},
		{at(0, 99), utf16Columns, 2, at(0, 2)},
		{at(1, 1), utf16Columns, 6, at(1, 1)},
		{at(1, 2), utf16Columns, 6, at(1, 1)}, // inside the surrogate pair
		{at(1, 3), utf16Columns, 10, at(1, 3)},
		{at(1, 4), utf16Columns, 11, at(1, 4)},
		{at(1, 6), utf8Columns, 10, at(1, 6)},
		{at(2, 1), utf16Columns, 13, at(2, 1)}, // an invalid byte is one column
		{at(3, 0), utf16Columns, 15, at(3, 0)}, // behind a lone CR
		{at(3, 3), utf16Columns, 18, at(3, 3)},
		{at(4, 0), utf16Columns, 18, at(3, 3)},
		{at(1<<31, 1<<31), utf16Columns, 18, at(3, 3)},
	} {
		if got := x.offset(test.p, test.enc); got != test.offset {
			t.Errorf("offset(%v, %s) = %d, want %d", test.p, test.enc, got, test.offset)
		}
		if got := x.position(test.offset, test.enc); got != test.back {
			t.Errorf("position(%d, %s) = %v, want %v", test.offset, test.enc, got, test.back)
		}
	}
}

func change(from, to protocol.Position, with string) contentChange {
	return contentChange{Range: &protocol.Range{Start: from, End: to}, Text: with}
}

func TestChanges(t *testing.T) {
	for name, test := range map[string]struct {
		before  string
		changes []contentChange
		want    string
	}{
		"insertion at 0:0 is no replacement": {"int x;\n", []contentChange{change(at(0, 0), at(0, 0), "// c\n")},
			"// c\nint x;\n"},
		"full":        {"int x;\n", []contentChange{{Text: "y"}}, "y"},
		"full, empty": {"int x;\n", []contentChange{{Text: ""}}, ""},
		"one after the other": {"ab", []contentChange{change(at(0, 0), at(0, 1), "xyz"),
			change(at(0, 3), at(0, 4), "")}, "xyz"},
		"crlf":           {"a\r\nb\r\n", []contentChange{change(at(0, 1), at(1, 0), "")}, "ab\r\n"},
		"beyond the end": {"a\n", []contentChange{change(at(1, 7), at(9, 9), "b")}, "a\nb"},
		"behind 😀":       {"😀a", []contentChange{change(at(0, 2), at(0, 3), "b")}, "😀b"},
		"whole lines":    {"a\nb\nc\n", []contentChange{change(at(1, 0), at(2, 0), "")}, "a\nc\n"},
	} {
		got, err := newText([]byte(test.before)).apply(test.changes, utf16Columns)
		if err != nil || string(got.data) != test.want {
			t.Errorf("%s: got %q, %v, want %q", name, got.data, err, test.want)
		}
	}
	if _, err := newText([]byte("abc")).apply([]contentChange{change(at(0, 2), at(0, 1), "")}, utf16Columns); err == nil {
		t.Error("a change that ends before it starts was taken")
	}
	if _, err := newText([]byte("a\n")).apply([]contentChange{change(at(7, 7), at(9, 9), "b")}, utf16Columns); err == nil {
		t.Error("a change of a line far behind the last was taken")
	}
}

// FuzzOffsets compares with the definition: the columns of a line are those of its UTF-16 form.
func FuzzOffsets(f *testing.F) {
	f.Add([]byte("a😀\r\nb"), 3)
	f.Fuzz(func(t *testing.T, data []byte, offset int) {
		x := newText(data)
		if offset < 0 || offset > len(data) {
			return
		}
		p := x.position(offset, utf16Columns)
		line := x.line(int(p.Line))
		if n := len(utf16.Encode([]rune(string(line)))); int(p.Character) > n {
			t.Fatalf("column %d of a line of %d in %q", p.Character, n, data)
		}
		if back := x.position(x.offset(p, utf16Columns), utf16Columns); back != p {
			t.Fatalf("%v comes back as %v in %q", p, back, data)
		}
	})
}

func TestURIs(t *testing.T) {
	for uri, want := range map[protocol.DocumentURI]string{
		"file:///a/b.c":                         "/a/b.c",
		"file:///a%20b/%C3%A4%23.c":             "/a b/ä#.c",
		"file:///c%3A/x.c":                      "/c:/x.c",
		"FILE:///a/../b.c":                      "/b.c",
		"file://localhost/a.c":                  "/a.c",
		"file://server/a.c":                     "",
		"untitled:Untitled-1":                   "",
		"git:/a/b.c?%7B%22path%22%3A%22x%22%7D": "",
		"file:a.c":                              "",
		"%zz":                                   "",
		"":                                      "",
		"file:///a%00b":                         "",
	} {
		got, ok := pathOf(uri)
		if got != want || ok != (want != "") {
			t.Errorf("pathOf(%q) = %q, %v, want %q", uri, got, ok, want)
		}
	}
	for _, path := range []string{"/a/b.c", "/with space/ä#?%41.c", "/c:/x[1].c"} {
		if back, ok := pathOf(uriOf(path)); back != path || !ok {
			t.Errorf("%q comes back as %q", path, back)
		}
	}
	if got := uriOf("/a b/c+d.c"); got != "file:///a%20b/c%2Bd.c" {
		t.Errorf("got %s", got)
	}
}
