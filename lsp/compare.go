package lsp

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.lsp.dev/protocol"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/lsp/rpc"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/project"
)

// verbCompare is the lens over a function that differs from its version in git's HEAD; the lens's Entry is the
// function.
const verbCompare = "compare"

// baseRevision is the revision that functions are compared with.
const baseRevision = "HEAD"

// headText is the text of a file in HEAD; nil if HEAD does not have the file.
type headText struct {
	text []byte
	read time.Time
}

// headAge is the age at which a headText is read again.
const headAge = 2 * time.Second

// comparisonKey identifies a comparison: another text of the file or of HEAD makes it obsolete.
type comparisonKey struct {
	path, function string
	before, after  [sha256.Size]byte
}

// comparedFunction is the result of the command compare.
type comparedFunction struct {
	*diagnostics.Comparison
	Message string `json:"message"`
	Text    string `json:"text"` // the answer as the command equiv prints it, with the traces of both versions
}

func (r comparedFunction) summary() string { return r.Message }

// head returns the text of a file in HEAD.
func (v *view) head(ctx context.Context, path string) []byte {
	s := v.server
	s.mu.Lock()
	known, ok := s.heads[path]
	denied := s.denied()
	s.mu.Unlock()
	if denied || ok && time.Since(known.read) < headAge {
		return known.text
	}
	text, err := pipeline.TextAt(ctx, path, baseRevision)
	if ctx.Err() != nil {
		return known.text
	}
	if err != nil {
		text = nil
	}
	s.mu.Lock()
	s.heads[path] = headText{text, time.Now()}
	s.mu.Unlock()
	return text
}

// compareLenses returns the lenses over functions of a C file that differ from HEAD.
func (v *view) compareLenses(ctx context.Context, d *document) (lenses []protocol.CodeLens) {
	if !v.settings.CompareLens || !v.coverable(d) {
		return nil
	}
	before := v.head(ctx, d.path)
	if before == nil || bytes.Equal(before, d.text.data) {
		return nil
	}
	changed := pipeline.ChangedBetween(before, d.text.data)
	for f := range d.text.source.Functions() {
		if slices.Contains(changed, f.Name) {
			lenses = append(lenses, protocol.CodeLens{Range: v.above(d, f),
				Data: lensData{URI: d.uri, Entry: f.Name, Verb: verbCompare}})
		}
	}
	return lenses
}

// compareCommand returns the command of a lens: its title has the answer, if the function was compared.
func (v *view) compareCommand(path string, data lensData) *protocol.Command {
	command := &protocol.Command{Title: "Compare with " + baseRevision, Command: commandPrefix + verbCompare,
		Arguments: []any{map[string]any{"uri": data.URI, "function": data.Entry}}}
	d := v.docs[path]
	if d == nil {
		return command
	}
	s := v.server
	s.mu.Lock()
	defer s.mu.Unlock()
	key := comparisonKey{path, data.Entry, sha256.Sum256(s.heads[path].text), sha256.Sum256(d.text.data)}
	if c := s.comparisons[key]; c != nil {
		command.Title = comparisonTitle(c)
	}
	return command
}

// comparisonTitle returns an answer as the title of a lens: "≡ HEAD, for all inputs · 0.4 s".
func comparisonTitle(c *diagnostics.Comparison) string {
	title := c.Answer.Sign() + " " + c.Base
	switch c.Answer {
	case diagnostics.SameBehaviour:
		title += ", for " + c.Inputs()
	case diagnostics.SameWithinBounds:
		title += ": no difference within bounds"
	case diagnostics.OtherBehaviour:
		if title += ": 1 difference"; len(c.Differences) > 1 {
			title = fmt.Sprintf("%s %s: %d differences", c.Answer.Sign(), c.Base, len(c.Differences))
		}
	default:
		title += ": not decided"
	}
	return title + " · " + diagnostics.Duration(c.MS)
}

// compare compares a saved function with its version in HEAD.
func (v *view) compareFunction(ctx context.Context, args *proofArgs) (any, error) {
	s := v.server
	path, base, w, err := v.functionOf(args)
	if err != nil {
		return nil, err
	}
	revision, err := pipeline.ReadRevision(ctx, filepath.Dir(path), baseRevision)
	if err != nil {
		return nil, rpc.Failure(rpc.RequestFailed, "%v", err)
	}
	saved, err := project.ReadFile(path)
	if err != nil {
		return nil, rpc.Failure(rpc.RequestFailed, "%v", err)
	}
	pool := pipeline.NewPool(pipeline.PoolOptions{Jobs: 1})
	defer pool.Close()
	c := &pipeline.Comparer{Revision: revision, Generator: pipeline.Generator{Base: base, Pool: pool,
		Settings: pipeline.Settings{Root: paths.Root(w.Root), Solver: v.settings.Solver, CacheDir: v.cacheDir()}}}
	out, err := c.Compare(ctx, args.Function, path)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, rpc.Failure(rpc.RequestFailed, "%v", err)
	}
	message := fmt.Sprintf("%s is %s", out.Function, out.Sentence())
	if d := v.docs[path]; d != nil && !bytes.Equal(d.text.data, saved) {
		message += " (as it was saved)"
	}
	if before := v.head(ctx, path); before != nil {
		s.mu.Lock()
		if len(s.comparisons) > 1000 {
			clear(s.comparisons)
		}
		s.comparisons[comparisonKey{path, args.Function, sha256.Sum256(before), sha256.Sum256(saved)}] = out
		s.mu.Unlock()
		if v.caps.Workspace.CodeLens.RefreshSupport {
			s.ask("workspace/codeLens/refresh")
		}
	}
	var text strings.Builder
	diagnostics.WriteComparison(&text, out, true)
	return comparedFunction{out, message, text.String()}, nil
}
