package found

import "maps"

// Taken is whether any execution does something.
type Taken string

// Answers. TakenBy: the solver or the interpreter has an execution that does. NeverTaken: no execution does.
const (
	TakenBy    Taken = "taken"
	NeverTaken Taken = "never"
	MaybeTaken Taken = "unknown"
)

// Coverage maps files to their lines of code, and each line to whether any execution reaches it. The answers are those
// of the solver, as the verdicts are: which models it happened to find does not count. A line without an answer is
// MaybeTaken, and neither covered nor missed.
type Coverage map[string]map[int]Taken

// Unite returns the coverage of two programs together: a line is missed if both miss it.
func (c Coverage) Unite(other Coverage) Coverage { return c.join(other, Taken.Or) }

// Renamed returns the coverage with other names of the files.
func (c Coverage) Renamed(name func(file string) string) Coverage {
	out := Coverage{}
	for file, lines := range c {
		out = out.Unite(Coverage{name(file): lines})
	}
	return out
}

// Join returns what two runs of one program know together.
func (c Coverage) Join(other Coverage) Coverage { return c.join(other, Taken.settled) }

// join joins two coverages by a rule for lines that both have. It changes neither of them.
func (c Coverage) join(other Coverage, both func(Taken, Taken) Taken) Coverage {
	if other == nil {
		return c
	}
	out := Coverage{}
	for file, lines := range c {
		out[file] = maps.Clone(lines)
	}
	for file, lines := range other {
		if out[file] == nil {
			out[file] = map[int]Taken{}
		}
		for line, t := range lines {
			if had, known := out[file][line]; known {
				t = both(had, t)
			}
			out[file][line] = t
		}
	}
	return out
}

// Or returns whether an execution of either of two programs does something.
func (t Taken) Or(u Taken) Taken {
	switch {
	case t == u:
		return t
	case t == TakenBy || u == TakenBy:
		return TakenBy
	}
	return MaybeTaken
}

// settled returns what two runs of one program know together: each of them is right where it has an answer.
func (t Taken) settled(u Taken) Taken {
	if t == TakenBy || u == MaybeTaken {
		return t
	}
	return u
}
