package clang

import (
	"slices"
	"testing"

	"github.com/unitproof/unitproof/pipeline/cflags"
)

func TestSearchedFolders(t *testing.T) {
	t.Setenv("SDKROOT", "")
	for _, test := range []struct {
		flags            []string
		cpath, cincludes string
		want             []string
	}{
		{nil, "", "", []string{"/usr/local/include"}},
		{[]string{"-Ia", "-I", "/b", "-DX", "-iquote", "c", "-idirafterd"}, "", "",
			[]string{"/b", "/p/a", "/p/c", "/p/d", "/usr/local/include"}},
		{[]string{"-isystem", "s", "-isystemt", "-isystem-after", "u", "-isystem-afterv"}, "", "",
			[]string{"/p/s", "/p/t", "/p/u", "/p/v", "/usr/local/include"}},
		{[]string{"--include-directory", "a", "--include-directory=b", "--include-directory-after=c"}, "", "",
			[]string{"/p/a", "/p/b", "/p/c", "/usr/local/include"}},
		// an empty entry is the folder of the compilation
		{nil, "/x:", "y", []string{"/p", "/p/y", "/usr/local/include", "/x"}},
		{[]string{"--sysroot=/r", "-isysroot", "q"}, "", "", []string{"/p/q/usr/local/include", "/r/usr/local/include",
			"/usr/local/include"}},
	} {
		t.Setenv("CPATH", test.cpath)
		t.Setenv("C_INCLUDE_PATH", test.cincludes)
		flags, _ := cflags.Filter(test.flags)
		if got := searched(flags, "/p"); !slices.Equal(got, test.want) {
			t.Errorf("%q, CPATH=%s: %q, want %q", test.flags, test.cpath, got, test.want)
		}
	}
	t.Setenv("CPATH", "")
	t.Setenv("C_INCLUDE_PATH", "")
	t.Setenv("SDKROOT", "/sdk")
	if got, want := searched(nil, "/p"), []string{"/sdk/usr/local/include", "/usr/local/include"}; !slices.Equal(got,
		want) {
		t.Errorf("SDKROOT: %q, want %q", got, want)
	}
}

func TestSearchKnown(t *testing.T) {
	for flag, want := range map[string]bool{
		"-Ia": true, "-DX=1": true, "-Foo": true, "-iquote": true,
		"-F": false, "-F/frameworks": false, "-iframework": false, "-iprefix": false, "-iprefix/a/": false,
		"-iwithprefix": false, "-iwithprefixbefore": false,
		"-ivfsoverlay": false, "-working-directory=/a": false, "-DHAS(x)=__has_include(x)": false,
	} {
		if got := SearchKnown([]string{"-O2", flag}); got != want {
			t.Errorf("%s: %v, want %v", flag, got, want)
		}
	}
}
