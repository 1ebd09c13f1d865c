package dap

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"runtime/debug"
	"strings"
	"sync"

	protocol "github.com/google/go-dap"

	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/vcgen/interp/recording"
)

// session is a debugging session with one client. Requests are handled one at a time, in order; only disconnecting
// and pausing take effect during another request.
type session struct {
	ctx    context.Context
	cancel context.CancelFunc
	opts   Options

	writing sync.Mutex
	out     io.Writer
	seq     int
	over    bool // the client has disconnected

	client protocol.InitializeRequestArguments
	config launchConfig

	// pausing ends the current search; guarded by interrupting.
	interrupting sync.Mutex
	pausing      context.CancelFunc
	pauses       int // number of pauses that have arrived and are not handled yet; guarded by interrupting

	debuggee *pipeline.Debuggee
	run      *recording.Recording
	files    files
	breaks   breakpoints
	stopped  stop
	started  bool // the first stop was sent
	shown    shown
	targets  []int64 // moments returned by gotoTargets
}

// stop is the reason that the session stopped at the current moment.
type stop struct {
	reason, description, text string
	hit                       []int
}

func newSession(ctx context.Context, out io.Writer, opts Options) *session {
	s := &session{out: out, opts: opts}
	s.ctx, s.cancel = context.WithCancel(ctx)
	return s
}

// arrived handles messages that take effect before their turn.
func (s *session) arrived(m any) {
	switch m.(type) {
	case *protocol.DisconnectRequest, *protocol.TerminateRequest:
		s.cancel()
	case *protocol.PauseRequest, *protocol.CancelRequest:
		s.interrupting.Lock()
		s.pauses++
		if s.pausing != nil {
			s.pausing()
		}
		s.interrupting.Unlock()
	}
}

// taken marks a message as handled: a pause interrupts only earlier searches.
func (s *session) taken(m any) {
	switch m.(type) {
	case *protocol.PauseRequest, *protocol.CancelRequest:
		s.interrupting.Lock()
		s.pauses--
		s.interrupting.Unlock()
	}
}

// searching returns a context that a pause ends, including one that arrived before the search began.
func (s *session) searching() (ctx context.Context, done func()) {
	ctx, cancel := context.WithCancel(s.ctx)
	s.interrupting.Lock()
	s.pausing = cancel
	if s.pauses > 0 {
		cancel()
	}
	s.interrupting.Unlock()
	return ctx, func() {
		s.interrupting.Lock()
		s.pausing = nil
		s.interrupting.Unlock()
		cancel()
	}
}

func (s *session) send(m protocol.Message) {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.seq++
	switch m := m.(type) {
	case protocol.ResponseMessage:
		m.GetResponse().Seq, m.GetResponse().Type = s.seq, "response"
	case protocol.EventMessage:
		m.GetEvent().Seq, m.GetEvent().Type = s.seq, "event"
	}
	// The reader notices a client that has disconnected.
	_ = protocol.WriteProtocolMessage(s.out, m)
}

// reply sends the response to a request.
func (s *session) reply(r protocol.RequestMessage, m protocol.ResponseMessage) {
	resp := m.GetResponse()
	resp.RequestSeq, resp.Command, resp.Success = r.GetSeq(), r.GetRequest().Command, true
	s.send(m)
}

// refuse sends an error response. show asks the client to display it.
func (s *session) refuse(seq int, command string, err error, show bool) {
	e := &protocol.ErrorResponse{}
	e.RequestSeq, e.Command, e.Message = seq, command, err.Error()
	// Format uses {name} for variables.
	e.Body.Error = &protocol.ErrorMessage{Id: 1, Format: "{text}", Variables: map[string]string{"text": err.Error()},
		ShowUser: show}
	s.send(e)
}

func (s *session) event(name string, m protocol.EventMessage) {
	m.GetEvent().Event = name
	s.send(m)
}

func (s *session) output(category, text string) {
	s.event("output", &protocol.OutputEvent{Body: protocol.OutputEventBody{Category: category, Output: text}})
}

// handle responds to one message. A panic becomes an error response and does not end the session.
func (s *session) handle(m any) {
	switch m := m.(type) {
	case malformed:
		s.refuse(m.seq, m.command, m.err, false)
	case protocol.RequestMessage:
		seq, command := m.GetSeq(), m.GetRequest().Command
		defer func() {
			if p := recover(); p != nil {
				fmt.Fprintf(os.Stderr, "unitproof dap: %s: panic: %v\n%s", command, p, debug.Stack())
				s.refuse(seq, command, fmt.Errorf("internal error: %v", p), true)
			}
		}()
		if err := s.dispatch(m); err != nil {
			_, launching := m.(*protocol.LaunchRequest)
			s.refuse(seq, command, err, launching)
		}
	}
}

