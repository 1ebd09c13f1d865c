package found

import "maps"

// Taken is the answer to the question whether any execution reaches a place.
type Taken string

// Answers. TakenBy: the solver or the interpreter found such an execution. NeverTaken: there is none.
const (
	TakenBy    Taken = "taken"
	NeverTaken Taken = "never"
	MaybeTaken Taken = "unknown"
)

// Coverage maps files to their lines of code, and each line to whether any execution reaches it.
//
// The answers come from the solver, like verdicts, and do not depend on which models it found. A line without an
// answer is MaybeTaken, and counts neither as covered nor as missed.
type Coverage map[string]map[int]Taken

// Unite returns the coverage of two programs together: a line is missed if both miss it.
func (c Coverage) Unite(other Coverage) Coverage { return c.join(other, Taken.Or) }

// Renamed returns the coverage with renamed files.
func (c Coverage) Renamed(name func(file string) string) Coverage {
	out := Coverage{}
	for file, lines := range c {
		out = out.Unite(Coverage{name(file): lines})
	}
	return out
}

// Join returns the combined coverage of two runs of one program.
func (c Coverage) Join(other Coverage) Coverage { return c.join(other, Taken.settled) }

// join combines two coverages without changing them; both combines lines that are in both.
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

// Or returns whether an execution of either program reaches a place.
func (t Taken) Or(u Taken) Taken {
	switch {
	case t == u:
		return t
	case t == TakenBy || u == TakenBy:
		return TakenBy
	}
	return MaybeTaken
}

// settled combines the answers of two runs of one program: each answer is correct unless it is MaybeTaken.
func (t Taken) settled(u Taken) Taken {
	if t == TakenBy || u == MaybeTaken {
		return t
	}
	return u
}
