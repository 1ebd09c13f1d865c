package cflags

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestFilter(t *testing.T) {
	for _, c := range []struct{ name, flags, accepted, dropped string }{
		{"nothing", "", "", ""},
		{"includes and macros", "-I inc -Iinc2 -D X=1 -DY -U Z -include pre.h -isystem sys -std=c99",
			"-Iinc -Iinc2 -DX=1 -DY -UZ -includepre.h -isystemsys -std=c99", ""},
		{"other spellings", "--define-macro X --include-directory=d --sysroot /r --target x86_64 -target arm --language=c",
			"-DX -Id --sysroot=/r --target=x86_64 --target=arm -xc", ""},
		{"an argument that looks like an option", "-D -O2 -I -c", "-D-O2 -I-c", ""},
		{"a word that would be a response file", "-D @a -I @b -x @c -target @d @e", "-D@a -I@b --target=@d", "-x @c|@e"},
		{"an argument of its own", "-resource-dir d -ccc-install-dir d -Xclang -DX --prefix bin -DY", "-DY",
			"-resource-dir d|-ccc-install-dir d|-Xclang -DX|--prefix bin"},
		{"optimisation", "-O2 -O -Os -Ofast -flto=thin -ffat-lto-objects", "", "-Ofast"},
		{"sanitizers", "-fsanitize=bounds,address -fno-sanitize=all -fsanitize-recover=all -fsanitize-trap=undefined", "",
			""},
		{"profiles", "-fprofile-instr-generate -fprofile-arcs -ftest-coverage -fcoverage-mapping --coverage -pg", "", ""},
		{"floating point", "-ffast-math -fno-math-errno -ffinite-math-only", "-fno-math-errno",
			"-ffast-math|-ffinite-math-only"},
		{"warnings", "-Wall -Werror -Werror=format -pedantic-errors -w -Wno-int-conversion", "-Wno-int-conversion", ""},
		{"dependencies and output", "-c -MD -MMD -MF a.d -MTa.o -MQ a -MP -o a.o -oa.o -S -E -save-temps=obj", "", ""},
		{"debug information", "-g -g3 -ggdb -gdwarf-4 -g0 -gsplit-dwarf -fdebug-prefix-map=/a=b -ffile-prefix-map=/a=b", "",
			""},
		{"code of others", "-fplugin=x.so -Xclang -load -Xclang x.so -B /bin -B/usr -specs=s -fpass-plugin=p -mllvm -x", "",
			"-fplugin=x.so|-Xclang -load|-Xclang x.so|-B /bin|-B/usr|-specs=s|-fpass-plugin=p|-mllvm -x"},
		{"files", "-save-stats -save-stats=cwd -fproc-stat-report=o -fproc-stat-report", "",
			"-save-stats|-save-stats=cwd|-fproc-stat-report=o|-fproc-stat-report"},
		{"another driver", "--driver-mode=cl -clang:-fplugin=x.so /DX", "", "--driver-mode=cl|-clang:-fplugin=x.so"},
		{"another language", "-x c -x ir -xc++ -x cuda", "-xc", "-x ir|-xc++|-x cuda"},
		{"linking", "-lm -L/lib -L lib -Wl,-z,now -shared -Xlinker x -pthread a.o lib.a file.c -static", "-pthread", ""},
		{"preprocessor", "-Wp,-MMD,x.d,-DX=1 -Wp,-D,@r -Wp,-fplugin=x.so", "-DX=1 -D@r", "-fplugin=x.so"},
		{"semantics stay", "-fwrapv -fcommon -m32 -funsigned-char -fshort-enums -ftrapv",
			"-fwrapv -fcommon -m32 -funsigned-char -fshort-enums", ""},
		{"an argument is missing", "-DX -I", "-DX", "-I"},
		{"one that would take what follows of ours", "-DX --prefix", "-DX", "--prefix"},
		{"an option that nobody knows", "-fconserve-bits -fzz=1", "", "-fconserve-bits|-fzz=1"},
		{"a longer name", "-include-pch x -I- -isystem-after d", "-isystem-afterd", "-include-pch x|-I-"},
		{"two words that are another option as one", "-include -pch -I - -DX", "-DX", "-include -pch|-I -"},
	} {
		t.Run(c.name, func(t *testing.T) {
			accepted, dropped := Filter(strings.Fields(c.flags))
			if have := strings.Join(accepted, " "); have != c.accepted {
				t.Errorf("kept %q, want %q", have, c.accepted)
			}
			if have := strings.Join(dropped, "|"); have != c.dropped {
				t.Errorf("dropped %q, want %q", have, c.dropped)
			}
		})
	}
}

