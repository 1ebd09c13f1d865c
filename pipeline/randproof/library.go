package randproof

import (
	"fmt"
	"slices"
)

// Functions of the C library that have models in unitproof, compared with glibc's.

var libraryFeatures = []feature{
	{"numbers read", 1, false, (*generator).numbersRead},
	{"characters", 1, false, (*generator).characters},
	{"text", 2, false, (*generator).text},
	{"division functions", 1, false, (*generator).divisionFunctions},
}

const libraryDeclarations = `#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <strings.h>
void *memrchr(const void *, int, size_t); void *memmem(const void *, size_t, const void *, size_t); char *strchrnul(const char *, int); void *mempcpy(void *, const void *, size_t);
`

// letter returns a character of a string, chosen by an input.
func (g *generator) letter(of string) string {
	n := 1
	for n*2 <= len(of) && n < 8 {
		n *= 2
	}
	at := g.n(len(of) - n + 1)
	return fmt.Sprintf("\"%s\"[%s]", of[at:at+n], g.masked(1, n-1))
}

func (g *generator) numbersRead(int) {
	g.use(libraryDeclarations)
	s := g.fresh("s")
	g.line("char %s[] = \"%s\", *%se = NULL; %s[%s] = %s; errno = 0;", s,
		g.pick(" 12x", "-7", "+0x1f", "0b1", "9223372036854775807", "99999999999", "077", "0x", "", "-0", "z9", "\\t\\n3 4",
			"-", "4294967296", "18446744073709551616"), s, s, g.pick("0", "0", g.masked(1, 1)), g.letter("-+019 xaAzZ7fF 8"))
	base := g.pick("10", "0", "16", "8", "36", "2", g.masked(1, 15), "1", "37")
	end := g.pick("&"+s+"e", "&"+s+"e", "NULL")
	if g.long == 4 && !slices.Contains([]string{"10", "0", "16", "8", "36", "2"}, base) {
		end = "NULL" // with a base that does not exist, AddressSanitizer for 32 bits stores an uninitialized pointer
	}
	g.line("%s %sr = %s;", "int64_t", s, g.pick(fmt.Sprintf("strtol(%s, %s, %s)", s, end, base),
		fmt.Sprintf("(int64_t)strtoul(%s, %s, %s)", s, end, base), fmt.Sprintf("strtoll(%s, %s, %s)", s, end, base),
		fmt.Sprintf("strtoimax(%s, %s, %s)", s, end, base), fmt.Sprintf("(int64_t)strtoull(%s, %s, %s)", s, end, base)))
	g.checkOf(s + "r")
	g.checkOf(fmt.Sprintf("%se ? %se - %s : -1", s, s, s))
	g.checkOf("errno == ERANGE")
	if g.chance(40) {
		g.line("char %sa[4] = {%s, %s, '5'};", s, g.letter(" -+0192x"), g.letter(" -+01935"))
		g.checkOf(fmt.Sprintf("%s(%sa)", g.pick("atoi", "atol", "atoll"), s))
	}
}

func (g *generator) characters(int) {
	g.use(libraryDeclarations)
	c := g.fresh("c")
	g.line("int %s = %s;", c, g.pick(fmt.Sprintf("%s + %s", g.pick("'A'", "'z' - 3", "'0' - 2", "'9' - 1", "' ' - 2",
		"120", "-1", "8", "250", "'F' - 1", "'g' - 1"), g.masked(1, 7)), "(unsigned char)"+g.expr(1)))
	for range 1 + g.n(3) {
		g.checkOf(fmt.Sprintf("%s(%s)", g.pick("!!isalpha", "!!isdigit", "!!isalnum", "!!isspace", "!!isupper", "!!islower",
			"!!isxdigit", "!!ispunct", "!!isprint", "!!isgraph", "!!iscntrl", "!!isblank", "tolower", "toupper"), c))
	}
}

