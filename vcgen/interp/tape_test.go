package interp

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/unitproof/unitproof/vcgen/found"
)

// choosy uses every kind of choice.
const choosy = `#include <stdlib.h>
#include <string.h>
struct pair { int x; short y; };
extern int table[];
extern struct pair shared;
void log_msg(const char *text, void *to);
static int depth(int n) { return n <= 0 ? 0 : 1 + depth(n - 1); }
int proof(int argc, struct pair p) {
  int local;
  char *buf = malloc(32), *more = malloc(8);
  if (!buf || !more)
    return 1;
  memhavoc(buf, 20);
  unsigned sum = 0;
  for (unsigned i = 0; i < 20; i++)
    sum = sum * 31u + (unsigned char)buf[i];
  int k = nd_int();
  log_msg("hi", more);
  if (more[3] == 5 || local == 7 || argc == 3 || p.y == 1)
    sum++;
  sum += (unsigned)depth(nd_uint8_t() % 10u) + (unsigned)shared.x;
  if (sizeof(void *) == 8 && (unsigned long)buf % 3 == 1)
    sum += 2;
  free(more);
  sassert(sum % 3u != 1u || k < 5);
  return (int)sum;
}`

func checksOn() map[found.Kind]bool {
	return map[found.Kind]bool{found.Assertion: true, found.NullDereference: true, found.OutOfBoundsRead: true, found.OutOfBoundsWrite: true,
		found.UseAfterFree: true, found.UseAfterScope: true, found.InvalidPointer: true, found.SignedOverflow: true, found.ArrayBounds: true}
}

func outcomeText(o *Outcome) string {
	s := fmt.Sprintf("%s %s %d\n", o.End, o.Reason, o.Executed)
	if o.Violation != nil {
		s += fmt.Sprintf("%s %s %v\n", o.Violation.Kind, o.Violation.Message, o.Violation.Vars)
	}
	for _, in := range o.Inputs {
		s += fmt.Sprintf("%s %s %s = %s (%s)\n", in.Kind, in.Function, in.Variable, in.Value, in.Bytes)
	}
	return s + traceText(o)
}

// A tape gives the same execution as the inputs that it was made from.
func TestTape(t *testing.T) {
	m := compileText(t, choosy)
	ends := map[string]bool{}
	for seed := range uint64(60) {
		opts := Options{Checks: checksOn(), MallocMayFail: true, MissingBody: "havoc", Trace: true}
		tape := NewTape(NewRandomInputs(seed))
		want := Run(context.Background(), m, "proof", tape, opts)
		ends[want.End] = true
		bytes := tape.Bytes()
		p, err := PlayTape(bytes)
		if err != nil {
			t.Fatal(err)
		}
		again := NewTape(p)
		got := Run(context.Background(), m, "proof", again, opts)
		if outcomeText(got) != outcomeText(want) {
			t.Fatalf("seed %d: the tape gives\n%s\ninstead of\n%s", seed, outcomeText(got), outcomeText(want))
		}
		if !slices.Equal(again.Bytes(), bytes) {
			t.Errorf("seed %d: the tape of a tape differs", seed)
		}
		for cut := 0; cut < len(bytes); cut += 1 + len(bytes)/10 {
			_, _ = PlayTape(bytes[:cut]) // must not panic
		}
	}
	if !ends[EndViolation] || !ends[EndReturn] {
		t.Errorf("the program does not exercise both ends: %v", ends)
	}
}

func TestTapeIsChecked(t *testing.T) {
	for _, b := range [][]byte{nil, {9}, {tapeVersion, 0x80}, {tapeVersion, 0, 0, 200, 1}, {tapeVersion, 1, 255, 255, 255, 255, 255, 255, 1, 4, 250, 250, 250, 250}} {
		if _, err := PlayTape(b); err == nil {
			t.Errorf("%v is taken for a tape", b)
		}
	}
}
