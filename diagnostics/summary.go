package diagnostics

import (
	"fmt"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/phrase"
	"github.com/unitproof/unitproof/vcgen/found"
)

// summary writes a proof's verdict line, and the reason unless the findings already give it.
func (t *TextWriter) summary(p *Proof) {
	counts := t.counts(p)
	if counts == "" && (p.Verdict == found.Proved || p.Verdict == found.Vacuous) {
		counts = "nothing to check"
	}
	line := phrase.Name(p.Name)
	if counts != "" {
		line += ": " + counts
	}
	if p.Verdict != found.Error {
		if extent := p.Extent(); extent != "" {
			line += ", " + extent
			if open := p.IfEnds(); open != "" {
				line += ", " + open
			}
		}
		line += assuming(p)
	}
	if expect := p.Options.Expect; expect == p.Verdict && expect != found.Proved {
		line += ", as expected"
	} else if expect != "" && expect != p.Verdict {
		line += ", but " + t.style.verdict(expect, string(expect)) + " was expected"
	}
	t.printf("%s  %s %s\n", t.style.verdict(p.Verdict, fmt.Sprintf("%-7s", p.Verdict)), line,
		t.style.dim("("+took(&p.Stats)+")"))
	said := len(p.Errors) > 0 || p.Verdict == found.Failed && p.Why.Why != found.RestUndecided // by errors and findings
	if p.Reason != "" && !said {
		t.printf("%s%s\n", strings.Repeat(" ", remarkIndent), t.fill(phrase.OneLine(p.Reason)))
	}
}

// counts returns "1 failed, 40 proved, 2 accepted".
func (t *TextWriter) counts(p *Proof) string {
	n := map[found.Verdict]int{}
	accepted := 0
	behind := map[found.Why]int{}
	for i := range p.Obligations {
		switch f := &p.Obligations[i]; {
		case f.Accepted:
			accepted++
		case f.Behind(): // the finding that it is behind is the one to look into
			behind[f.Why.Why]++
		default:
			n[f.Verdict]++
		}
	}
	var parts []string
	for _, v := range found.Verdicts() {
		if n[v] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[v], v))
		}
		if v != found.Unknown {
			continue
		}
		if k := behind[found.BehindViolation]; k > 0 {
			parts = append(parts, fmt.Sprintf("%d behind a violation", k))
		}
		if k := behind[found.BehindUnknown]; k > 0 {
			parts = append(parts, fmt.Sprintf("%d behind an unknown", k))
		}
	}
	if accepted > 0 {
		parts = append(parts, fmt.Sprintf("%d accepted", accepted))
	}
	return strings.Join(parts, ", ")
}

// assuming names a proof's assumptions in a few words: ", assuming no body for f".
func assuming(p *Proof) string {
	var short []string
	seen := map[string]bool{}
	for i := range p.Assumptions {
		brief, _ := phrase.Assumption(p.Assumptions[i].Is)
		if text := phrase.Shorten(phrase.OneLine(brief), 60); !seen[text] {
			seen[text] = true
			short = append(short, text)
		}
	}
	const most = 3
	if len(short) > most {
		short = append(short[:most], fmt.Sprintf("%d more", len(short)-most))
	}
	if len(short) == 0 {
		return ""
	}
	return ", assuming " + strings.Join(short, "; ")
}

// Total writes the last line of a run.
func (t *TextWriter) Total(proofs []Proof) {
	if len(proofs) == 0 {
		t.printf("%s\n", t.style.paint(sgrRed, "no unit proof was found"))
		return
	}
	n := CountVerdicts(proofs)
	var parts []string
	for _, v := range found.Verdicts() {
		if n[v] > 0 {
			parts = append(parts, t.style.verdict(v, fmt.Sprintf("%d %s", n[v], v)))
		}
	}
	line := fmt.Sprintf("%s: %s", phrase.Count(len(proofs), "proof"), strings.Join(parts, ", "))
	if t.opts.ElapsedMS > 0 {
		line += t.style.dim(" (" + duration(t.opts.ElapsedMS) + ")")
	}
	t.printf("\n%s\n", line)
}

// Machines lists, for proofs that were checked for several machines, the findings that fail only on some of them.
func (t *TextWriter) Machines(proofs []Proof) {
	type place struct {
		proof, file  string
		line, column int
		kind         found.Kind
	}
	machines := map[string][]string{} // by the name of the proof without the machine
	fails := map[place][]string{}
	var order []place
	for i := range proofs {
		p := &proofs[i]
		if p.Options.Target == "" {
			continue
		}
		name := strings.TrimSuffix(p.Name, "@"+p.Options.Target)
		machines[name] = append(machines[name], p.Options.Target)
		for j := range p.Obligations {
			f := &p.Obligations[j]
			if f.Verdict != found.Failed {
				continue
			}
			at := place{name, f.File, f.Line, f.Column, f.Kind}
			if fails[at] == nil {
				order = append(order, at)
			}
			fails[at] = append(fails[at], p.Options.Target)
		}
	}
	for _, at := range order {
		if on := fails[at]; len(on) < len(machines[at.proof]) {
			t.printf("%s:%d:%d: [%s] fails only on %s\n", at.file, at.line, at.column, at.kind, strings.Join(on, ", "))
		}
	}
}

// took returns the wall-clock time of a proof, preceded by its CPU time, which the timeout limits, if the two differ.
func took(s *Stats) string {
	const worthTelling = 1000 // ms
	differ := max(s.TotalMS, s.CPUMS) - min(s.TotalMS, s.CPUMS)
	if s.CPUMS > 0 && differ > worthTelling && 4*differ > s.TotalMS {
		return duration(s.CPUMS) + " of CPU, " + duration(s.TotalMS)
	}
	return duration(s.TotalMS)
}

func duration(ms int64) string {
	switch {
	case ms < 10_000:
		return fmt.Sprintf("%.2f s", float64(ms)/1000)
	case ms < 60_000:
		return fmt.Sprintf("%.1f s", float64(ms)/1000)
	}
	s := (ms + 500) / 1000
	return fmt.Sprintf("%d min %02d s", s/60, s%60)
}
