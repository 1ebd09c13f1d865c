package lsp

import (
	"context"
	"fmt"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/unitproof/unitproof/lsp/rpc"
	"github.com/unitproof/unitproof/pipeline/trust"
)

// Whether a workspace is trusted is stated by the client, if it supports trust, or by the setting `trusted`. Without
// either, a folder whose configuration stays within the defaults is trusted. The user has to allow anything beyond:
// in the answer to the server's question, by a command, or by `unitproof trust`.

// trustSaid returns the statement of the client or the setting about trust; said is false if there is none. s.mu is
// held.
func (s *server) trustSaid() (trusted, said bool) {
	switch {
	case s.trusted != nil:
		return *s.trusted, true
	case s.settings.Trusted != nil:
		return *s.settings.Trusted, true
	}
	return false, false
}

// denied reports whether no program may be run, not even to find installed tools. s.mu is held.
func (s *server) denied() bool {
	trusted, said := s.trustSaid()
	return said && !trusted
}

// allowed reports whether the user has allowed a request. The workspace calls it on its own goroutine.
func (s *server) allowed(r trust.Request) bool {
	store, err := trust.User()
	return err == nil && store.Allowed(r)
}

// applyTrust passes the trust to the workspace; s.mu is held.
func (s *server) applyTrust() {
	if s.engine == nil {
		return
	}
	if trusted, said := s.trustSaid(); said {
		s.engine.workspace.SetTrusted(trusted)
	} else {
		s.engine.workspace.SetAllowed(s.allowed)
	}
}

func (s *server) trust(p *struct {
	Trusted bool `json:"trusted"`
}) error {
	s.trusted = &p.Trusted
	s.applyTrust()
	if p.Trusted {
		s.looking.Go(s.reportMissing) // deferred until now
		s.looking.Go(s.offerImports)
	}
	return nil
}

// asking returns the requests of a snapshot that the user has not seen yet.
func (e *engine) asking(requests []trust.Request) []trust.Request {
	e.mu.Lock()
	defer e.mu.Unlock()
	var out []trust.Request
	for _, r := range requests {
		if hash := r.Hash(); !e.asked[hash] {
			if e.asked == nil {
				e.asked = map[[32]byte]bool{}
			}
			e.asked[hash] = true
			out = append(out, r)
		}
	}
	return out
}

const allowAction = "Allow"

// ask shows the user the programs that a folder would run, and asks for permission.
func (e *engine) ask(r trust.Request) {
	s := e.server
	// The remedy comes first: Helix shows one line of a message and crops the rest.
	text := fmt.Sprintf("unitproof waits for your permission (`unitproof trust %s`): checking the proofs there %s. "+
		"Give it if you trust the folder.", r.Root, strings.Join(r.Lines(), "; "))
	if !s.question(protocol.MessageTypeWarning, text, allowAction, text) {
		return
	}
	if err := e.allow([]trust.Request{r}); err != nil {
		s.message(protocol.MessageTypeError, "unitproof: "+err.Error())
	}
}

// allow records that the user trusts folders with their requests.
func (e *engine) allow(requests []trust.Request) error {
	store, err := trust.User()
	if err != nil {
		return err
	}
	for _, r := range requests {
		if err := store.Allow(r); err != nil {
			return err
		}
	}
	e.workspace.Retrust()
	return nil
}

type trustResult struct {
	Folders []trustedFolder `json:"folders"`
}

type trustedFolder struct {
	Folder string   `json:"folder"`
	Asks   []string `json:"asks"`
}

// trustFolders handles the command that allows the requests of the workspace's folders, or of the one with a path.
func (v *view) trustFolders(_ context.Context, args *proofArgs) (any, error) {
	if v.denied {
		return nil, rpc.Failure(rpc.RequestFailed, "the workspace is not trusted: that is for the client to change")
	}
	result := trustResult{Folders: []trustedFolder{}}
	var requests []trust.Request
	if v.snapshot != nil {
		for _, r := range v.snapshot.Untrusted() {
			if args.Path == "" || args.Path == r.Root {
				requests = append(requests, r)
				result.Folders = append(result.Folders, trustedFolder{r.Root, r.Lines()})
			}
		}
	}
	if len(requests) == 0 {
		return result, nil
	}
	return result, v.engine.allow(requests)
}
