package recording

import (
	"context"
	"slices"
	"testing"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp"
	"github.com/unitproof/unitproof/vcgen/interp/interptest"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// TestStream checks the frames, lines and accesses in a stream.
func TestStream(t *testing.T) {
	m := interptest.CompileText(t, `
static int twice(int x) {
  int y = x;
  return y + y;
}
int main(void) {
  int a[3];
  for (int i = 0; i < 3; i++)
    a[i] = twice(i);
  sassert(a[2] != 4);
  return 0;
}`)
	tape := &choice.List{}
	interp.Run(context.Background(), m, "main", tape.Record(choice.Zero), interp.Options{
		Semantics: found.Semantics{Checks: interptest.ChecksOn()}})
	p, _ := choice.Decode(tape.Encode())
	h, err := Of(context.Background(), m, "main", p, interp.Options{
		Semantics: found.Semantics{Checks: interptest.ChecksOn()}})
	if err != nil {
		t.Fatal(err)
	}
	out := h.Outcome
	if out.End != interp.EndViolation {
		t.Fatalf("%s %s", out.End, out.Reason)
	}
	s := h.Stream
	if s.Len() != out.Executed {
		t.Fatalf("%d moments, %d instructions", s.Len(), out.Executed)
	}
	var lines []int
	for at := range s.Len() {
		if s.Starts(at) {
			lines = append(lines, s.Instr(at).Loc.Line)
		}
	}
	want := []int{8, 9, 3, 4, 8, 9, 3, 4, 8, 9, 3, 4, 8, 10}
	if !slices.Equal(lines, want) {
		t.Errorf("lines %v, want %v", lines, want)
	}
	calls := 0
	for i := range s.Frames() {
		if f := s.FrameRecord(i); f.Func.SourceName == "twice" {
			calls++
			if f.Parent != 0 || f.Depth != 1 || f.Left <= f.Entered || s.Instr(f.Start).Loc.Line != 3 || s.Frame(f.Left) != 0 ||
				s.Frame(f.Left-1) != i {
				t.Errorf("frame %d: %+v", i, f)
			}
		}
	}
	if calls != 3 || s.FrameRecord(0).Left != -1 {
		t.Errorf("%d calls, main left at %d", calls, s.FrameRecord(0).Left)
	}
	// The violation loads a[2]; the last write to it is the store of the third iteration.
	var last Access
	for at := range s.Len() {
		for a := range s.Accesses(at) {
			if s.Instr(at).Op == llvmir.OpLoad && !a.Write && a.N == 4 && a.Off == 8 {
				last = a
			}
		}
	}
	w, ok := s.LastWrite(last.Object, 8, 4, s.Len())
	if !ok || s.Instr(w.At).Loc.Line != 9 || w.At >= last.At {
		t.Errorf("the last write of a[2] is %+v, %v", w, ok)
	}
	if _, ok := s.LastWrite(last.Object, 8, 4, w.At); ok {
		t.Error("a[2] is written twice")
	}
	if next, ok := s.NextWrite(last.Object, 8, 4, 0); !ok || next != w {
		t.Errorf("the first write of a[2] is %+v, %v", next, ok)
	}
}
