package kit

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"text/scanner"
)

// evaluate computes an expression of FreeRTOS's JSON files. They are a small part of Python: integers, + - * / (which
// rounds down), comparisons, min and max of two, and `a if c else b`.
func evaluate(text string) (int64, error) {
	e := &evaluation{}
	e.scan.Init(strings.NewReader(text))
	e.scan.Mode = scanner.ScanIdents | scanner.ScanInts
	e.scan.Error = func(*scanner.Scanner, string) {} // errors appear as tokens
	e.next()
	v := e.choice()
	if e.err == nil && e.token != scanner.EOF {
		e.fail()
	}
	if e.err != nil {
		return 0, fmt.Errorf("%s: %w", strings.TrimSpace(text), e.err)
	}
	return v, nil
}

type evaluation struct {
	scan  scanner.Scanner
	token rune
	depth int
	err   error
}

func (e *evaluation) next() { e.token = e.scan.Scan() }

func (e *evaluation) fail() {
	if e.err == nil {
		e.err = fmt.Errorf("%q is not expected here", e.scan.TokenText())
	}
}

// take skips a required token.
func (e *evaluation) take(text string) {
	if e.scan.TokenText() != text {
		e.fail()
	}
	e.next()
}

func (e *evaluation) choice() int64 {
	if e.depth++; e.depth > 100 {
		e.err = errors.New("nested too deep")
	}
	defer func() { e.depth-- }()
	if e.err != nil {
		return 0
	}
	v := e.comparison()
	if e.err != nil || e.scan.TokenText() != "if" {
		return v
	}
	e.next()
	condition := e.comparison()
	e.take("else")
	if other := e.choice(); condition == 0 {
		return other
	}
	return v
}

func (e *evaluation) comparison() int64 {
	a := e.sum()
	op := ""
	for strings.ContainsRune("<>=!", e.token) {
		op += string(e.token)
		e.next()
	}
	if op == "" {
		return a
	}
	b := e.sum()
	holds, known := map[string]bool{"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b, "==": a == b, "!=": a != b}[op]
	if !known {
		e.err = fmt.Errorf("the operator %s is not known", op)
	}
	if holds {
		return 1
	}
	return 0
}

func (e *evaluation) sum() int64 {
	v := e.product()
	for e.token == '+' || e.token == '-' {
		op := e.token
		e.next()
		if w := e.product(); op == '+' {
			v += w
		} else {
			v -= w
		}
	}
	return v
}

func (e *evaluation) product() int64 {
	v := e.value()
	for e.token == '*' || e.token == '/' {
		op := e.token
		e.next()
		if op == '/' && e.token == '/' { // // means the same as /
			e.next()
		}
		w := e.value()
		switch {
		case op == '*':
			v *= w
		case w == 0:
			e.err = errors.New("division by zero")
			return 0
		default:
			v = int64(math.Floor(float64(v) / float64(w)))
		}
	}
	return v
}

func (e *evaluation) value() int64 {
	text := e.scan.TokenText()
	switch {
	case e.token == scanner.Int:
		e.next()
		v, err := strconv.ParseInt(text, 10, 32)
		if err != nil {
			e.err = err
		}
		return v
	case e.token == '(':
		e.next()
		v := e.choice()
		e.take(")")
		return v
	case text == "min" || text == "max":
		e.next()
		e.take("(")
		a := e.choice()
		e.take(",")
		b := e.choice()
		e.take(")")
		if text == "min" {
			return min(a, b)
		}
		return max(a, b)
	}
	e.fail()
	return 0
}
