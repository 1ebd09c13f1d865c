package clang

import (
	"fmt"
	"slices"
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
int l(char *p) { return p[-(1LL << 32)] + *(p - (1LL << 33)) + p[-1LL]; }
#define AT(p, i) p[(i) + 1]
enum { SMALL = 3, LARGE = 1LL << 40, NEXT };
static const long long constant = -(1LL << 34);
char *m(char *p) { p += AT(&p, 4294967295u + 0ll) - p; p -= LARGE; p += SMALL; return NEXT + p; }
int n(char *p, long long i) { return p[i] + p[i - (1LL << 32)] + p[constant] + p[sizeof(char) == 1 ? 1LL << 35 : i]; }
int o(char *p, long long i) { return p[(i, -1LL << 36)] + p[i = ~(1LL << 37)] + (0x500000000)[p] + p[sizeof i - 1]; }
int main(void) { return 0; }
`)
	for target, want := range map[string]string{
		"": "",
		"--target=i386-linux": "2:4294967296/32 3:4294967296/32 4:8589934592/32 6:-4294967296/32 6:-8589934592/32 " +
			"10:4294967296/32 10:-1099511627776/32 10:1099511627777/32 11:-17179869184/32 11:34359738368/32 " +
			"12:-68719476736/32 12:-137438953473/32 12:21474836480/32",
		"--target=msp430-none": "2:4294967296/16 3:4294967296/16 4:8589934592/16 5:305419896/16 6:-4294967296/16 " +
			"6:-8589934592/16 10:4294967296/16 10:-1099511627776/16 10:1099511627777/16 11:-17179869184/16 " +
			"11:34359738368/16 12:-68719476736/16 12:-137438953473/16 12:21474836480/16",
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

// TestWideIndicesUnread checks that a file whose syntax tree is incomplete has the assumption without a number.
func TestWideIndicesUnread(t *testing.T) {
	dir := files(t, "p.c", "#ifdef __UNITPROOF__\n#define ONE 1LL\n#endif\nint f(char *p) { return p[-(ONE << 32)]; }\n"+
		"int main(void) { return 0; }\n")
	request := Request{Entry: "main", EntryUnit: unit(dir, "p.c", "--target=i386-linux")}
	if !slices.ContainsFunc(build(t, request).Assumptions, func(a found.Assumption) bool {
		return a.What == found.CutIndex && a.Name == "of type long long"
	}) {
		t.Error("nothing is said about its indices")
	}
}

// TestTreeWithoutOperands checks that an expression without its operands, which clang does not print, is a constant of
// an unknown value.
func TestTreeWithoutOperands(t *testing.T) {
	for class, n := range operands {
		for have := range n {
			incomplete := &node{class: class, rest: "'+'"}
			for range have {
				incomplete.children = append(incomplete.children, &node{class: "IntegerLiteral", rest: "1"})
			}
			if v := (&constants{bits: 64}).value(incomplete); !v.fixed || v.n != nil {
				t.Errorf("%s with %d operands: %+v", class, have, v)
			}
		}
	}
}