var errNothing = errors.New("there is no counterexample open: send launch first, and look at its answer")

// dispatch responds to a request, or returns an error.
func (s *session) dispatch(m protocol.RequestMessage) error {
	switch r := m.(type) {
	case *protocol.InitializeRequest:
		s.client = r.Arguments
		s.reply(r, &protocol.InitializeResponse{Body: capabilities})
		return nil
	case *protocol.LaunchRequest:
		return s.launch(r)
	case *protocol.AttachRequest:
		return errors.New("there is nothing to attach to: use the request \"launch\" with the \"program\" whose " +
			"counterexample is to be shown")
	case *protocol.DisconnectRequest:
		s.reply(r, &protocol.DisconnectResponse{})
		s.over = true
		return nil
	case *protocol.TerminateRequest:
		s.reply(r, &protocol.TerminateResponse{})
		s.event("terminated", &protocol.TerminatedEvent{})
		return nil
	case *protocol.CancelRequest:
		s.reply(r, &protocol.CancelResponse{})
		return nil
	case *protocol.ThreadsRequest:
		name := "the proof"
		if s.debuggee != nil {
			name = s.debuggee.Proof.Entry
		}
		s.reply(r, &protocol.ThreadsResponse{Body: protocol.ThreadsResponseBody{Threads: []protocol.Thread{{Id: 1,
			Name: name}}}})
		return nil
	case *protocol.SetExceptionBreakpointsRequest:
		s.reply(r, &protocol.SetExceptionBreakpointsResponse{})
		return nil
	}
	if s.run == nil {
		return errNothing
	}
	if moves, err := s.dispatchMotion(m); moves {
		return err
	}
	return s.dispatchView(m)
}

// dispatchMotion responds to the requests that move to another moment.
func (s *session) dispatchMotion(m protocol.RequestMessage) (ours bool, err error) {
	switch r := m.(type) {
	case *protocol.ConfigurationDoneRequest:
		s.reply(r, &protocol.ConfigurationDoneResponse{})
		s.start()
	case *protocol.ContinueRequest:
		s.reply(r, &protocol.ContinueResponse{Body: protocol.ContinueResponseBody{AllThreadsContinued: true}})
		s.proceed(s.run.At(), s.run.End(), "")
	case *protocol.ReverseContinueRequest:
		s.reply(r, &protocol.ReverseContinueResponse{})
		s.proceed(s.run.At(), s.run.First(), "")
	case *protocol.NextRequest:
		s.reply(r, &protocol.NextResponse{})
		s.step(r.Arguments.Granularity, over)
	case *protocol.StepInRequest:
		s.reply(r, &protocol.StepInResponse{})
		s.step(r.Arguments.Granularity, into)
	case *protocol.StepOutRequest:
		s.reply(r, &protocol.StepOutResponse{})
		s.step("", outOf)
	case *protocol.StepBackRequest:
		s.reply(r, &protocol.StepBackResponse{})
		s.step(r.Arguments.Granularity, back)
	case *protocol.RestartFrameRequest:
		to, err := s.frameStart(r.Arguments.FrameId)
		if err != nil {
			return true, err
		}
		s.reply(r, &protocol.RestartFrameResponse{})
		s.goTo(to, stop{reason: "restart"})
	case *protocol.GotoRequest:
		i := r.Arguments.TargetId - 1
		if i < 0 || i >= len(s.targets) {
			return true, errors.New("no such target: ask for targets again")
		}
		s.reply(r, &protocol.GotoResponse{})
		s.goTo(s.targets[i], stop{reason: "goto"})
	case *protocol.PauseRequest:
		s.reply(r, &protocol.PauseResponse{})
		if s.started {
			s.tell(stop{reason: "pause"}) // it is stopped already
		}
	default:
		return false, nil
	}
	return true, nil
}

