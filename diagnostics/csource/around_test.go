package csource

import (
	"reflect"
	"strings"
	"testing"
)

// TestDefinitionsOfLargeTexts checks that a large text has the same definitions as when it is parsed as a whole.
func TestDefinitionsOfLargeTexts(t *testing.T) {
	const other = "static int f(int x) { if (x) { return 1; } return \"}\"[0]; } /* main( */ struct s { int m; } v;\n"
	filler := strings.Repeat(other, 20)
	for _, text := range []string{
		"int main(void) { return 0; }\n", "int\nmain(argc, argv)\nint argc;\nchar **argv;\n{ return 0; }\n",
		"struct r { int x; } main(void) { struct r q; return q; }\n", "#if 0\nint main(void) { }\n#endif\n",
		"#ifdef A\nint main(int a) {\n#else\nint main(void) {\n#endif\n}\n", "int main(void);\n", "int x = main();\n",
		"__attribute__((x)) int main(void) {\n#define Y }\n#if Z\n int a; \n#endif\n}\n", "static int main(void) { }\n",
		"int g(void) { return main(); }\n", "// main\nint *(*main(void))(int) { }\n", "int main(void) { ",
	} {
		for _, text := range []string{text, filler + text, text + filler, filler + "#if B\n" + filler + text + "#endif\n" +
			filler,
			text + filler + text} {
			var places []Token
			for s := (Scanner{Text: []byte(text)}); ; {
				at := s.Scan()
				if at.Kind == End {
					break
				}
				if at.Kind == Ident && text[at.Start:at.End] == "main" {
					places = append(places, at)
				}
			}
			for _, static := range []bool{false, true} {
				want := Definitions([]byte(text), places, static)
				sparse := around([]byte(text), places)
				if got := Definitions(sparse, places, static); !reflect.DeepEqual(got, want) {
					t.Errorf("%q: %v, want %v", text, got, want)
				}
				if len(sparse) != len(text) || strings.Count(string(sparse), "\n") != strings.Count(text, "\n") {
					t.Errorf("%q has other lines: %q", text, sparse)
				}
			}
		}
	}
}
