package randproof

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"

	"github.com/unitproof/unitproof/pipeline/targets"
)

// Editor makes random edits to texts of proofs, like a user: it changes a bound, an operator or a name, adds, removes
// or exchanges lines, and inserts comments. Most results of a program that compiles compile, too.
type Editor struct {
	r    *rand.Rand
	past []string
}

// NewEditor returns the editor of a seed.
func NewEditor(seed uint64) *Editor { return &Editor{r: rand.New(rand.NewPCG(seed, 2))} }

// Draft returns a random program as the engine's input, with random assertions, which may be violated.
func Draft(seed uint64) (text string, p *Program) {
	machine, _ := targets.Named(targets.Default)
	p = Generate(seed, machine)
	r := rand.New(rand.NewPCG(seed, 3))
	as := make([]assertion, p.Checks)
	for k := range as {
		switch low := int64(r.IntN(40) - 20); r.IntN(3) {
		case 0:
			as[k] = assertion{1, -1 << 62, low + 300}
		case 1:
			as[k] = assertion{1, low - 100, low + 100000}
		default:
			as[k] = assertion{2, low, 0}
		}
	}
	return p.proof(as), p
}

var (
	number   = regexp.MustCompile(`\b[0-9]+\b`)
	operator = regexp.MustCompile(` (<=|>=|==|!=|<|>|\+|-|\*|&|\||\^|&&|\|\|) `)
	named    = regexp.MustCompile(`\b(?:in|g|h|x|y|p|s|a|n|i)[0-9]+\b`)
	simple   = regexp.MustCompile(`^\s+[a-z*(][^{}]*;$`)
)

var exchanges = map[string][]string{"<": {"<=", "!="}, "<=": {"<", "!="}, ">": {">=", "!="}, ">=": {">"}, "==": {"!="},
	"!=": {"==", "<"},
	"+":  {"-"}, "-": {"+"}, "*": {"+"}, "&": {"|"}, "|": {"&"}, "^": {"|"}, "&&": {"||"}, "||": {"&&"}}

// Edit returns an edited text and a description of the edit. The first keep lines are left alone.
func (e *Editor) Edit(text string, keep int) (edited, what string) {
	if len(e.past) > 0 && e.r.IntN(8) == 0 {
		i := e.r.IntN(len(e.past))
		edited, e.past = e.past[i], append(e.past, text)
		return edited, fmt.Sprintf("back to %d edits ago", len(e.past)-1-i)
	}
	e.past = append(e.past, text)
	lines := strings.Split(text, "\n")
	for range 50 {
		k := keep + e.r.IntN(len(lines)-keep)
		if after, what := e.line(lines, k); what != "" {
			return strings.Join(after, "\n"), fmt.Sprintf("line %d: %s", k+1, what)
		}
	}
	return text + "\n", "a line at the end"
}

// line tries an edit of a line; what is "" if the edit does not apply.
func (e *Editor) line(lines []string, k int) (after []string, what string) {
	line := lines[k]
	with := func(text ...string) []string {
		return append(append(append([]string(nil), lines[:k]...), text...), lines[k+1:]...)
	}
	one := func(re *regexp.Regexp) (from, to int) {
		all := re.FindAllStringIndex(line, -1)
		if len(all) == 0 {
			return 0, 0
		}
		at := all[e.r.IntN(len(all))]
		return at[0], at[1]
	}
	switch e.r.IntN(11) {
	case 0, 1, 2:
		from, to := one(number)
		n, err := strconv.ParseInt(line[from:to], 10, 32)
		if err != nil {
			return nil, ""
		}
		n = []int64{n + 1, n + 1, max(n-1, 0), n + 7, 0, 1}[e.r.IntN(6)]
		return with(line[:from] + strconv.FormatInt(n, 10) + line[to:]), "another number"
	case 3, 4:
		from, to := one(operator)
		if others := exchanges[strings.TrimSpace(line[from:to])]; len(others) > 0 {
			return with(line[:from] + " " + others[e.r.IntN(len(others))] + " " + line[to:]), "another operator"
		}
	case 5:
		if simple.MatchString(line) && !strings.Contains(line, "return") {
			if e.r.IntN(2) == 0 && named.MatchString(line) && strings.Contains(line, "= ") {
				return nil, "" // perhaps a declaration
			}
			return with(), "taken out"
		}
	case 6:
		if k+1 < len(lines) && simple.MatchString(line) && simple.MatchString(lines[k+1]) {
			after := append([]string(nil), lines...)
			after[k], after[k+1] = after[k+1], after[k]
			return after, "exchanged with the next"
		}
	case 7:
		switch e.r.IntN(4) {
		case 0:
			return with("", line), "an empty line before it"
		case 1:
			return with("/* nothing */ " + line), "a comment in front"
		case 2:
			return with(line + " // nothing"), "a comment behind"
		default:
			return with(strings.Replace(line, " = ", "  =  ", 1)), "spaces"
		}
	case 8:
		if from, to := one(named); to > from {
			old := line[from:to]
			next := old + "r"
			if strings.Contains(strings.Join(lines, "\n"), next) {
				return nil, ""
			}
			re := regexp.MustCompile(`\b` + old + `([a-z_]*)\b`)
			return strings.Split(re.ReplaceAllString(strings.Join(lines, "\n"), next+"$1"), "\n"), "renames " + old
		}
	case 9, 10:
		if simple.MatchString(line) {
			if name := e.inputBefore(lines, k); name != "" {
				c := e.r.IntN(6)
				return with(line, "  "+[]string{
					fmt.Sprintf("assume(%s != %d);", name, c), fmt.Sprintf("assume(%s < %d);", name, c+1),
					fmt.Sprintf("sassert(%s != %d);", name, c),
					fmt.Sprintf("sassert(%s <= %d);", name, c), fmt.Sprintf("if (%s == %d) return 0;", name, c),
					fmt.Sprintf("assume(%s == %d && %s == %d);", name, c, name, e.r.IntN(3)),
				}[e.r.IntN(6)]), "a statement behind it"
			}
		}
	}
	return nil, ""
}

// inputBefore returns the name of an input of main that is declared before a line of its outermost block.
func (e *Editor) inputBefore(lines []string, k int) string {
	if !strings.HasPrefix(lines[k], "  ") || strings.HasPrefix(lines[k], "   ") {
		return ""
	}
	var names []string
	for i := k; i >= 0 && !strings.HasPrefix(lines[i], "int main"); i-- {
		if strings.HasPrefix(lines[i], "}") {
			return "" // a helper
		}
		if strings.Contains(lines[i], ")in(") || strings.Contains(lines[i], ")bits(") {
			if name := regexp.MustCompile(`\bin[0-9]+r*\b`).FindString(lines[i]); name != "" &&
				!strings.HasPrefix(lines[i], "   ") {
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 {
		return ""
	}
	return names[e.r.IntN(len(names))]
}
