package llvmir

import "testing"

// TestImage checks the bytes of constants, which tables of structures consist of.
func TestImage(t *testing.T) {
	for _, c := range []struct {
		constant string
		want     string // "-": none
		array    bool   // Bytes returns them, too
	}{
		{"[2 x i16] [i16 1, i16 -2]", "\x01\x00\xfe\xff", true},
		{`[3 x i8] c"a\00b"`, "a\x00b", true},
		{"{ i8, i32 } { i8 7, i32 258 }", "\x07\x00\x00\x00\x02\x01\x00\x00", false},
		{"<{ i8, i32 }> <{ i8 7, i32 258 }>", "\x07\x02\x01\x00\x00", false},
		{"{ i8, [3 x i8], i32 } { i8 7, [3 x i8] undef, i32 1 }", "\x07\x00\x00\x00\x01\x00\x00\x00", false},
		{"[2 x { i16, i8 }] [{ i16, i8 } { i16 1, i8 2 }, { i16, i8 } zeroinitializer]", "\x01\x00\x02\x00\x00\x00\x00\x00",
			false},
		{"{ i8, [2000000 x i8] } { i8 1, [2000000 x i8] zeroinitializer }", "-", false},
		{"{ i8* } { i8* null }", "-", false},
		{"[1 x i24] [i24 1]", "-", false},
		{"[4 x i8] zeroinitializer", "-", false},
	} {
		m := read(t, "target datalayout = \"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128\"\n"+
			"@g = constant "+c.constant+"\n", ReadOptions{})
		init := m.Globals[0].Init
		data, ok := init.Image(false)
		if got := string(data); !ok && c.want != "-" || ok && got != c.want {
			t.Errorf("%s: %q, %v", c.constant, got, ok)
		}
		if _, ok := init.Bytes(false); ok != c.array {
			t.Errorf("%s: Bytes returns %v", c.constant, ok)
		}
	}
}
