package choice

import "testing"

func TestTapeIsChecked(t *testing.T) {
	for _, b := range [][]byte{nil, {9}, {version, 0x80}, {version, 0, 0, 200, 1},
		{version, 1, 255, 255, 255, 255, 255, 255, 1, 4, 250, 250, 250, 250}} {
		if _, err := Decode(b); err == nil {
			t.Errorf("%v is taken for a tape", b)
		}
	}
}
