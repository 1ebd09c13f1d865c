package unfold

import "testing"

func TestConversions(t *testing.T) {
	for format, want := range map[string]string{
		"": "", "100%": "", "%%n": "", "%d%n": "dn", "%-5.3s|%lls": "ss", "%*.*f": "**f", "%hhn %zu": "nu", "%1$s": "s",
		"%%%s": "s",
	} {
		if got := string(conversionsOf(format)); got != want {
			t.Errorf("%q: %q, want %q", format, got, want)
		}
	}
}
