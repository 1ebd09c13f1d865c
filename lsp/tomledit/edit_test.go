package tomledit

import (
	"testing"

	"github.com/BurntSushi/toml"
)

func TestEditsOfTOML(t *testing.T) {
	proof := func(tables []Table) int {
		for i := range tables {
			if tables[i].Array && tables[i].Name[0] == "proof" {
				return i
			}
		}
		return 0
	}
	sub := func(key, subkey, value string) func(string, []Table) (Edit, error) {
		return func(text string, tables []Table) (Edit, error) {
			return SetSubkey(text, tables, proof(tables), key, subkey, value)
		}
	}
	set := func(key, value string) func(string, []Table) (Edit, error) {
		return func(text string, tables []Table) (Edit, error) {
			return SetKey(text, &tables[proof(tables)], key, value), nil
		}
	}
	loop := sub("loops", "f#1", "9")
	for name, test := range map[string]struct {
		before string
		edit   func(string, []Table) (Edit, error)
		want   string
	}{
		"new key": {"# top\n[[proof]]\nfile = \"a.c\" # why\n\n# next\n[[proof]]\n", loop,
			"# top\n[[proof]]\nfile = \"a.c\" # why\nloops = { \"f#1\" = 9 }\n\n# next\n[[proof]]\n"},
		"inline, new": {"[[proof]]\nloops = { \"g#1\" = 2 } # c\n", loop,
			"[[proof]]\nloops = { \"g#1\" = 2, \"f#1\" = 9 } # c\n"},
		"inline, there": {"[[proof]]\nloops = { \"f#1\" = 2, g = 3 }\n", loop,
			"[[proof]]\nloops = { \"f#1\" = 9, g = 3 }\n"},
		"inline, empty": {"[[proof]]\nloops = {}\n", loop, "[[proof]]\nloops = { \"f#1\" = 9 }\n"},
		"dotted, there": {"[[proof]]\nloops.\"f#1\" = 2\n", loop, "[[proof]]\nloops.\"f#1\" = 9\n"},
		"dotted, other": {"[[proof]]\nloops.g = 2\n", loop, "[[proof]]\nloops.g = 2\nloops.\"f#1\" = 9\n"},
		"table": {"[[proof]]\nfile = 'a'\n[proof.loops]\n'f#1' = 2 # c\n[[proof]]\n", loop,
			"[[proof]]\nfile = 'a'\n[proof.loops]\n'f#1' = 9 # c\n[[proof]]\n"},
		"table of next": {"[[proof]]\nfile = 'a'\n[[proof]]\n[proof.loops]\n'f#1' = 2\n", loop,
			"[[proof]]\nfile = 'a'\nloops = { \"f#1\" = 9 }\n[[proof]]\n[proof.loops]\n'f#1' = 2\n"},
		"no end of line": {"[[proof]]\nfile = 'a'", loop, "[[proof]]\nfile = 'a'\nloops = { \"f#1\" = 9 }"},
		"crlf": {"[[proof]]\r\nfile = 'a'\r\n\r\n[check]\r\n", loop,
			"[[proof]]\r\nfile = 'a'\r\nloops = { \"f#1\" = 9 }\r\n\r\n[check]\r\n"},
		"odd values": {"[[proof]]\nflags = [ # x ]\n  \"-DA=\\\"]\", '}',\n]\nreason = \"\"\"\n[[proof]]\n\"\"\"\nunwind " +
			"= 3 # three\n", set("unwind", "6"),
			"[[proof]]\nflags = [ # x ]\n  \"-DA=\\\"]\", '}',\n]\nreason = \"\"\"\n[[proof]]\n\"\"\"\nunwind = 6 # three\n"},
		"array, there": {"[[proof]]\nsources = [\n  'a.c', # a\n]\n", set("sources", "['b.c']"),
			"[[proof]]\nsources = ['b.c']\n"},
	} {
		t.Run(name, func(t *testing.T) {
			tables, err := Scan(test.before)
			if err != nil {
				t.Fatal(err)
			}
			e, err := test.edit(test.before, tables)
			if err != nil {
				t.Fatal(err)
			}
			got := e.Apply(test.before)
			if got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
			var any map[string]any
			if _, err := toml.Decode(got, &any); err != nil {
				t.Errorf("no TOML: %v\n%s", err, got)
			}
		})
	}
	for _, text := range []string{"", "\ufeff", "a = 1", "a = 1\r\n"} {
		got := AppendTable(text, "[[accept]]", "kind = "+String("a\"b\\\n")).Apply(text)
		var any map[string]any
		if _, err := toml.Decode(got, &any); err != nil || any["accept"] == nil {
			t.Errorf("%q: %v", got, err)
		}
	}
}

// FuzzTOML checks that the scanner accepts each text that the decoder accepts, and that the decoder returns each
// value set.
func FuzzTOML(f *testing.F) {
	for _, seed := range []string{"[a]\nb=1", "a.\"b\"='c' # d\n[[e]]\n", "x = [1, {y = '''z'''}]",
		"d = 1979-05-27T07:32:00Z"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var doc map[string]any
		if _, err := toml.Decode(text, &doc); err != nil {
			return
		}
		tables, err := Scan(text)
		if err != nil {
			t.Skip() // refused is fine
		}
		if _, taken := doc["zz"]; taken {
			return
		}
		got := SetKey(text, &tables[0], "zz", "7").Apply(text)
		doc = nil
		if _, err := toml.Decode(got, &doc); err != nil || doc["zz"] != int64(7) {
			t.Errorf("%q became %q: %v", text, got, err)
		}
	})
}
