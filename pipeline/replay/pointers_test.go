package replay

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// TestOpaquePointers checks that added instructions have the module's form of pointers.
func TestOpaquePointers(t *testing.T) {
	const text = `%struct.pair = type { i32, ptr }
@elsewhere = external global [0 x i32]
@named = global ptr null
define i32 @entry(ptr %p, ptr byval(%struct.pair) align 8 %q) #0 {
  %x = alloca %struct.pair, align 8
  call void @llvm.lifetime.start.p0(i64 16, ptr %x)
  %h = load ptr, ptr %p
  %r = call i32 %h(i32 1)
  %f = call { i16, [2 x ptr] } @parts(ptr @elsewhere)
  call void asm "x", "=*m"(ptr elementtype(i64) %p)
  ret i32 %r
}
declare { i16, [2 x ptr] } @parts(ptr)
declare void @llvm.lifetime.start.p0(i64, ptr)
attributes #0 = { nounwind memory(argmem: read) uwtable }
`
	m, err := clangir.Read([]byte(text), llvmir.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got := instrument([]byte(text), m, "entry", nil, nil, sanitizer{reads: true}, "", vcgen.Options{})
	if got.impossible != "" {
		t.Fatal(got.impossible)
	}
	out := string(got.text)
	for _, part := range []string{"*", "memory(", "%.0s", "%!"} {
		if strings.Contains(strings.ReplaceAll(out, `"=*m"`, ""), part) {
			t.Errorf("%q stands in\n%s", part, out)
		}
	}
	if _, err := clangir.Read(got.text, llvmir.ReadOptions{}); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	for _, line := range []string{"call void @unitproof_local(i32 1, ptr %up.1, i64 16)", "bitcast ptr %h to ptr",
		"declare void @unitproof_range(ptr, ptr, i64)", "getelementptr { i16, [2 x ptr] }, ptr %up.r, i32 0, i32 1, i32 1"} {
		if !strings.Contains(out, line) {
			t.Errorf("%q does not stand in\n%s", line, out)
		}
	}
}

// TestLifetimesAreOfVariables checks that added lifetime markers name the alloca itself; LLVM 22 and later refuse a
// copy of its address.
func TestLifetimesAreOfVariables(t *testing.T) {
	cmd := exec.Command("clang-19", "-S", "-emit-llvm", "-g", "-O1", "-Xclang", "-disable-llvm-passes",
		"-fno-discard-value-names", "-I../clang", "-o", "-", "../../testdata/proofs/jumps_past_declarations.c")
	text, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	m, err := clangir.Read(text, llvmir.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got := instrument(text, m, "proof_back_to_a_label", nil, nil, sanitizer{reads: true}, "", vcgen.Options{})
	if got.impossible != "" {
		t.Fatal(got.impossible)
	}
	const marker = "call void @llvm.lifetime."
	if before, after := strings.Count(string(text), marker), strings.Count(string(got.text), marker); after <= before {
		t.Errorf("%d markers, %d before", after, before)
	}
	for line := range strings.Lines(string(got.text)) {
		if strings.Contains(line, marker) && strings.Contains(line, "%up.") {
			t.Error(line)
		}
	}
}
