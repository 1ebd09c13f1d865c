package language_test

import (
	"reflect"
	"testing"

	"github.com/unitproof/unitproof/vcgen/language"
)

func TestStandardFunctions(t *testing.T) {
	for name, want := range map[string]bool{"strtod": true, "localeconv": true, "bsearch": true, "log_msg": false,
		"":  false,
		"a": false} {
		if got := language.IsStandard(name); got != want {
			t.Errorf("IsStandard(%q) is %v", name, got)
		}
	}
	for name, want := range map[string]bool{"lgamma": true, "exp10f": true, "__isnanl": true,
		"unitproof_any_double": true, "nd_int": false, "malloc": false,
		"memcpy": false, "parse": false} {
		if got := language.OfLibrary(name, 0); got != want {
			t.Errorf("OfLibrary(%q) is %v", name, got)
		}
	}
	want := language.Prototype{Name: "setlocale", Result: "char *", Parameters: []string{"int", "const char *"}}
	if got, ok := language.PrototypeOf("setlocale"); !ok || !reflect.DeepEqual(got, want) {
		t.Errorf("setlocale is %+v, %v", got, ok)
	}
	for _, name := range []string{"bsearch", "strto", "log_msg"} {
		if got, ok := language.PrototypeOf(name); ok {
			t.Errorf("%s is %+v", name, got)
		}
	}
	if p, _ := language.PrototypeOf("time"); len(p.Parameters) != 1 {
		t.Errorf("time is %+v", p)
	}
	if p, ok := language.PrototypeOf("localeconv"); !ok || len(p.Parameters) != 0 {
		t.Errorf("localeconv is %+v", p)
	}
}
