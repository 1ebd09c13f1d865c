package replay

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/unitproof/unitproof/pipeline/sandbox"
	"github.com/unitproof/unitproof/vcgen/found"
)

func shell(t *testing.T, wall time.Duration, script string) *execution {
	t.Helper()
	x, err := run(context.Background(), wall, nil, "/bin/sh", []string{"-c", script}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func TestOutputIsBounded(t *testing.T) {
	x := shell(t, time.Minute, "head -c 20000000 /dev/zero; head -c 20000000 /dev/zero >&2; exit 3")
	if len(x.stdout) != outputBytes || len(x.stderr) != outputBytes || x.exit != 3 {
		t.Errorf("%d and %d bytes, status %d", len(x.stdout), len(x.stderr), x.exit)
	}
}

func TestProcessorTimeIsLimited(t *testing.T) {
	if got := strings.TrimSpace(shell(t, time.Minute, "ulimit -t; ulimit -c").stdout); !strings.HasSuffix(got, "\n0") {
		t.Errorf("limits %q", got) // the CPU limit is set while the process runs, perhaps too late for it to see
	}
}

// TestSanitizerOptions checks that resident memory is limited, that leaks are not reported, and that too large
// allocations return NULL. RLIMIT_AS would kill a sanitized program at its start.
func TestSanitizerOptions(t *testing.T) {
	for _, want := range []string{"detect_leaks=0", "allocator_may_return_null=1", "hard_rss_limit_mb=", "symbolize=0"} {
		if !strings.Contains(asanOptions(false, false), want) {
			t.Errorf("%s is missing", want)
		}
	}
	if strings.Contains(asanOptions(false, false), "detect_invalid_pointer_pairs") ||
		!strings.Contains(asanOptions(true, false), "detect_invalid_pointer_pairs") {
		t.Error("pointers into different objects are reported when nobody asked, or not when somebody did")
	}
	if x := shell(t, time.Minute, "ulimit -v"); strings.TrimSpace(x.stdout) != "unlimited" {
		t.Errorf("address space limited to %s", x.stdout)
	}
}

// TestReports parses reports as clang 14's runtimes write them.
func TestReports(t *testing.T) {
	asan := func(head, rest string) string {
		return "=================================================================\n==12==ERROR: AddressSanitizer: " + head +
			"\n" + rest +
			"    #0 0x4c6a2d  (/p/program+0xc6a2d)\n    #1 0x4c6a00  (/p/program+0xc6a00)\n\n0x602000000011 is " +
			"located\nallocated by thread T0 here:\n    #0 0x1  (/p/program+0x1)\n"
	}
	ubsan := func(message, summary string) string {
		return "/d/f.c:12:5: runtime error: " + message +
			"\n    #0 0x4c6a2d  (/p/program+0xc6a2d)\n\nSUMMARY: UndefinedBehaviorSanitizer: " + summary + " /d/f.c:12:5 in \n"
	}
	tests := []struct {
		stderr string
		kind   found.Kind
		not    found.Kind
	}{
		{asan("heap-buffer-overflow on address 0x602000000011 at pc 0x4c6a2e bp 0x7f sp 0x7f",
			"WRITE of size 1 at 0x602000000011 thread T0\n"), found.OutOfBoundsWrite, found.OutOfBoundsRead},
		{asan("stack-buffer-underflow on address 0x7f at pc 0x4c6a2e", "READ of size 4 at 0x7f thread T0\n"),
			found.OutOfBoundsRead, found.OutOfBoundsWrite},
		{asan("global-buffer-overflow on address 0x7f at pc 0x4c6a2e", "READ of size 4 at 0x7f thread T0\n"),
			found.OutOfBoundsRead, found.OutOfBoundsWrite},
		{asan("heap-use-after-free on address 0x602 at pc 0x4c6a2e", "READ of size 4 at 0x602 thread T0\n"),
			found.UseAfterFree, found.OutOfBoundsRead},
		{asan("stack-use-after-scope on address 0x602 at pc 0x4c6a2e", "READ of size 4 at 0x602 thread T0\n"),
			found.UseAfterScope, found.UseAfterFree},
		{asan("stack-use-after-return on address 0x602 at pc 0x4c6a2e", "WRITE of size 4 at 0x602 thread T0\n"),
			found.UseAfterScope, found.UseAfterFree},
		{asan("attempting double-free on 0x602000000010 in thread T0:", ""), found.DoubleFree, found.InvalidFree},
		{asan("attempting free on address which was not malloc()-ed: 0x602 in thread T0", ""), found.InvalidFree,
			found.DoubleFree},
		{asan("memcpy-param-overlap: memory ranges [0x1,0x2) and [0x1, 0x2) overlap", ""), found.OverlappingCopy,
			found.OutOfBoundsRead},
		{asan("invalid-pointer-pair: 0x1 0x2", ""), found.AmbiguousPointer, found.InvalidPointer},
		{asan("SEGV on unknown address 0x000000000008 (pc 0x1 bp 0x2 sp 0x3 T0)",
			"==12==The signal is caused by a WRITE memory access.\n"), found.NullDereference, found.OutOfBoundsWrite},
		{asan("SEGV on unknown address 0x7ff000000000 (pc 0x1 bp 0x2 sp 0x3 T0)",
			"==12==The signal is caused by a WRITE memory access.\n"), found.OutOfBoundsWrite, found.OutOfBoundsRead},
		// The sanitizer's own read of its shadow memory does not give the direction of the access.
		{asan("SEGV on unknown address 0x00008fff8000 (pc 0x1 bp 0x2 sp 0x3 T0)",
			"==12==The signal is caused by a READ memory access.\n"), found.OutOfBoundsWrite, found.UseAfterFree},
		{asan("SEGV on unknown address (pc 0x1 bp 0x2 sp 0x3 T0)",
			"==12==The signal is caused by a READ memory access.\n==12==Hint: this fault was caused by a dereference of a "+
				"high value address\n"), found.InvalidPointer, found.UseAfterFree},
		{asan("ILL on unknown address 0x1 (pc 0x1 bp 0x2 sp 0x3 T0)", ""), found.Unreachable, found.InvalidPointer},
		{ubsan("signed integer overflow: 2147483647 + 1 cannot be represented in type 'int'", "signed-integer-overflow"),
			found.SignedOverflow, found.UnsignedOverflow},
		{ubsan("unsigned integer overflow: 1 - 2 cannot be represented in type 'unsigned int'", "unsigned-integer-overflow"),
			found.UnsignedOverflow, found.SignedOverflow},
		{ubsan("negation of -2147483648 cannot be represented in type 'int'; cast to an unsigned type to negate this "+
			"value to itself", "signed-integer-overflow"), found.SignedOverflow, found.UnsignedOverflow},
		{ubsan("division by zero", "integer-divide-by-zero"), found.DivisionByZero, found.SignedOverflow},
		{ubsan("division of -2147483648 by -1 cannot be represented in type 'int'", "signed-integer-overflow"),
			found.SignedOverflow, found.DivisionByZero},
		{ubsan("shift exponent 32 is too large for 32-bit type 'int'", "invalid-shift-exponent"), found.InvalidShift,
			found.ShiftOverflow},
		{ubsan("left shift of 1 by 31 places cannot be represented in type 'int'", "invalid-shift-base"), found.ShiftOverflow,
			found.InvalidShift},
		{ubsan("index 6 out of bounds for type 'char[6]'", "out-of-bounds-index"), found.ArrayBounds, found.OutOfBoundsRead},
		{ubsan("-nan is outside the range of representable values of type 'int'", "float-cast-overflow"),
			found.FloatToIntOverflow, found.SignedOverflow},
		{ubsan("variable length array bound evaluates to non-positive value 0", "non-positive-vla-index"), found.InvalidSize,
			found.ArrayBounds},
		{ubsan("passing zero to clz(), which is not a valid argument", "invalid-builtin-use"), found.InvalidBuiltin,
			found.Unreachable},
		{ubsan("execution reached an unreachable program point", "unreachable-call"), found.Unreachable, found.Assertion},
		{ubsan("load of misaligned address 0x1 for type 'int', which requires 4 byte alignment", "misaligned-pointer-use"),
			found.Misaligned, found.InvalidPointer},
		{"unitproof: violation assertion\n    #0 0x4c6a2d  (/p/program+0xc6a2d)\n", found.Assertion, found.Unreachable},
		{"unitproof: violation invalid-call: no function is there\n    #0 0x4c6a2d  (/p/program+0xc6a2d)\n",
			found.InvalidCall, found.NullDereference},
		{"unitproof: violation memory-leak: 16 bytes\n    #0 0x4c6a2d (allocated)\n", found.MemoryLeak, found.Assertion},
	}
	for _, test := range tests {
		all := parse(test.stderr)
		if len(all) != 1 {
			t.Errorf("%d reports in %s", len(all), test.stderr)
			continue
		}
		r := all[0]
		has := func(k found.Kind) bool {
			for _, x := range r.kinds {
				if x == k {
					return true
				}
			}
			return false
		}
		if !has(test.kind) || has(test.not) {
			t.Errorf("kinds %v, want %s and not %s, of\n%s", r.kinds, test.kind, test.not, test.stderr)
		}
		if len(r.stack) == 0 || r.stack[0] != 0x4c6a2d || len(r.stack) > 2 {
			t.Errorf("stack %x of\n%s", r.stack, test.stderr)
		}
	}
	if r := parse("all is well\n"); r != nil {
		t.Errorf("a report in nothing: %+v", r)
	}
	two := parse(ubsan("division by zero", "integer-divide-by-zero") +
		"unitproof: violation assertion\n    #0 0x4c6a2d  (/p/program+0xc6a2d)\n")
	if len(two) != 2 || two[0].kinds[0] != found.DivisionByZero || two[1].kinds[0] != found.Assertion {
		t.Errorf("two reports: %+v", two)
	}
}

// TestWanted checks that a report at another line, or of another kind, is not the violation to be reproduced.
func TestWanted(t *testing.T) {
	j := Job{Run: found.Run{Kind: found.Assertion}, File: "/d/f.c", Line: 12}
	r := &report{kinds: []found.Kind{found.Assertion}}
	for _, test := range []struct {
		at   place
		r    *report
		want bool
	}{
		{place{File: "/d/f.c", Line: 12}, r, true},
		{place{File: "/d/f.c", Line: 13}, r, false},
		{place{File: "/d/g.c", Line: 12}, r, false},
		{place{File: "/d/f.c", Line: 12}, &report{kinds: []found.Kind{found.SignedOverflow}}, false},
		{place{File: "/d/f.c", Line: 12}, &report{what: "an assumption is false"}, false},
	} {
		if got := j.wanted(test.r, test.at); got != test.want {
			t.Errorf("%+v, %v: %v", test.at, test.r.kinds, got)
		}
	}
}

// TestGaveUp checks that a sanitizer that cannot start counts as no result, and that a report does not.
func TestGaveUp(t *testing.T) {
	for script, want := range map[string]bool{
		"echo '==1==Shadow memory range interleaves with an existing memory mapping. ASan cannot proceed correctly. " +
			"ABORTING.' >&2; exit 97": true,
		"exit 98": true,
		"exit 1":  false,
		"exit 0":  false,
		"echo 'unitproof: violation assertion' >&2; echo '    #0 0x4c6a2d  (/p/program+0xc6a2d)' >&2; exit 97": false,
		"kill -9 $$": false,
	} {
		if got := shell(t, time.Minute, script).gaveUp(); got != want {
			t.Errorf("%s: %v", script, got)
		}
	}
}

// TestRunsInTheSandbox checks that native runs have no network, no files of the user and no other processes.
func TestRunsInTheSandbox(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside")
	given := filepath.Join(t.TempDir(), "given")
	if err := os.WriteFile(given, []byte("given\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	x, err := run(context.Background(), time.Minute, nil, "/bin/sh", []string{"-c", "cat " + given + "; echo x > " +
		outside + "; kill -0 " + strconv.Itoa(os.Getppid()) + "; exit 5"}, nil, given)
	if err != nil || x.exit != 5 || x.stdout != "given\n" ||
		len(x.confined.Held)+len(x.confined.Missing) != len(sandbox.Guarantees) {
		t.Fatalf("%+v, %v", x, err)
	}
	if _, err := os.Stat(outside); slices.Contains(x.confined.Held, sandbox.Files) != (err != nil) {
		t.Errorf("%+v: %v", x.confined, err)
	}
}

// TestOutcomeSaysWhatIsNotHeld checks that an outcome lists the guarantees that the sandbox does not give.
func TestOutcomeSaysWhatIsNotHeld(t *testing.T) {
	o := Outcome{Result: Reproduced, What: "assertion"}
	o.Sandbox = &sandbox.Confinement{Held: sandbox.Guarantees}
	if got := o.Message(); got != "reproduced: assertion" {
		t.Error(got)
	}
	o.Sandbox = &sandbox.Confinement{Missing: []sandbox.Guarantee{sandbox.Files}, Why: "namespaces are forbidden"}
	if got := o.Message(); got != "reproduced: assertion; the sandbox does not hold files: namespaces are forbidden" {
		t.Error(got)
	}
}
