package llvmir

import (
	"strings"
	"testing"
)

// TestLayouts checks sizes and alignments of types under the layouts that clang 14 writes.
func TestLayouts(t *testing.T) {
	const types = `
%s = type { i8, i64, i16, double, i8*, x86_fp80 }
%p = type <{ i8, i32 }>
@s = global %s zeroinitializer
@p = global %p zeroinitializer
@w = global { i8, i128 } zeroinitializer
@v = global { i8, <4 x i32> } zeroinitializer
`
	tests := []struct {
		triple, layout string
		pointer        int
		big            bool
		offsets        string // of s, then its size
		wide, vector   int64
	}{
		{"x86_64-pc-linux-gnu", "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128", 64, false,
			"0 8 16 24 32 48 64", 8, 16},
		{"i386-pc-linux-gnu", "e-m:e-p:32:32-p270:32:32-p271:32:32-p272:64:64-f64:32:64-f80:32-n8:16:32-S128", 32, false,
			"0 4 12 16 24 28 40", 4, 16},
		{"armv7m-none-unknown-eabi", "e-m:e-p:32:32-Fi8-i64:64-v128:64:128-a:0:32-n32-S64", 32, false,
			"0 8 16 24 32 48 64", 8, 8},
		{"powerpc-unknown-linux-gnu", "E-m:e-p:32:32-i64:64-n32", 32, true, "0 8 16 24 32 48 64", 8, 16},
		{"s390x-unknown-linux-gnu", "E-m:e-i1:8:16-i8:8:16-i64:64-f128:64-a:8:16-n32:64", 64, true,
			"0 8 16 24 32 48 64", 8, 16},
		{"msp430", "e-m:e-p:16:16-i32:16-i64:16-f32:16-f64:16-a:8-n8:16-S16", 16, false,
			"0 2 10 12 20 32 48", 2, 16},
	}
	for _, tt := range tests {
		text := "target datalayout = \"" + tt.layout + "\"\ntarget triple = \"" + tt.triple + "\"\n" + types
		m, err := Read([]byte(text), ReadOptions{})
		if err != nil {
			t.Errorf("%s: %v", tt.triple, err)
			continue
		}
		s := m.GlobalByName["s"].Type
		if l := m.Layout; l.Pointer != tt.pointer || l.BigEndian != tt.big || m.Word.Bits != tt.pointer {
			t.Errorf("%s: pointers of %d bits, big endian %v", tt.triple, l.Pointer, l.BigEndian)
		}
		var got []string
		for _, o := range append(s.Offsets, s.Size) {
			got = append(got, itoa(int(o)))
		}
		if strings.Join(got, " ") != tt.offsets {
			t.Errorf("%s: offsets and size %s, want %s", tt.triple, strings.Join(got, " "), tt.offsets)
		}
		if p := m.GlobalByName["p"].Type; p.Offsets[1] != 1 || p.Size != 5 {
			t.Errorf("%s: a packed struct has offset %d and size %d", tt.triple, p.Offsets[1], p.Size)
		}
		if w := m.GlobalByName["w"].Type; w.Offsets[1] != tt.wide {
			t.Errorf("%s: i128 has alignment %d, want %d", tt.triple, w.Offsets[1], tt.wide)
		}
		if v := m.GlobalByName["v"].Type; v.Offsets[1] != tt.vector {
			t.Errorf("%s: a vector has alignment %d, want %d", tt.triple, v.Offsets[1], tt.vector)
		}
	}
}

// TestUnsupportedLayouts checks that a layout that is not supported is an error with its string.
func TestUnsupportedLayouts(t *testing.T) {
	tests := []struct{ triple, layout, want string }{
		{"avr-unknown-unknown", "e-P1-p:16:8-i8:8-i16:8-i32:8-i64:8-f32:8-f64:8-n8-a:8", "program memory"},
		{"sparc-unknown-linux-gnu", "E-m:e-p:32:32-i64:64-f128:64-n32-S64", `"sparc-unknown-linux-gnu"`},
		{"i386-pc-linux-gnu", "e-p:24:24", `"e-p:24:24"`},
		{"i386-pc-linux-gnu", "e-p:32:32-q5", `"q5"`},
		{"arm-none-eabi", "e-p:32:32:32:16", "indices of 16 bits"},
		{"arm-none-eabi", "", "no data layout"},
		{"x86_64-pc-linux-gnu", "e-P200-i64:64", "address space 200"},
	}
	for _, tt := range tests {
		if _, err := ParseLayout(tt.layout, tt.triple); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s, %s: error %v, want one with %s", tt.triple, tt.layout, err, tt.want)
		}
	}
}
