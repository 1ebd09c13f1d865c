package contract

// ClauseText is a clause in a file as the user wrote it: text[Open:Close] is its condition or its list of targets.
type ClauseText struct {
	Word        string
	Start       int // of the word
	Open, Close int
}

// Requires reports whether the clause is a precondition.
func (c ClauseText) Requires() bool { return clauseNames[c.Word] == requires }

// Ensures reports whether the clause is a postcondition.
func (c ClauseText) Ensures() bool { return clauseNames[c.Word] == ensures }

// Assigns reports whether the clause is a frame.
func (c ClauseText) Assigns() bool { return clauseNames[c.Word] == assigns }

// Invariant reports whether the clause is a loop invariant.
func (c ClauseText) Invariant() bool { return clauseNames[c.Word] == invariant }

// FunctionText is a function with a contract, as offsets in the text. Body and End enclose its braces; Body is -1 for a
// declaration.
type FunctionText struct {
	Name             string
	Start, NameStart int
	Clauses          []ClauseText
	Body, End        int
}

// LoopText is a loop with a contract, as offsets in the text. Head and HeadEnd enclose the text in the parentheses of
// its head, Body and End its body.
type LoopText struct {
	Start, Head, HeadEnd int
	Clauses              []ClauseText
	Body, End            int
}

// Outline returns the functions and loops with contracts of a file before preprocessing. Clauses inside macros are not
// found. A text that cannot be read has none.
func Outline(text []byte) (functions []FunctionText, loops []LoopText) {
	r, err := newReader(readSource(text))
	if err != nil {
		return nil, nil
	}
	clauses := func(list []clause) (out []ClauseText) {
		for _, c := range list {
			out = append(out, ClauseText{Word: r.word(c.name), Start: r.tokens[c.name].Start, Open: r.tokens[c.open].End,
				Close: r.tokens[c.close].Start})
		}
		return out
	}
	for _, f := range r.functions {
		x := FunctionText{Name: r.word(f.name), Start: r.tokens[f.start].Start, NameStart: r.tokens[f.name].Start,
			Clauses: clauses(f.clauses), Body: -1}
		if f.body >= 0 {
			x.Body, x.End = r.tokens[f.body].Start, r.tokens[f.end].End
		}
		functions = append(functions, x)
	}
	for _, l := range r.loops {
		loops = append(loops, LoopText{Start: r.tokens[l.start].Start, Head: r.tokens[l.open].End,
			HeadEnd: r.tokens[l.shut].Start, Clauses: clauses(l.clauses), Body: r.tokens[l.body].Start,
			End: r.tokens[l.end].End})
	}
	return functions, loops
}