func (g *generator) text(int) {
	g.use(libraryDeclarations)
	s := g.fresh("s")
	g.line("char %s[8] = \"%s\", %st[8] = \"%s\", *%sp = NULL; size_t %sn = %s;", s,
		g.pick("a,b", "abab", ",,a", "", "aAb", "ba,"), s, g.pick("ab", "b", "", "ABA", "a,"), s, s, g.masked(1, 3))
	for range 1 + g.n(2) {
		g.line("%s[%s] = %s;", g.pick(s, s, s+"t"), g.masked(1, 3), g.letter("a,bAB,a"))
	}
	if g.chance(30) {
		g.line("%s[%s] = 0;", s, g.masked(1, 3))
	}
	where := func(call string) { // a place in the text, or none
		g.line("%sp = %s;", s, call)
		g.checkOf(fmt.Sprintf("%sp ? %sp - %s : -1", s, s, s))
	}
	sign := func(call string) { g.checkOf(fmt.Sprintf("(%s > 0) - (%s < 0)", call, call)) }
	for range 1 + g.n(3) {
		switch g.n(16) {
		case 0:
			g.line("%sp = strtok(%s, \",\"); if (%sp) %sp = strtok(NULL, %s);", s, s, s, s, g.pick("\",\"", "\"b\"", "\",b\""))
			g.checkOf(fmt.Sprintf("%sp ? %sp - %s : -1", s, s, s))
		case 1:
			g.line("%sp = %s; char *%sq%d = strsep(&%sp, %s);", s, s, s, g.names, s, g.pick("\",\"", "\"b,\"", s+"t"))
			g.checkOf(fmt.Sprintf("(%sp ? %sp - %s : -1) * 16 + (%sq%d ? (int)strlen(%sq%d) : -1)", s, s, s, s, g.names, s,
				g.names))
			g.names++
		case 2:
			sign(fmt.Sprintf("strcasecmp(%s, %st)", s, s))
		case 3:
			sign(fmt.Sprintf("strncasecmp(%s, %st, %sn)", s, s, s))
		case 4:
			where(fmt.Sprintf("strpbrk(%s, %s)", s, g.pick("\"bB\"", s+"t", "\"\"")))
		case 5:
			where(fmt.Sprintf("strstr(%s, %st)", s, s))
		case 6:
			where(fmt.Sprintf("memrchr(%s, %s, %sn)", s, g.letter("a,b"), s))
		case 7:
			where(fmt.Sprintf("memmem(%s, 6, %st, %sn)", s, s, s))
		case 8:
			where(fmt.Sprintf("strchrnul(%s, %s)", s, g.letter("a,bA")))
		case 9:
			g.checkOf(fmt.Sprintf("%s(%s, %s)", g.pick("strspn", "strcspn"), s, g.pick("\"ab\"", "\",A\"", s+"t")))
		case 10:
			g.line("%sp = %s; assume(%sp != NULL);", s, g.pick(fmt.Sprintf("strdup(%s)", s),
				fmt.Sprintf("strndup(%s, %sn)", s, s)), s)
			g.checkOf(fmt.Sprintf("strlen(%sp)", s))
			g.checkOf(fmt.Sprintf("%sp[%s]", s, g.pick("0", "1", g.masked(1, 1)))) // may be beyond its end
			g.line("free(%sp);", s)
		case 11:
			g.line("char %sd%d[12] = \"xyzxyzxyzxy\"; %sp = %s;", s, g.names, s,
				g.pick(fmt.Sprintf("stpcpy(%sd%d, %s)", s, g.names, s), fmt.Sprintf("stpncpy(%sd%d, %s, %sn)", s, g.names, s, s),
					fmt.Sprintf("memccpy(%sd%d, %s, ',', %sn)", s, g.names, s, s),
					fmt.Sprintf("mempcpy(%sd%d, %s, %sn)", s, g.names, s, s),
					fmt.Sprintf("strncpy(%sd%d, %s, %sn)", s, g.names, s, s)))
			g.checkOf(fmt.Sprintf("(%sp ? %sp - %sd%d : -1) * 256 + %sd%d[%s]", s, s, s, g.names, s, g.names, g.masked(1, 3)))
			g.names++
		case 12:
			g.line("strncat(%st, %s, %s);", s, s, g.pick("2", s+"n"))
			g.checkOf(fmt.Sprintf("strlen(%st) * 8 + %st[2]", s, s))
		case 13:
			g.line("bzero(%s + %s, %s);", s, g.masked(1, 3), g.pick("1", s+"n", "0"))
			g.checkOf(fmt.Sprintf("strnlen(%s, %sn)", s, s))
		case 14:
			sign(fmt.Sprintf("strncmp(%s, %st, %sn)", s, s, s))
		case 15:
			g.line("strcat(%st, %s);", s, g.pick("\"x\"", s)) // may not fit
			g.checkOf(fmt.Sprintf("%st[%s]", s, g.masked(1, 7)))
		}
	}
}

func (g *generator) divisionFunctions(int) {
	d := g.fresh("d")
	t := []struct{ result, f string }{{"div_t", "div"}, {"ldiv_t", "ldiv"}, {"lldiv_t", "lldiv"}}[g.n(3)]
	g.line("%s %s = %s((int8_t)(%s), %s);", t.result, d, t.f, g.expr(1), g.pick("3", "-2", "(int8_t)"+g.small(1)+" | 1",
		"-7"))
	g.checkOf(fmt.Sprintf("%s.quot * 100 + %s.rem", d, d))
	g.checkOf(fmt.Sprintf("%s((short)(%s))", g.pick("abs", "labs", "llabs"), g.expr(1)))
}
