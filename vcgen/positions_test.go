package vcgen

import (
	"context"
	"testing"

	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/clangtest"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/seair"
)

// TestPositionsInMemoryAreConstant checks a lexer whose position keeps states separate across calls. Each read of the
// text is at a constant index, and needs no query.
func TestPositionsInMemoryAreConstant(t *testing.T) {
	m, err := clangir.Read([]byte(clangtest.Compile(t, `
typedef unsigned long size_t;
void memhavoc(void *, size_t);
void sassert(_Bool);
struct lexer { const char *text; size_t pos, len; };
static void skip(struct lexer *lx) { while (lx->pos < lx->len && lx->text[lx->pos] == ' ') lx->pos++; }
static _Bool next(struct lexer *lx) {
  skip(lx);
  if (lx->pos == lx->len) return 0;
  if (lx->text[lx->pos] < 'a') { lx->pos++; return 1; }
  while (lx->pos < lx->len && lx->text[lx->pos] >= 'a') lx->pos++;
  return 1;
}
int main(void) {
  char text[5];
  memhavoc(text, sizeof text);
  struct lexer lx = {text, 0, sizeof text};
  while (next(&lx)) sassert(lx.pos > 0);
}`)), llvmir.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, off := range []bool{false, true} {
		opts := Options{
			Semantics: found.Semantics{Checks: found.DefaultChecks(), UserFile: func(string) bool { return true }},
			Disable:   map[Mechanism]bool{Cursors: off}}
		e, err := generate(context.Background(), m, "main", opts, realSolver, extent{loops: language.LoopsChecked})
		if err != nil {
			t.Fatal(err)
		}
		reads := 0
		for i := range e.log.Events {
			ev := &e.log.Events[i]
			if ev.Kind == seair.Obligation && ev.Check == found.OutOfBoundsRead && !e.c.IsTrue(ev.Cond) {
				reads++
			}
		}
		e.standing.Close()
		if open := reads > 0; open != off {
			t.Errorf("cursors off: %v: %d reads are not seen to be inside of the text", off, reads)
		}
	}
}
