package diagnostics

import "testing"

func TestCompactValue(t *testing.T) {
	for _, test := range []struct {
		value string
		width int
		want  string
	}{
		{"{.slots = {0, 0, 0, 0}, .head = 0, .len = 9}", 60, "{.slots = {0, 0, 0, 0}, .head = 0, .len = 9}"},
		{"{.slots = {0, 0, 0, 0}, .head = 0, .len = 9}", 20, "{.len = 9}"},
		{"{.slots = {0, 1, 0, 0}, .p = NULL, .ok = false}", 30, "{.slots = {0, 1, 0, 0}}"},
		{"{.a = {.b = 0, .c = {0, 0}}, .d = NULL}", 10, "{0}"},
		{"{0, 0, 0, ...}", 8, "{0, 0, …"}, // the rest need not be 0
		{"{.s = \"a, {b = 0}\", .n = 0}", 20, "{.s = \"a, {b = 0}\"}"},
		{"{.n = ?, .m = 0, .k = 1}", 20, "{.n = ?, .k = 1}"},
		{"{{.a = 0, .b = 1}, {.a = 0, .b = 0}}", 30, "{{.b = 1}, {0}}"},
		{"malloc#1+12345678", 8, "malloc#…"},
		{"{unbalanced", 5, "{unb…"},
		{"{}", 1, "…"},
	} {
		if got := CompactValue(test.value, test.width); got != test.want {
			t.Errorf("%s in %d: %s, want %s", test.value, test.width, got, test.want)
		}
	}
}
