package dap

import (
	"errors"
	"fmt"
	"os"

	protocol "github.com/google/go-dap"

	"github.com/unitproof/unitproof/vcgen/interp/inspect"
)

var errFrame = errors.New("this frame is not on the stack now: ask for the stack again")

// frame returns a frame of the current stack by its ID. The ID is the frame's number plus one, and thus the same at
// every moment of the run.
func (s *session) frame(id int) (inspect.FrameView, bool) {
	for _, f := range s.run.Stack() {
		if f.Number == id-1 {
			return f, true
		}
	}
	return inspect.FrameView{}, false
}

func (s *session) stackTrace(a *protocol.StackTraceArguments) protocol.StackTraceResponseBody {
	stack := s.run.Stack()
	from := min(max(a.StartFrame, 0), len(stack))
	to := len(stack)
	if a.Levels > 0 {
		to = min(to, from+a.Levels)
	}
	body := protocol.StackTraceResponseBody{StackFrames: []protocol.StackFrame{}, TotalFrames: len(stack)}
	for _, f := range stack[from:to] {
		out := protocol.StackFrame{Id: f.Number + 1, Name: f.Func.SourceName, CanRestart: s.userFrame(f.Number)}
		if f.Loc != nil && f.Loc.Line > 0 {
			out.Line, out.Column = s.toClientLine(f.Loc.Line), s.toClientColumn(f.Loc.File, f.Loc.Line, f.Loc.Col)
			if _, err := os.Stat(f.Loc.File); err == nil {
				out.Source = &protocol.Source{Name: s.files.short(f.Loc.File), Path: f.Loc.File}
			}
		}
		if out.Source == nil || !s.userFrame(f.Number) {
			out.PresentationHint = "subtle"
			if out.Source == nil {
				out.Name += " (the model of the C library)"
				out.Line, out.Column = 0, 0
			}
		}
		body.StackFrames = append(body.StackFrames, out)
	}
	return body
}

// exceptionInfo describes the finding, at any moment.
func (s *session) exceptionInfo() protocol.ExceptionInfoResponseBody {
	f := s.debuggee.Finding
	trace := ""
	for _, c := range f.CallPath {
		trace += fmt.Sprintf("%s at %s:%d\n", c.Function, c.File, c.Line)
	}
	return protocol.ExceptionInfoResponseBody{
		ExceptionId: string(f.Kind), Description: f.Message, BreakMode: "always",
		Details: &protocol.ExceptionDetails{Message: f.Message, TypeName: string(f.Kind), FullTypeName: "unitproof " +
			string(f.Kind), StackTrace: trace},
	}
}
