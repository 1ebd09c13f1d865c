package clang

import (
	"fmt"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/found"
)

// TestWideIndices checks that constant indices which do not fit into an address of the target are assumptions.
func TestWideIndices(t *testing.T) {
	dir := files(t, "p.c", `char a[4];
int f(char *p) { return p[1LL << 32]; }
int g(void) { return a[1LL << 32]; }
char *h(char *p) { return p + (1LL << 33); }
int k(char *p) { return p[0x12345678] + p[3LL] + a[-1]; }
int main(void) { return 0; }
`)
	for target, want := range map[string]string{
		"":                     "",
		"--target=i386-linux":  "2:4294967296/32 3:4294967296/32 4:8589934592/32",
		"--target=msp430-none": "2:4294967296/16 3:4294967296/16 4:8589934592/16 5:305419896/16",
	} {
		var got []string
		for _, a := range build(t, Request{Entry: "main", EntryUnit: unit(dir, "p.c", target)}).Assumptions {
			if a.What == found.CutIndex {
				got = append(got, fmt.Sprintf("%d:%s/%d", a.At.Line, a.Name, a.Count))
			}
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%q: assumptions %s, want %s", target, s, want)
		}
	}
}
