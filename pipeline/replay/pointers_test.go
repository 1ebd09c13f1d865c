package replay

import (
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// What is put into a module has its pointers as the module has them.
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
	got := instrument([]byte(text), m, "entry", nil, sanitizer{reads: true}, vcgen.Options{})
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
