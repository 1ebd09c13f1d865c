package csource

import (
	"slices"
	"strings"
	"testing"
)

func TestScan(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"a+++b->c", "a ++ + b -> c"},
		{"x<<=1>>2>=y...", "x <<= 1 >> 2 >= y ..."},
		{"1.5e+3f 0x1p-4 1'000 a.b", "1.5e+3f 0x1p-4 1'000 a . b"},
		{`"a\"b" 'c' '\'' "open`, `"a\"b" 'c' '\'' "open`},
		{"a // b \\\n c\nd", "a d"},
		{"a /* ; */ b /* open", "a b"},
		{"#define X \\\n y", "# define X y"},
		{"größe $x", "größe $x"},
		{"\"x\ny\"", "\"x y \""},
	} {
		var got []string
		for s := (Scanner{Text: []byte(test.text)}); ; {
			tok := s.Code()
			if tok.Kind == End {
				break
			}
			got = append(got, tok.Of(s.Text))
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%q: %q, want %q", test.text, got, test.want)
		}
	}
}

// FuzzScan checks that any text consists of white space and tokens.
func FuzzScan(f *testing.F) {
	f.Add("\"\\")
	f.Add("/*")
	f.Add("'\\\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		last := 0
		for s := (Scanner{Text: []byte(text)}); ; {
			tok := s.Scan()
			if strings.Trim(text[last:tok.Start], " \t\n\v\f\r\\") != "" {
				t.Fatalf("%q is no token", text[last:tok.Start])
			}
			if tok.Kind == End {
				return
			}
			if tok.End <= tok.Start || tok.Start < last {
				t.Fatalf("%+v behind %d", tok, last)
			}
			last = tok.End
		}
	})
}

func TestOneLine(t *testing.T) {
	if got := string(OneLine([]byte(" a  == /* x */\n\t\"b  c\" // d\n"))); got != `a == "b  c"` {
		t.Errorf("%q", got)
	}
}

// TestSourceParsesLittle checks that only the item around an offset is parsed, and none with unbalanced brackets.
func TestSourceParsesLittle(t *testing.T) {
	text := "int f(int a) { return a / 2; }\n#if X\nvoid g(void) {\n#endif\n}\n" +
		strings.Repeat("int x[] = { 1 + 1 };\n", 3)
	s := NewSource([]byte(text))
	start, end := s.Range(strings.Index(text, "/"), Operation)
	if got := text[start:end]; got != "a / 2" || len(s.trees) != 1 {
		t.Errorf("%q, %d trees", got, len(s.trees))
	}
	for _, broken := range []string{"a(", "a)", "if (a || ", "{"} {
		s := NewSource([]byte(strings.Repeat(broken, 10000)))
		if start, end := s.Range(len(broken)*5000, Operation); end-start > 2 || len(s.trees) > 0 {
			t.Errorf("%s: [%d, %d), %d trees", broken, start, end, len(s.trees))
		}
	}
	var names []string
	for _, d := range Definitions([]byte(text), functionPlaces([]byte(text)), true) {
		names = append(names, d.Name)
	}
	if !slices.Equal(names, []string{"f", "g"}) {
		t.Errorf("defined: %v", names)
	}
}
