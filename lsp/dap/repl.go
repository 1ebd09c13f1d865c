package dap

import (
	"errors"
	"fmt"
	"strings"

	protocol "github.com/google/go-dap"

	"github.com/unitproof/unitproof/vcgen/interp/inspect"
)

const replHelp = `An expression in C shows its value. Commands, for what an editor has no button for:
:last EXPR   go back to the last write of what EXPR names
:next EXPR   go on to the next write
:start       the beginning of the execution
:end         the violation
:where       which of the recorded moments this is
:help`

// command executes a command of the console.
func (s *session) command(r *protocol.EvaluateRequest, f inspect.FrameView, text string) error {
	name, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	rest = strings.TrimSpace(rest)
	answer := func(result string) {
		s.reply(r, &protocol.EvaluateResponse{Body: protocol.EvaluateResponseBody{Result: result}})
	}
	switch name {
	case "help", "":
		answer(replHelp)
	case "where":
		answer(fmt.Sprintf("moment %d of %d", s.run.At(), s.run.End()))
	case "start":
		answer("the beginning of the execution")
		s.goTo(s.beginning(), stop{reason: "goto", description: "The beginning"})
	case "end":
		answer("the violation")
		s.goTo(s.run.End(), s.violation())
	case "last", "next":
		if rest == "" {
			return fmt.Errorf(":%s needs the expression whose write is looked for, like :%s p->len", name, name)
		}
		v, err := s.run.Evaluate(f, rest)
		if err != nil {
			return err
		}
		object, off, n, err := v.Bytes()
		if err != nil {
			return fmt.Errorf("%s: %w", rest, err)
		}
		d := dataBreakpoint{name: rest, object: object, off: off, n: n}
		w, ok := s.run.LastWrite(object, off, n, s.run.At())
		to := w.At
		if name == "next" {
			w, ok = s.run.NextWrite(object, off, n, s.run.At())
			to = min(w.At+1, s.run.End())
		}
		if !ok {
			return errors.New(rest + map[string]string{"last": " is not written before this moment",
				"next": " is not written any more"}[name])
		}
		why := s.written(d, w)
		why.hit = nil
		answer(why.text)
		s.goTo(to, why)
	default:
		return fmt.Errorf("there is no command :%s; :help lists them", name)
	}
	return nil
}
