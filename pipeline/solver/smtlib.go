package solver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/big"
	"os/exec"
	"strings"
	"time"

	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/smtlib"
)

// z3UnitsPerStep converts conflicts to Z3's resource limit, the only deterministic budget of SMT-LIB and of go-z3. A
// conflict costs some thousand units on typical formulas.
const z3UnitsPerStep = 4000

// process runs a command that reads an SMT-LIB 2.6 script on its standard input, once for each query.
type process struct {
	stateless
	command []string
}

func newProcess(c *smt.Context, command string) (smt.Solver, error) {
	words := strings.Fields(command)
	if len(words) == 0 {
		return nil, errors.New(`solver "smtlib:": no command; write for example smtlib:z3 -in`)
	}
	if _, err := exec.LookPath(words[0]); err != nil {
		return nil, fmt.Errorf("solver \"smtlib:%s\": %w", command, err)
	}
	s := &process{stateless{c: c}, words}
	s.ask = s.query
	return s, nil
}

func (s *process) query(ctx context.Context, assumptions []smt.Term, steps int64) (smt.Result, *smt.Model) {
	if ctx.Err() != nil {
		return smt.Stopped(ctx), nil
	}
	failed := func(format string, args ...any) (smt.Result, *smt.Model) {
		return smt.Result{Answer: smt.Failed, Reason: fmt.Sprintf(format, args...)}, nil
	}
	all := append(append([]smt.Term(nil), s.asserted...), assumptions...)
	var script bytes.Buffer
	script.WriteString("(set-option :produce-models true)\n")
	if steps > 0 {
		// In units of the solver; see z3UnitsPerStep.
		fmt.Fprintf(&script, "(set-option :reproducible-resource-limit %d)\n", min(steps, 1<<20)*z3UnitsPerStep)
	}
	if err := smtlib.Write(&script, s.c, all); err != nil {
		return failed("writing SMT-LIB: %v", err)
	}
	script.WriteString("(get-model)\n")
	cmd := exec.CommandContext(ctx, s.command[0], s.command[1:]...)
	cmd.WaitDelay = time.Second
	cmd.Stdin = &script
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	runErr := cmd.Run() // z3 exits with 1 if there is no model to print
	if ctx.Err() != nil {
		res := smt.Stopped(ctx)
		if res.Answer == smt.Timeout {
			res.Reason = s.command[0] + " gave no answer in the time that was left"
		}
		return res, nil
	}
	output := parseSexprs(out.String())
	for i, e := range output {
		switch e.atom {
		case "sat":
			m, err := s.readModel(all, output[i+1:])
			if err != nil {
				return failed("%s: %v", s.command[0], err)
			}
			return smt.Result{Answer: smt.Sat}, m
		case "unsat":
			return smt.Result{Answer: smt.Unsat}, nil
		case "unknown":
			if steps > 0 {
				return smt.Result{Answer: smt.StepLimit, Reason: "resource limit used up", Steps: steps}, nil
			}
			return failed("%s: unknown", s.command[0])
		}
		if len(e.list) == 2 && e.list[0].atom == "error" {
			return failed("%s: %s", s.command[0], e.list[1].atom)
		}
	}
	if runErr != nil {
		return failed("%s: %v: %s", s.command[0], runErr, strings.TrimSpace(problems.String()))
	}
	return failed("%s: no answer: %.200s", s.command[0], out.String())
}

// readModel parses the reply to get-model.
func (s *process) readModel(asserted []smt.Term, reply []sexpr) (*smt.Model, error) {
	var defs []sexpr
	for _, e := range reply {
		for _, d := range e.list {
			if len(d.list) == 5 && d.list[0].atom == "define-fun" {
				defs = append(defs, d)
			}
		}
	}
	byName := map[string]sexpr{}
	for _, d := range defs {
		byName[d.list[1].atom] = d
	}
	m := smt.NewModel()
	interp := interpreter{byName}
	for _, t := range s.c.Symbols(asserted...) {
		name := smtlib.Variable(s.c, t)
		d, ok := byName[name]
		if !ok {
			continue // not in the model: zero
		}
		v, err := interp.eval(d.list[4], nil)
		if err != nil {
			return nil, fmt.Errorf("value of %s: %w", name, err)
		}
		n := s.c.Width(t)
		if n == 0 {
			m.SetVar(t, smt.BoolValue(v.Sign() != 0))
		} else {
			m.SetVar(t, smt.BigValueOf(n, v))
		}
	}
	// Arguments may contain applications; in ascending order these come first.
	for _, t := range s.c.Cone(asserted...) {
		if s.c.Op(t) != smt.OpApply {
			continue
		}
		f := s.c.FuncOf(t)
		arg := s.c.NewEvaluator(m).Eval(s.c.Arg(t, 0))
		name := smtlib.Function(s.c, f)
		d, ok := byName[name]
		if !ok {
			continue
		}
		v, err := interp.eval(d.list[4], bind(d, []*big.Int{arg.Big()}))
		if err != nil {
			return nil, fmt.Errorf("function %s: %w", name, err)
		}
		m.SetFunc(f, arg, smt.BigValueOf(s.c.Width(t), v))
	}
	return m, nil
}

