package diagnostics

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/phrase"
	"github.com/unitproof/unitproof/diagnostics/source"
	"github.com/unitproof/unitproof/vcgen/found"
)

// About describes the run of a page. Empty fields are left out.
type About struct{ Project, Commit, Date, Command string }

// page is the content of the HTML page.
type page struct {
	Title, Tool, Toolchain string
	About
	Counts []pageCount
	Proofs []pageProof
	Files  []pageFile
}

type pageCount struct {
	Verdict found.Verdict
	N       int
}

type pageProof struct {
	*Proof
	ID             string
	Open           []pageFinding // reported findings
	Fine           []pageFinding
	Needed, Spare  string
	NotMinimal     bool
	Dead           []pageNote
	Strength       string // "" if it was not measured
	Survivors      []pageNote
	Took, Findings string
}

type pageFinding struct {
	*Finding
	Href       string // of its line
	InputRows  [][2]string
	Rests      string
	Depends    string
	CoreTexts  []string
	CallTexts  []string
	TraceSteps []found.Step
}

type pageNote struct{ Href, Where, Text string }

type pageFile struct {
	Name, ID string
	Lines    []pageLine
}

type pageLine struct {
	N       int
	ID      string
	Text    string
	Verdict found.Verdict // the worst of its findings, "" if there is none
	Reached string        // "", "reached", "unreached"
	Notes   []string
	// Survives reports that no proof with a known strength detects a mutant of the line.
	Survives bool
}

// marked reports whether a line of the file has an unproved finding or a surviving mutant.
func (f pageFile) marked() bool {
	return slices.ContainsFunc(f.Lines, func(l pageLine) bool {
		return l.Survives || l.Verdict != "" && l.Verdict != found.Proved
	})
}

// symbol returns a character for the verdict of a line, for readers without colours.
func (l pageLine) symbol() string {
	return map[found.Verdict]string{found.Failed: "\u2717", found.Unknown: "?", found.Bounded: "~", found.Vacuous: "!",
		found.Proved: "\u2713"}[l.Verdict]
}

// WritePage writes the results of a run as one self-contained HTML page, without network access or scripts. covered
// has the lines that executions reach, by displayed file name; strengths has the results of mutation by proof name.
func WritePage(w io.Writer, about About, doc Document, sources Sources, covered found.Coverage,
	strengths map[string]*Strength) error {
	src := source.NewCache(sources)
	title := "Unit proofs"
	if about.Project != "" {
		title += " of " + about.Project
	}
	p := page{Title: title, About: about, Tool: doc.Tool, Toolchain: strings.Join(append([]string{doc.Toolchain.Clang},
		doc.Toolchain.Solvers...), ", ")}
	fileIDs := map[string]string{}
	for file := range covered {
		fileIDs[file] = ""
	}
	for _, s := range strengths {
		for i := range s.Mutants {
			fileIDs[s.Mutants[i].File] = ""
		}
	}
	counts := map[found.Verdict]int{}
	for i := range doc.Proofs {
		counts[doc.Proofs[i].Verdict]++
		fileIDs[doc.Proofs[i].File] = ""
		for _, f := range doc.Proofs[i].Obligations {
			fileIDs[f.File] = ""
		}
	}
	for _, v := range []found.Verdict{found.Error, found.Failed, found.Unknown, found.Bounded, found.Vacuous,
		found.Proved} {
		if counts[v] > 0 {
			p.Counts = append(p.Counts, pageCount{v, counts[v]})
		}
	}
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(fileIDs)), func(file string) bool {
		return src.File(file) == nil // a finding without a file, or with a deleted one
	})
	for i, file := range names {
		fileIDs[file] = fmt.Sprintf("f%d", i)
	}
	href := func(file string, line int) string {
		if fileIDs[file] == "" || line < 1 {
			return ""
		}
		return fmt.Sprintf("#%s-%d", fileIDs[file], line)
	}
	for i := range doc.Proofs {
		one := pageOf(&doc.Proofs[i], i, href)
		one.strength(strengths[one.Name], href)
		p.Proofs = append(p.Proofs, one)
	}
	slices.SortStableFunc(p.Proofs, func(a, b pageProof) int { return pageRank(b.Verdict) - pageRank(a.Verdict) })
	for _, file := range names {
		p.Files = append(p.Files, filePage(file, fileIDs[file], src.File(file), doc.Proofs, covered[file]))
		p.Files[len(p.Files)-1].survivors(strengths)
	}
	var h pageWriter
	h.page(&p)
	_, err := io.WriteString(w, h.String())
	return err
}

// pageRank orders proofs, the worst last. A vacuous proof is worse than an undecided one, since other tools would
// show it as proved.
func pageRank(v found.Verdict) int {
	return slices.Index([]found.Verdict{found.Proved, found.Bounded, found.Unknown, found.Vacuous, found.Failed,
		found.Error}, v)
}

// why returns the reason for a proof's verdict in one line.
func (p *pageProof) why() string {
	switch {
	case p.Verdict == found.Proved:
		return p.IfEnds()
	case len(p.Errors) > 0:
		return p.Errors[0].Message
	}
	first, more := "", 0
	for i := range p.Open {
		if f := &p.Open[i]; f.Verdict == p.Verdict && !f.Accepted {
			if first == "" {
				first = f.Message
			} else {
				more++
			}
		}
	}
	switch {
	case first == "":
		return p.Reason
	case more > 0:
		return fmt.Sprintf("%s; and %d more", first, more)
	}
	return first
}

