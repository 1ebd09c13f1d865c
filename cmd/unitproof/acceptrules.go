package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen/found"
)

// unusedAccepts warns of [[accept]] rules that accept no finding. It is silent unless every proof of the
// configuration ran to its end, since other findings might be covered.
func (run *checkRun) unusedAccepts(w io.Writer, results []pipeline.Result) {
	f := &run.flags.project
	if len(run.args) > 0 || f.Filter != nil || !f.Shard.Whole() || f.Entry != "" || len(run.listed.Errors) > 0 {
		return
	}
	type rules struct {
		list     []project.Accept
		findings []diagnostics.Finding
		complete bool
	}
	var order []string
	of := map[string]*rules{} // by configuration
	for i, p := range run.listed.Proofs {
		if len(p.Accepts) == 0 || i >= len(results) {
			continue
		}
		c := of[p.Config]
		if c == nil {
			c = &rules{list: p.Accepts, complete: true}
			of[p.Config] = c
			order = append(order, p.Config)
		}
		r := &results[i].Proof
		c.complete = c.complete && r.Verdict != found.Error && r.Verdict != found.Unknown
		c.findings = append(c.findings, r.Obligations...)
	}
	for _, config := range order {
		c := of[config]
		if !c.complete {
			continue
		}
		for _, rule := range c.list {
			if why := unusedAccept(rule, c.findings); why != "" {
				fmt.Fprintf(w, "%s:%d: warning: this [[accept]] accepts nothing: %s\n", run.listed.Root.Show(config), rule.Line,
					why)
			}
		}
	}
}

// unusedAccept returns the reason that a rule accepts none of the findings, "" if it accepts one.
func unusedAccept(rule project.Accept, findings []diagnostics.Finding) string {
	where := ""
	if rule.Function != "" {
		where = " in " + rule.Function
	}
	matched := false
	var functions []string
	for i := range findings {
		f := &findings[i]
		in := []string{f.Function}
		for _, c := range f.CallPath {
			in = append(in, c.Function)
		}
		if f.Kind != rule.Kind {
			continue
		}
		functions = append(functions, in...)
		if rule.Function == "" || slices.Contains(in, rule.Function) {
			if f.Accepted {
				return ""
			}
			matched = true
		}
	}
	if matched {
		return fmt.Sprintf("no %s%s is violated any more", rule.Kind, where)
	}
	return fmt.Sprintf("no proof checks %s%s%s", rule.Kind, where, project.DidYouMean(rule.Function, functions))
}
