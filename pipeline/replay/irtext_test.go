package replay

import (
	"slices"
	"testing"

	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

func TestOperands(t *testing.T) {
	for text, want := range map[string][2]string{
		"i32 %x":                                 {"i32", "%x"},
		"i8* noundef nonnull %y":                 {"i8*", "%y"},
		"%struct.a* byval(%struct.a) align 8 %z": {"%struct.a*", "%z"},
		"void (i32, i8*)* %f":                    {"void (i32, i8*)*", "%f"},
		"i64* getelementptr inbounds ([4 x i64], [4 x i64]* @a, i64 0, i64 1)": {
			"i64*", "getelementptr inbounds ([4 x i64], [4 x i64]* @a, i64 0, i64 1)"},
		`{ i32, %"a b"* }* @q`: {`{ i32, %"a b"* }*`, "@q"},
	} {
		if typ, value := splitOperand(text); typ != want[0] || value != want[1] {
			t.Errorf("%s: %q and %q", text, typ, value)
		}
	}
	got := operands("  store volatile i32 5, i32* %p, align 4, !dbg !3", "store ")
	if len(got) < 2 || got[0] != "i32 5" || got[1] != "i32* %p" {
		t.Errorf("%q", got)
	}
}

func TestAccessed(t *testing.T) {
	for text, want := range map[string]string{
		"i32* %p":         "%p",
		"i32* %p seq_cst": "%p",
		"i32* %p syncscope(\"singlethread\") release":                    "%p",
		"i32* getelementptr (i32, i32* @g, i64 1) unordered":             "getelementptr (i32, i32* @g, i64 1)",
		"i32* bitcast ([4 x i8]* @g to i32*) syncscope(\"one\") acquire": "bitcast ([4 x i8]* @g to i32*)",
	} {
		if typ, value := accessed(text); typ != "i32*" || value != want {
			t.Errorf("%s: %q and %q", text, typ, value)
		}
	}
}

func TestSplitTop(t *testing.T) {
	for text, want := range map[string][]string{
		"":                               {""},
		"i32 1, i8* %p)":                 {"i32 1", "i8* %p"},
		"{ i32, i32 } %a, <2 x i8> %b":   {"{ i32, i32 } %a", "<2 x i8> %b"},
		`%"a, b"* %p, i32 2) #3, !dbg`:   {`%"a, b"* %p`, "i32 2"},
		"void (i8, ...)* @f, [1 x i8] c": {"void (i8, ...)* @f", "[1 x i8] c"},
		"i32* %p, align 4, !dbg !7":      {"i32* %p", "align 4", "!dbg !7"},
	} {
		if got := splitTop(text); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// TestTypeText checks that written types are parsed as the same types.
func TestTypeText(t *testing.T) {
	for text, want := range map[string]string{
		"i1": "i1", "double": "double", "i8**": "i8**", "[3 x <2 x i16>]": "[3 x <2 x i16>]",
		"{ i8, {} }": "{ i8, {} }", "<{ i8, i32 }>": "<{ i8, i32 }>", "%named*": `%"named"*`, "%opaque*": `%"opaque"*`,
		"void (i8, ...)*": "void (i8, ...)*", "i8* (...)*": "i8* (...)*", "{ i32 (i8*)* }": "{ i32 (i8*)* }",
	} {
		types := "%named = type { %named*, i8 }\n%opaque = type opaque\n"
		m, err := clangir.Read([]byte(types+"@g = external global "+text+"\n@h = external global "+want+"\n"),
			llvmir.ReadOptions{})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		g, h := m.GlobalByName["g"].Type, m.GlobalByName["h"].Type
		if got := typeText(g); got != want || g != h {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
