package unfold

import "testing"

// TestWidthOf checks what is known of types by the names of nondet functions that no header declares.
func TestWidthOf(t *testing.T) {
	for name, want := range map[string]int{
		"int": 0, "": 0, "uint": 0, "bool": 0, "unsigned": 0, "uchar": 0, "color": 0, "u8": 8, "int16_t": 16, "u32": 32,
		"uint64_t": 64, "i64": 64, "unsigned_long": 64, "unsigned_long_long": 64, "llong": 64, "ull": 64, "u_int64": 64,
		"int_64": 64, "int128": 128, "size_t": 64, "double": 64, "voidp": 64, "char_ptr": 64, "time_t": 64, "sizet": 64,
	} {
		if got := widthOf(name); got != want {
			t.Errorf("%q: %d bits, want %d", name, got, want)
		}
	}
}