// dispatchView responds to the read-only requests.
func (s *session) dispatchView(m protocol.RequestMessage) error {
	switch r := m.(type) {
	case *protocol.SetBreakpointsRequest:
		s.reply(r, &protocol.SetBreakpointsResponse{
			Body: protocol.SetBreakpointsResponseBody{Breakpoints: s.setLines(&r.Arguments)}})
	case *protocol.SetFunctionBreakpointsRequest:
		s.reply(r, &protocol.SetFunctionBreakpointsResponse{
			Body: protocol.SetFunctionBreakpointsResponseBody{Breakpoints: s.setFunctions(r.Arguments.Breakpoints)}})
	case *protocol.DataBreakpointInfoRequest:
		s.reply(r, &protocol.DataBreakpointInfoResponse{Body: s.dataInfo(&r.Arguments)})
	case *protocol.SetDataBreakpointsRequest:
		s.reply(r, &protocol.SetDataBreakpointsResponse{
			Body: protocol.SetDataBreakpointsResponseBody{Breakpoints: s.setData(r.Arguments.Breakpoints)}})
	case *protocol.BreakpointLocationsRequest:
		s.reply(r, &protocol.BreakpointLocationsResponse{
			Body: protocol.BreakpointLocationsResponseBody{Breakpoints: s.locations(r.Arguments)}})
	case *protocol.StackTraceRequest:
		s.reply(r, &protocol.StackTraceResponse{Body: s.stackTrace(&r.Arguments)})
	case *protocol.ScopesRequest:
		scopes, err := s.scopes(r.Arguments.FrameId)
		if err != nil {
			return err
		}
		s.reply(r, &protocol.ScopesResponse{Body: protocol.ScopesResponseBody{Scopes: scopes}})
	case *protocol.VariablesRequest:
		vars, err := s.variables(&r.Arguments)
		if err != nil {
			return err
		}
		s.reply(r, &protocol.VariablesResponse{Body: protocol.VariablesResponseBody{Variables: vars}})
	case *protocol.EvaluateRequest:
		return s.evaluate(r)
	case *protocol.ReadMemoryRequest:
		body, err := s.readMemory(&r.Arguments)
		if err != nil {
			return err
		}
		s.reply(r, &protocol.ReadMemoryResponse{Body: body})
	case *protocol.ExceptionInfoRequest:
		s.reply(r, &protocol.ExceptionInfoResponse{Body: s.exceptionInfo()})
	case *protocol.GotoTargetsRequest:
		s.reply(r, &protocol.GotoTargetsResponse{
			Body: protocol.GotoTargetsResponseBody{Targets: s.gotoTargets(&r.Arguments)}})
	case *protocol.SetVariableRequest, *protocol.SetExpressionRequest, *protocol.WriteMemoryRequest:
		return errors.New("this is the record of an execution: nothing in it can be changed")
	default:
		name := strings.TrimSuffix(reflect.TypeOf(m).Elem().Name(), "Request")
		return fmt.Errorf("unitproof's debugger does not support %s", name)
	}
	return nil
}

// tell sends a stop to the client, and invalidates the views of the previous moment.
func (s *session) tell(why stop) {
	s.stopped = why
	s.shown.forget()
	s.event("stopped", &protocol.StoppedEvent{Body: protocol.StoppedEventBody{
		Reason: why.reason, Description: why.description, Text: why.text, ThreadId: 1, AllThreadsStopped: true,
		HitBreakpointIds: why.hit,
	}})
}

// goTo moves to a moment and reports the stop.
func (s *session) goTo(t int64, why stop) {
	if err := s.run.GoTo(t); err != nil {
		s.output("stderr", err.Error()+"\n")
	}
	if s.run.At() == s.run.End() && why.reason != "goto" && why.reason != "restart" {
		why = s.violation()
	}
	s.tell(why)
}

// violation returns the stop at the end of the run.
func (s *session) violation() stop {
	f := s.debuggee.Finding
	return stop{reason: "exception", description: "Violation: " + string(f.Kind), text: f.Message}
}

var capabilities = protocol.Capabilities{
	SupportsConfigurationDoneRequest:   true,
	SupportsFunctionBreakpoints:        true,
	SupportsConditionalBreakpoints:     true,
	SupportsHitConditionalBreakpoints:  true,
	SupportsLogPoints:                  true,
	SupportsEvaluateForHovers:          true,
	SupportsStepBack:                   true,
	SupportsRestartFrame:               true,
	SupportsGotoTargetsRequest:         true,
	SupportsExceptionInfoRequest:       true,
	SupportsDataBreakpoints:            true,
	SupportsReadMemoryRequest:          true,
	SupportsBreakpointLocationsRequest: true,
	SupportsSteppingGranularity:        true,
	SupportsDelayedStackTraceLoading:   true,
	SupportsTerminateRequest:           true,
	SupportsCancelRequest:              true,
	SupportsClipboardContext:           true,
}