// sexpr is an atom or a list.
type sexpr struct {
	atom string
	list []sexpr
}

// parseSexprs parses all complete expressions; an incomplete last one is dropped. Quotes of symbols are removed.
func parseSexprs(s string) []sexpr {
	stack := [][]sexpr{nil}
	add := func(e sexpr) { stack[len(stack)-1] = append(stack[len(stack)-1], e) }
	for i := 0; i < len(s); {
		switch ch := s[i]; {
		case ch == ' ' || ch == '\n' || ch == '\t' || ch == '\r':
			i++
		case ch == ';':
			for i < len(s) && s[i] != '\n' {
				i++
			}
		case ch == '(':
			stack = append(stack, nil)
			i++
		case ch == ')':
			if len(stack) > 1 {
				top := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				add(sexpr{list: top})
			}
			i++
		case ch == '"' || ch == '|':
			j := strings.IndexByte(s[i+1:], ch)
			if j < 0 {
				return stack[0]
			}
			add(sexpr{atom: s[i+1 : i+1+j]})
			i += j + 2
		default:
			j := i
			for j < len(s) && !strings.ContainsRune(" \n\t\r();\"|", rune(s[j])) {
				j++
			}
			add(sexpr{atom: s[i:j]})
			i = j
		}
	}
	return stack[0]
}

// interpreter evaluates the bodies of definitions in solvers' models: literals, ite, =, and, or, not, let and calls of
// other definitions. Truth values are 0 and 1.
type interpreter struct{ defs map[string]sexpr }

func bind(def sexpr, args []*big.Int) map[string]*big.Int {
	env := map[string]*big.Int{}
	for i, p := range def.list[2].list {
		if i < len(args) && len(p.list) == 2 {
			env[p.list[0].atom] = args[i]
		}
	}
	return env
}

func truth(b bool) *big.Int { return new(big.Int).SetUint64(b2u(b)) }

func (in interpreter) eval(e sexpr, env map[string]*big.Int) (*big.Int, error) {
	if e.list == nil {
		a := e.atom
		if v, ok := env[a]; ok {
			return v, nil
		}
		switch {
		case a == "true" || a == "false":
			return truth(a == "true"), nil
		case strings.HasPrefix(a, "#x"):
			if v, ok := new(big.Int).SetString(a[2:], 16); ok {
				return v, nil
			}
		case strings.HasPrefix(a, "#b"):
			if v, ok := new(big.Int).SetString(a[2:], 2); ok {
				return v, nil
			}
		}
		if d, ok := in.defs[a]; ok && len(d.list[2].list) == 0 {
			return in.eval(d.list[4], nil)
		}
		return nil, fmt.Errorf("cannot read %q", a)
	}
	head := e.list[0].atom
	rest := e.list[1:]
	switch {
	case head == "_" && len(rest) == 2 && strings.HasPrefix(rest[0].atom, "bv"):
		if v, ok := new(big.Int).SetString(rest[0].atom[2:], 10); ok {
			return v, nil
		}
	case head == "ite" && len(rest) == 3:
		c, err := in.eval(rest[0], env)
		if err != nil {
			return nil, err
		}
		if c.Sign() != 0 {
			return in.eval(rest[1], env)
		}
		return in.eval(rest[2], env)
	case head == "let" && len(rest) == 2:
		inner := map[string]*big.Int{}
		for k, v := range env {
			inner[k] = v
		}
		for _, b := range rest[0].list {
			if len(b.list) != 2 {
				return nil, errors.New("malformed let")
			}
			v, err := in.eval(b.list[1], env)
			if err != nil {
				return nil, err
			}
			inner[b.list[0].atom] = v
		}
		return in.eval(rest[1], inner)
	}
	args := make([]*big.Int, len(rest))
	for i, a := range rest {
		v, err := in.eval(a, env)
		if err != nil {
			return nil, err
		}
		args[i] = v
	}
	switch {
	case head == "=" && len(args) == 2:
		return truth(args[0].Cmp(args[1]) == 0), nil
	case head == "not" && len(args) == 1:
		return truth(args[0].Sign() == 0), nil
	case head == "and" || head == "or":
		r := head == "and"
		for _, a := range args {
			if (a.Sign() != 0) != (head == "and") {
				r = head == "or"
			}
		}
		return truth(r), nil
	}
	if d, ok := in.defs[head]; ok {
		return in.eval(d.list[4], bind(d, args))
	}
	return nil, fmt.Errorf("cannot evaluate %q", head)
}