func pageOf(proof *Proof, i int, href func(string, int) string) pageProof {
	out := pageProof{Proof: proof, ID: fmt.Sprintf("p%d", i),
		Took: fmt.Sprintf("%.2f s", float64(proof.Stats.TotalMS)/1000)}
	for k := range proof.Obligations {
		f := &proof.Obligations[k]
		x := pageFinding{Finding: f, Href: href(f.File, f.Line), Depends: f.Dependence(), TraceSteps: f.Trace}
		for j := range f.Inputs {
			if !f.Inputs[j].Idle {
				x.InputRows = append(x.InputRows, inputRow(f, &f.Inputs[j]))
			}
		}
		if f.Core != nil && len(f.Core.Needed) > 0 {
			x.Rests = f.Core.RestsOn(f.File)
		}
		for j := range f.VacuityCore {
			x.CoreTexts = append(x.CoreTexts, f.VacuityCore[j].phrase(f.File))
		}
		for _, c := range usersFrames(f.CallPath) {
			x.CallTexts = append(x.CallTexts, fmt.Sprintf("%s (%s:%d)", c.Function, c.File, c.Line))
		}
		if f.Reported() {
			out.Open = append(out.Open, x)
		} else if f.Verdict == found.Proved {
			out.Fine = append(out.Fine, x)
		}
	}
	slices.SortStableFunc(out.Open, func(a, b pageFinding) int { return showRank(b.Finding) - showRank(a.Finding) })
	out.Findings = phrase.Count(len(out.Fine), "finding")
	if c := proof.Core; c != nil {
		if out.Needed, out.NotMinimal = c.RestsOn(proof.File), !c.Minimal; out.Needed == "" {
			out.Needed = "no assumption"
		}
		out.Spare = entriesText(proof.File, c.NotNeeded)
	}
	for k := range proof.Branches {
		b := &proof.Branches[k]
		if s := b.DeadSentence(); s != "" {
			out.Dead = append(out.Dead, pageNote{href(b.File, b.Line), fmt.Sprintf("%s:%d", b.File, b.Line), s})
		}
	}
	return out
}

// strength adds the results of mutation; s may be nil.
func (p *pageProof) strength(s *Strength, href func(string, int) string) {
	if s == nil || s.Verdict != found.Proved {
		return
	}
	p.Strength = s.Summary()
	for i := range s.Mutants {
		m := &s.Mutants[i]
		if m.Outcome != Survived {
			continue
		}
		text := m.Sentence()
		if m.Accepted {
			text += " (accepted)"
		}
		p.Survivors = append(p.Survivors, pageNote{href(m.File, m.Line), fmt.Sprintf("%s:%d", m.File, m.Line), text})
	}
}

// survivors adds a note to each line with a mutant that no proof detects.
func (f *pageFile) survivors(strengths map[string]*Strength) {
	type change struct {
		line, column   int
		kind, from, to string
	}
	first, noticed := map[change]*Mutant{}, map[change]bool{}
	var order []change
	for _, name := range slices.Sorted(maps.Keys(strengths)) {
		for i := range strengths[name].Mutants {
			m := &strengths[name].Mutants[i]
			c := change{m.Line, m.Column, m.Kind, m.From, m.To}
			switch {
			case m.File != f.Name:
			case m.Outcome == Killed || m.Accepted:
				noticed[c] = true
			case m.Outcome == Survived && first[c] == nil:
				first[c] = m
				order = append(order, c)
			}
		}
	}
	for _, c := range order {
		if !noticed[c] && c.line >= 1 && c.line <= len(f.Lines) {
			l := &f.Lines[c.line-1]
			l.Notes = append(l.Notes, "survives: "+first[c].Sentence())
			l.Survives = true
		}
	}
}

// filePage returns the lines of a file, marked with the results of all proofs.
func filePage(name, id string, src *source.File, proofs []Proof, covered map[int]found.Taken) pageFile {
	out := pageFile{Name: name, ID: id}
	for line := 1; line <= src.Lines(); line++ {
		l := pageLine{N: line, ID: fmt.Sprintf("%s-%d", id, line), Text: string(src.Line(line))}
		switch covered[line] {
		case found.TakenBy:
			l.Reached = "reached"
		case found.NeverTaken:
			l.Reached = "unreached"
		}
		out.Lines = append(out.Lines, l)
	}
	at := func(file string, line int) *pageLine {
		if file != name || line < 1 || line > len(out.Lines) {
			return nil
		}
		return &out.Lines[line-1]
	}
	for i := range proofs {
		p := &proofs[i]
		for k := range p.Obligations {
			f := &p.Obligations[k]
			l := at(f.File, f.Line)
			if l == nil || f.Verdict == found.Unreached || f.Accepted {
				continue
			}
			if l.Verdict == "" || f.Verdict.Rank() > l.Verdict.Rank() {
				l.Verdict = f.Verdict
			}
			if f.Reported() {
				l.Notes = append(l.Notes, fmt.Sprintf("%s in %s: %s", f.Verdict, p.Name, f.Message))
			}
		}
	}
	for _, list := range UniteBranches(branchesOf(proofs))[name] {
		for i := range list {
			b := &list[i]
			if s := b.DeadSentence(); s != "" && slices.ContainsFunc(b.Ways, func(w BranchWay) bool {
				return w.Taken == found.TakenBy
			}) {
				if l := at(name, b.Line); l != nil {
					l.Notes = append(l.Notes, s+" in all proofs")
				}
			}
		}
	}
	return out
}

// branchesOf returns the branches of all proofs.
func branchesOf(proofs []Proof) (out []Branch) {
	for i := range proofs {
		out = append(out, proofs[i].Branches...)
	}
	return out
}
