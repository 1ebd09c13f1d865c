package lsp

import (
	"context"
	"encoding/json"
	"fmt"
)

// progressState is the progress that the client shows. Clients show it without blocking the editor.
type progressState struct {
	token   string // "" when none is shown
	count   int    // of tokens
	created chan struct{}
	shown   batch
}

// sendProgress reports "k of n" to the client; published.mu is held.
func (s *server) sendProgress(v *view) {
	if !v.caps.Window.WorkDoneProgress {
		return
	}
	p := &s.published.progress
	b := v.batch
	switch {
	case b.total == 0 && p.token == "":
	case b.total == 0:
		s.progress(p, progressValue{Kind: "end", Message: fmt.Sprintf("%d of %d", p.shown.total, p.shown.total)})
		p.token, p.created = "", nil
	case p.token == "":
		p.count++
		token := fmt.Sprintf("unitproof-%d", p.count)
		p.token, p.created, p.shown = token, make(chan struct{}), b
		created := p.created
		// The client must accept the token first. If it refuses, no progress is sent.
		go func() {
			if err := s.conn.Call(s.ctx, "window/workDoneProgress/create", map[string]any{"token": token}, nil); err != nil {
				return
			}
			cancellable, percentage := true, percent(b)
			s.conn.Notify("$/progress", progressParams{token, progressValue{Kind: "begin", Title: "unitproof",
				Cancellable: &cancellable,
				Message:     progressText(b), Percentage: &percentage}})
			close(created)
		}()
	case b != p.shown:
		p.shown = b
		percentage := percent(b)
		s.progress(p, progressValue{Kind: "report", Message: progressText(b), Percentage: &percentage})
	}
}

// progress sends a value after the begin was sent.
func (s *server) progress(p *progressState, value progressValue) {
	token, created := p.token, p.created
	select {
	case <-created:
		s.conn.Notify("$/progress", progressParams{token, value})
	default:
		if value.Kind != "end" {
			return // a later report replaces it
		}
		go func() {
			select {
			case <-created:
				s.conn.Notify("$/progress", progressParams{token, value})
			case <-s.ctx.Done():
			}
		}()
	}
}

func progressText(b batch) string { return fmt.Sprintf("%d of %d proofs", b.done, b.total) }

func percent(b batch) int { return 100 * b.done / max(b.total, 1) }

// progressCancel handles the user's cancel button. On a client's token it cancels the request that has it.
func (s *server) progressCancel(p *struct {
	Token json.RawMessage `json:"token"`
}) error {
	if cancel, ok := s.tokens.Load(string(p.Token)); ok {
		cancel.(context.CancelFunc)()
		return nil
	}
	if s.engine != nil {
		s.engine.workspace.Cancel(nil)
	}
	return nil
}

// workDoneKey is the key of a context for the progress of its request, a func(batch).
type workDoneKey struct{}

// workDone begins to report the progress of a request on the client's token. It returns the context of the request,
// and a function that ends the report. Without a token it does nothing.
func (s *server) workDone(ctx context.Context, token json.RawMessage, title string) (context.Context, func()) {
	if len(token) == 0 || string(token) == "null" {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	s.tokens.Store(string(token), cancel)
	cancellable := true
	s.conn.Notify("$/progress", progressParams{token, progressValue{Kind: "begin", Title: "unitproof: " + title,
		Cancellable: &cancellable}})
	var last batch
	report := func(b batch) {
		if b == last {
			return
		}
		last = b
		percentage := percent(b)
		s.conn.Notify("$/progress", progressParams{token, progressValue{Kind: "report", Message: progressText(b),
			Percentage: &percentage}})
	}
	return context.WithValue(ctx, workDoneKey{}, report), func() {
		s.tokens.Delete(string(token))
		s.conn.Notify("$/progress", progressParams{token, progressValue{Kind: "end"}})
		cancel()
	}
}

// reportDone reports the progress of the request of a context, if its client gave a token.
func reportDone(ctx context.Context, b batch) {
	if report, ok := ctx.Value(workDoneKey{}).(func(batch)); ok && b.total > 0 {
		report(b)
	}
}
