package assistant

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/unitproof/unitproof/diagnostics"
)

// texts are the files that tools have made, such as reproducers, by their URIs. The oldest go first.
type texts struct {
	made  map[string]text
	order []string
	count int
}

type text struct {
	data []byte
	mime string
}

// maxTexts is how many of them are kept.
const maxTexts = 32

// keep keeps a file and returns its URI.
func (s *Server) keep(name, mime string, data []byte) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := &s.texts
	if t.made == nil {
		t.made = map[string]text{}
	}
	t.count++
	uri := fmt.Sprintf("%s%d/%s", textPrefix, t.count, name)
	t.made[uri], t.order = text{data, mime}, append(t.order, uri)
	if len(t.order) > maxTexts {
		delete(t.made, t.order[0])
		t.order = t.order[1:]
	}
	return uri
}

// URIs of resources.
const (
	textPrefix    = "unitproof://text/"
	reportPrefix  = "unitproof://report/"
	findingPrefix = "unitproof://finding/"
)

// addResources registers whole reports and findings, whose tools answer with the part that matters most.
func (s *Server) addResources(m *mcp.Server) {
	m.AddResourceTemplate(&mcp.ResourceTemplate{Name: "report", URITemplate: reportPrefix + "{+proof}",
		MIMEType: "application/json", Description: "the whole last result of a proof, as check --json has it"}, s.read)
	m.AddResourceTemplate(&mcp.ResourceTemplate{Name: "finding", URITemplate: findingPrefix + "{id}",
		MIMEType: "application/json", Description: "a whole finding, with all inputs and steps"}, s.read)
	m.AddResourceTemplate(&mcp.ResourceTemplate{Name: "text", URITemplate: textPrefix + "{n}/{name}",
		Description: "a file that a tool has made, such as a reproducer"}, s.read)
}

// read returns a resource.
func (s *Server) read(ctx context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	uri := r.Params.URI
	switch {
	case strings.HasPrefix(uri, textPrefix):
		s.mu.Lock()
		t, ok := s.texts.made[uri]
		s.mu.Unlock()
		if !ok {
			return nil, mcp.ResourceNotFoundError(uri)
		}
		c := &mcp.ResourceContents{URI: uri, MIMEType: t.mime}
		if strings.HasPrefix(t.mime, "text/") {
			c.Text = string(t.data)
		} else {
			c.Blob = t.data
		}
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{c}}, nil
	case strings.HasPrefix(uri, reportPrefix):
		x, err := s.known(ctx, strings.TrimPrefix(uri, reportPrefix))
		if err != nil {
			return nil, mcp.ResourceNotFoundError(uri)
		}
		return asJSON(uri, x.result)
	case strings.HasPrefix(uri, findingPrefix):
		_, f, err := s.findingOf(strings.TrimPrefix(uri, findingPrefix), "")
		if err != nil {
			return nil, mcp.ResourceNotFoundError(uri)
		}
		return asJSON(uri, f)
	}
	return nil, mcp.ResourceNotFoundError(uri)
}

func asJSON(uri string, value any) (*mcp.ReadResourceResult, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(value); err != nil {
		return nil, err
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: "application/json",
		Text: b.String()}}}, nil
}

// findingOf looks a finding up in the last results, by its id or the begin of it, and perhaps its proof.
func (s *Server) findingOf(id, proof string) (*seen, *diagnostics.Finding, error) {
	if len(id) < 4 {
		return nil, nil, fmt.Errorf("%q is not the id of a finding: the answers of check and try have ids", clip(id, 40))
	}
	var at *seen
	var of *diagnostics.Finding
	var known []string
	for _, x := range s.all() {
		if proof != "" && x.state.Proof.Name != proof && string(x.state.ID) != proof {
			continue
		}
		for i := range x.result.Obligations {
			f := &x.result.Obligations[i]
			switch {
			case !strings.HasPrefix(f.ID, id):
				if open(f) {
					known = append(known, f.ID)
				}
			case of == nil || !open(of) && open(f): // several proofs have the finding: an open one is taken
				at, of = x, f
			case of.ID != f.ID:
				return nil, nil, fmt.Errorf("several findings begin with %s: give the whole id", id)
			}
		}
	}
	if of == nil {
		text := fmt.Sprintf("no finding %s in the last results", clip(id, 40))
		if len(known) > 0 {
			text += "; open findings there are " + strings.Join(known[:min(len(known), 8)], ", ")
		} else {
			text += ", and none is open there: it may have vanished by an edit"
		}
		return nil, nil, fmt.Errorf("%s", text)
	}
	return at, of, nil
}