func TestExpand(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"args.rsp": `-DA="1 2" -O2 'x y.c' @more.rsp -I"my dir"`, "more.rsp": "-DMORE -fplugin=evil.so",
		"self.rsp": "-DX @self.rsp -DY", "bomb.rsp": strings.Repeat("@two.rsp ", 30),
		"two.rsp":   strings.Repeat("@three.rsp ", 30),
		"three.rsp": "-DX", "many.rsp": strings.Repeat("a ", maxResponseWords+1), "large.rsp": strings.Repeat(" ", 1<<20+1),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ words, want, err string }{
		{"-DX", "-DX", ""},
		{"@args.rsp -DLAST", "-DA=1 2|-O2|x y.c|-DMORE|-fplugin=evil.so|-Imy dir|-DLAST", ""},
		{"@nowhere.rsp -DX", "@nowhere.rsp|-DX", ""},
		{"@self.rsp", "-DX|-DY", "self.rsp: the response file names itself"},
		{"@bomb.rsp", "", "more than 100 response files"},
		{"@many.rsp", "", "the flags are more than 100000 words"},
		{"-DX @large.rsp -DY", "-DX|-DY", "large.rsp: the response file is larger than the limit of 1 MB"},
		{"@/dev/zero", "", "/dev/zero: the response file is not a regular file"},
		{"@/dev/stdin", "", "/dev/stdin: the response file is not a regular file"},
	} {
		have, _, err := Expand(strings.Fields(c.words), dir)
		if err == nil != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: error %v, want %q", c.words, err, c.err)
		}
		if have := strings.Join(have, "|"); c.want != "" && have != c.want {
			t.Errorf("%s: %s, want %s", c.words, have, c.want)
		}
	}
	if _, files, _ := Expand([]string{"@args.rsp", "@nowhere.rsp"}, dir); !slices.Equal(files,
		[]string{filepath.Join(dir, "args.rsp"), filepath.Join(dir, "more.rsp"), filepath.Join(dir, "nowhere.rsp")}) {
		t.Errorf("the files are %q", files)
	}
}

// FuzzFilter checks on arbitrary words that Filter returns only options of the table, and that Filter keeps its own
// result.
func FuzzFilter(f *testing.F) {
	for _, s := range []string{"-D @rsp", "-Wp,-Wp,-D,@x", "--driver-mode=cl -clang:-fplugin=x", "-I -o -x c -xir",
		"-- -DX",
		"@x -include @y", "-Wno-x -W", "-mllvm -DX"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		accepted, _ := Filter(strings.Split(line, " "))
		for _, w := range accepted {
			if w[0] != '-' {
				t.Fatalf("%q: %q is no option", line, w)
			}
			r, value, next := find(w)
			if next || r.effect != keep || r.form != flag && !r.accepts(value) {
				t.Fatalf("%q: %q is kept, and is read as %q with %q", line, w, r.name, value)
			}
		}
		if again, lost := Filter(accepted); !slices.Equal(again, accepted) || len(lost) > 0 {
			t.Fatalf("%q: kept %q, then %q, and lost %q", line, accepted, again, lost)
		}
	})
}

// TestNotable checks that macros, the language, the target and paths inside the folder need no permission.
func TestNotable(t *testing.T) {
	within := func(path string) bool { return !strings.HasPrefix(path, "/usr") && !strings.HasPrefix(path, "..") }
	for flags, want := range map[string]string{
		"-DX=1 -U Y -std=c11 -ansi -m32 --target=arm-none-eabi -march=native -fwrapv -O2 -Wall": "",
		"-Iinc -I . -isystem sys -include config.h -iquote q":                                   "",
		"-I/usr/include -I.. -isystem ../x -include /usr/a.h": "" +
			"-I/usr/include -I.. -isystem../x -include/usr/a.h",
		"--sysroot=here --gcc-toolchain=here -iprefix here -F here -isysroot here": "" +
			"--sysroot=here --gcc-toolchain=here -iprefixhere -Fhere -isysroothere",
		"-I=/x -I $SYSROOT/x":                  "-I=/x -I$SYSROOT/x",
		"-working-directory=/usr -Iinc -DX":    "-working-directory=/usr -Iinc",
		"-fbracket-depth=1000000 -Wp,-I/usr/x": "-fbracket-depth=1000000 -I/usr/x",
	} {
		accepted, _ := Filter(strings.Fields(flags))
		if got := strings.Join(Notable(accepted, within), " "); got != want {
			t.Errorf("%s: %q, want %q", flags, got, want)
		}
	}
}
