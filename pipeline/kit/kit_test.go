package kit

import (
	"strings"
	"testing"
)

func TestEvaluate(t *testing.T) {
	for text, want := range map[string]int64{
		"1 if 252 <= 240 else 252 - 240 + 1":  13,
		"max(2, min(10, 7+1))":                8,
		"(11 + 1) / 2":                        6,
		"7 / 2":                               3,
		"(0-7) / 2":                           -4,
		"7 // 2":                              3,
		"2 + 3 * 4":                           14,
		"1 if 1 == 2 else 2 if 3 != 3 else 3": 3,
		"(1 if 2 > 1 else 9) * 5":             5,
		"1 if 1 >= 1 else 0 + 100000000000000000000000 * 0": -1,
		"1 +":           -1,
		"":              -1,
		"f(1, 2)":       -1,
		"1 / 0":         -1,
		"max(1)":        -1,
		"1 2":           -1,
		"1 <> 2":        -1,
		"__import__(1)": -1,
		strings.Repeat("(", 10000) + "1" + strings.Repeat(")", 10000): -1,
	} {
		got, err := evaluate(text)
		if want == -1 {
			if err == nil {
				t.Errorf("%.40q: %d, want an error", text, got)
			}
			continue
		}
		if err != nil || got != want {
			t.Errorf("%q: %d, %v; want %d", text, got, err, want)
		}
	}
}

func TestSubstitute(t *testing.T) {
	known := map[string]string{"N": "3", "LIST": "a b"}
	for text, want := range map[string]string{
		"-DX={N}":          "-DX=3",
		"{{N}} {LIST}":     "{N} a b",
		"__eval {N} + {N}": "6",
	} {
		if got, err := substitute(text, known); err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"{M}", "{N", "__eval {LIST}"} {
		if got, err := substitute(text, known); err == nil {
			t.Errorf("%q: %q, want an error", text, got)
		}
	}
}

// TestParts checks that parts finds the ends of values with brackets, strings and comments, and separates added keys.
func TestParts(t *testing.T) {
	s := segment{own: true, table: table{lines: strings.Split(`[[proof]]
name = "a"
loops = { "f#1" = 9,
  "flags" = 3 } # [
flags = [
  "-DX=]\"[", # [
  'timeout = [',
]
# by hand
# cbmc: generated
timeout = "9s"`, "\n")}}
	own, hand := s.parts()
	wantOwn := "[[proof]]|name = \"a\"|flags = [|  \"-DX=]\\\"[\", # [|  'timeout = [',|]|# cbmc: generated"
	if got := strings.Join(own, "|"); got != wantOwn {
		t.Errorf("own:\n%s\nwant\n%s", got, wantOwn)
	}
	wantHand := "loops = { \"f#1\" = 9,|  \"flags\" = 3 } # [|# by hand|timeout = \"9s\""
	if got := strings.Join(hand, "|"); got != wantHand {
		t.Errorf("by hand:\n%s\nwant\n%s", got, wantHand)
	}
}

// TestMergeWithTablesOfTheUser checks that tables with common settings that a user wrote are not changed: import writes
// the settings to each proof instead.
func TestMergeWithTablesOfTheUser(t *testing.T) {
	k := &Kits{Root: "/r", Proofs: []Proof{
		{Key: "a", Name: "a", File: "/r/a.c", Entry: "f", MallocCanFail: true, Flags: []string{"-I/r/inc"},
			Macros: []string{"-DX"}},
		{Key: "b", Name: "b", File: "/r/b.c", Entry: "f", MallocCanFail: true, Flags: []string{"-I/r/inc"},
			Macros: []string{"-DX"}},
	}}
	text, report := k.Merge("[check]\ntimeout = \"9s\"\n")
	if report.Added != 2 || strings.Count(text, "[check]") != 1 || strings.Count(text, `missing-body = "pure"`) != 2 ||
		strings.Count(text, `"-Iinc"`) != 1 {
		t.Errorf("%+v\n%s", report, text)
	}
	again, report := k.Merge(text)
	if again != text || report.Line() != "nothing to change" {
		t.Errorf("%s\n%s", report.Line(), again)
	}
}

// TestMergeTellsOfWhatAllShare checks that a change of only the common tables is reported.
func TestMergeTellsOfWhatAllShare(t *testing.T) {
	k := &Kits{Root: "/r", Proofs: []Proof{{Key: "a", Name: "a", File: "/r/a.c", Entry: "f", MallocCanFail: true,
		Flags: []string{"-I/r/inc"}}}}
	text, report := k.Merge("")
	if report.Line() != "1 proof added" {
		t.Error(report.Line())
	}
	k.Notes = []string{"--nan-check: not checked"}
	again, report := k.Merge(text)
	if again == text || report.Line() != "the settings of all proofs changed" {
		t.Errorf("%s\n%s", report.Line(), again)
	}
}
