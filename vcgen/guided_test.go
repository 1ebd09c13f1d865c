package vcgen

import (
	"context"
	"testing"

	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/clangtest"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/fuzz"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// TestGuidedExecutions checks that mutations of executions that made progress find a long text with certain first and
// last bytes. Random inputs do not.
func TestGuidedExecutions(t *testing.T) {
	const source = `
void memhavoc(void *p, unsigned long n);
static int skip(const char *s) {
  if (*s++ != '"')
    return 0;
  for (; *s != '"'; s++) {
    if (*s == 0)
      return 0;
    if (*s == '\\')
      s++;
  }
  return 1;
}
static int space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f'; }
static int mark(char c) { return c == '{' || c == '}' || c == '[' || c == ']' || c == ':' || c == ',' || c == '/'; }
int main(void) {
  char text[65];
  const char *s = text;
  memhavoc(text, 64);
  text[64] = 0;
  while (space(*s))
    s++;
  if (mark(*s) || *s == 't' || *s == 'f' || *s == 'n' || *s == '-')
    return 1;
  return skip(s);
}`
	m, err := clangir.Read([]byte(clangtest.Compile(t, source)), llvmir.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	reported := 0
	opts := Options{
		Semantics: found.Semantics{Checks: found.DefaultChecks(), UserFile: func(string) bool { return true }}}
	for _, guided := range []bool{false, true} {
		d := newDeepening(context.Background(), m, "main", opts, nil, language.LoopsPlain)
		x := fuzz.New(m.Module, "main")
		if guided {
			x.Guide()
		}
		d.explore(d.ctx, x, 4_000_000, longestExecution, 1<<30)
		if got := len(d.executed) > 0; got != guided {
			t.Errorf("guided %t: a violation was found: %t", guided, got)
		}
	}
	opts.Found = func(Instance) { reported++ }
	if r := Execute(context.Background(), m, "main", opts, 4_000_000); len(r.Instances) == 0 || reported == 0 {
		t.Errorf("only executed: %d violations, %d reported", len(r.Instances), reported)
	}
}
