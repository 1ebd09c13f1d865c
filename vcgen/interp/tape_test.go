package interp_test

import (
	"context"
	"slices"
	"testing"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp"
	"github.com/unitproof/unitproof/vcgen/interp/interptest"
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

// TestTape checks that a tape gives the same execution as the inputs that it was recorded from.
func TestTape(t *testing.T) {
	m := interptest.CompileText(t, choosy)
	ends := map[string]bool{}
	for seed := range uint64(60) {
		opts := interp.Options{
			Semantics: found.Semantics{Checks: interptest.ChecksOn(), MallocMayFail: true, MissingBody: "havoc"},
			Trace:     true}
		tape := &choice.List{}
		want := interp.Run(context.Background(), m, "proof", tape.Record(interptest.Random(seed)), opts)
		ends[want.End] = true
		bytes := tape.Encode()
		p, err := choice.Decode(bytes)
		if err != nil {
			t.Fatal(err)
		}
		again := &choice.List{}
		got := interp.Run(context.Background(), m, "proof", again.Record(p.Cursor().Choose), opts)
		if interptest.OutcomeText(got) != interptest.OutcomeText(want) {
			t.Fatalf("seed %d: the tape gives\n%s\ninstead of\n%s", seed, interptest.OutcomeText(got),
				interptest.OutcomeText(want))
		}
		if !slices.Equal(again.Encode(), bytes) {
			t.Errorf("seed %d: the tape of a tape differs", seed)
		}
		for cut := 0; cut < len(bytes); cut += 1 + len(bytes)/10 {
			_, _ = choice.Decode(bytes[:cut]) // must not panic
		}
	}
	if !ends[interp.EndViolation] || !ends[interp.EndReturn] {
		t.Errorf("the program does not exercise both ends: %v", ends)
	}
}
