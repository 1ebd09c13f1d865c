package ir

import (
	"bytes"
	"regexp"

	"github.com/unitproof/unitproof/pipeline/lazyregexp"
)

const label = `%(?:"[^"]*"|[-\w.$]+)`

var (
	invoked = lazyregexp.New(`^(\s+(?:` + label + ` = )?)invoke (.*)$`)
	handled = lazyregexp.New(`^(.*?)\s+to label (` + label + `) unwind label ` + label + `(.*)$`)
	landed  = lazyregexp.New(`^(\s+` + label + ` = )landingpad (.*?)( cleanup)?(, !dbg !\d+)?$`)
	clause  = lazyregexp.New(`^\s+(?:cleanup|catch |filter )`)
	resumed = lazyregexp.New(`^(\s+)resume .*?((?:, !dbg !\d+)?)$`)
	merged  = lazyregexp.New(`^(\s+` + label + ` = )phi ((?:(?:nnan|ninf|nsz|arcp|contract|afn|reassoc|fast) )*)(.*?) \[ `)
	handler = lazyregexp.New(` personality .*?( !dbg !\d+)? \{$`)
)

// WithoutUnwinding makes every call return normally: an invoke becomes a call with a branch to its normal destination,
// and no edge leads to the handlers. An unwinding ends the execution. This loses nothing: a Rust panic is a failure
// before it unwinds, and exceptions of functions without a body are not modelled. Handlers remain in the text, with
// arbitrary values for instructions that are only valid behind an invoke.
func WithoutUnwinding(text []byte) []byte {
	if !bytes.Contains(text, []byte("invoke ")) && !bytes.Contains(text, []byte("landingpad ")) &&
		!bytes.Contains(text, []byte("resume ")) {
		return text
	}
	var out bytes.Buffer
	out.Grow(len(text))
	var phis []span // lines of out, in the current block
	var call []byte // the first lines of an invoke
	inHandler := false
	for line := range bytes.Lines(text) {
		body := bytes.TrimRight(line, "\r\n")
		if call != nil {
			call = append(append(call, ' '), bytes.TrimSpace(body)...)
			if endCall(&out, call) {
				call = nil
			}
			continue
		}
		switch first := firstByte(body); {
		case first == 'd' && bytes.HasPrefix(body, []byte("define ")) && bytes.Contains(body, []byte(" personality ")):
			out.Write(replace(handler, body, "$1 {"))
			out.WriteByte('\n')
			continue
		case first == ' ' && bytes.Contains(body, []byte("invoke ")) && invoked.Match(body):
			if call = bytes.Clone(body); endCall(&out, call) {
				call = nil
			}
			continue
		case first == ' ' && inHandler && clause.Match(body):
			continue
		case first == ' ' && bytes.Contains(body, []byte("landingpad ")) && landed.Match(body):
			m := landed.FindSubmatch(body)
			arbitrary(&out, m[1], m[2])
			forget(&out, phis)
			phis, inHandler = nil, true
			continue
		case first == ' ' && bytes.Contains(body, []byte("resume ")) && resumed.Match(body):
			out.Write(replace(resumed, body, "${1}unreachable$2"))
			out.WriteByte('\n')
			continue
		case first == ' ' && merged.Match(body):
			phis = append(phis, span{out.Len(), out.Len() + len(line)})
		case first != ' ':
			phis = nil
		}
		inHandler = false
		out.Write(line)
	}
	return append(out.Bytes(), call...)
}

type span struct{ start, end int }

func firstByte(line []byte) byte {
	if len(line) == 0 {
		return 0
	}
	return line[0]
}

// replace is Regexp.ReplaceAll for a line.
func replace(r *lazyregexp.Regexp, line []byte, with string) []byte {
	return []byte(r.ReplaceAllString(string(line), with))
}

// endCall writes the call for an invoke, and reports whether the invoke was complete.
func endCall(out *bytes.Buffer, invoke []byte) bool {
	m := handled.FindSubmatch(invoke)
	if m == nil {
		return false
	}
	start := invoked.FindSubmatch(m[1])
	out.Write(start[1])
	out.WriteString("call ")
	out.Write(start[2])
	out.Write(m[3])
	out.WriteString("\n  br label ")
	out.Write(m[2])
	out.Write(debugOf.Find(m[3]))
	out.WriteByte('\n')
	return true
}

var debugOf = regexp.MustCompile(`, !dbg !\d+`)

// arbitrary writes an instruction whose result is an arbitrary value of a type.
func arbitrary(out *bytes.Buffer, result, t []byte) {
	out.Write(result)
	out.WriteString("select i1 undef, ")
	out.Write(t)
	out.WriteString(" undef, ")
	out.Write(t)
	out.WriteString(" undef\n")
}

// forget replaces the phis of a handler's block, which merge values of its predecessors, by arbitrary values. Their
// lines are at the end of out, in order, before the last line.
func forget(out *bytes.Buffer, phis []span) {
	if len(phis) == 0 {
		return
	}
	tail := bytes.Clone(out.Bytes()[phis[0].start:])
	base := phis[0].start
	out.Truncate(base)
	done := 0
	for _, p := range phis {
		out.Write(tail[done : p.start-base])
		m := merged.FindSubmatch(tail[p.start-base : p.end-base])
		arbitrary(out, m[1], m[3])
		done = p.end - base
	}
	out.Write(tail[done:])
}
