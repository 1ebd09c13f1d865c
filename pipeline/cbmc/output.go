package cbmc

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Output is what a run of cbmc --json-ui said.
type Output struct {
	Program string // "CBMC 6.6.0 (cbmc-6.6.0)"
	// Verdict is in our words: proved, bounded (only loops that need more iterations fail), failed, or "" when cbmc came to none.
	Verdict string
	Failed  []string // properties with their descriptions
	Holding int      // number of properties that hold
	Errors  []string // messages of the kind ERROR, with their places
}

// message is one element of the array that cbmc prints. Each has some of the fields.
type message struct {
	Program  string `json:"program"`
	Text     string `json:"messageText"`
	Type     string `json:"messageType"`
	Location place  `json:"sourceLocation"`
	Result   []struct {
		Property    string `json:"property"`
		Description string `json:"description"`
		Status      string `json:"status"`
	} `json:"result"`
	Status string `json:"cProverStatus"`
}

type place struct {
	File string `json:"file"`
	Line string `json:"line"`
}

// Parse reads the output. One that was cut off, by a time limit or a crash, is read as far as it goes.
func Parse(data []byte) (*Output, error) {
	dec := json.NewDecoder(strings.NewReader(string(data)))
	if t, err := dec.Token(); err != nil || t != json.Delim('[') {
		return nil, errors.New("no array of messages")
	}
	out := &Output{}
	var status string
	onlyLoops := true
	for dec.More() {
		var m message
		if err := dec.Decode(&m); err != nil {
			return out, nil // cut off: no status was read
		}
		switch {
		case m.Program != "":
			out.Program = m.Program
		case m.Type == "ERROR":
			text := m.Text
			if m.Location.File != "" {
				text = fmt.Sprintf("%s:%s: %s", m.Location.File, m.Location.Line, text)
			}
			out.Errors = append(out.Errors, text)
		case m.Status != "":
			status = m.Status
		}
		for _, r := range m.Result {
			switch r.Status {
			case "SUCCESS":
				out.Holding++
			case "FAILURE":
				out.Failed = append(out.Failed, r.Property+": "+r.Description)
				onlyLoops = onlyLoops && isLoop(r.Property)
			}
		}
	}
	switch {
	case status == "success" && len(out.Failed) == 0:
		out.Verdict = "proved"
	case status == "failure" && len(out.Failed) > 0 && onlyLoops:
		out.Verdict = "bounded"
	case status == "failure" && len(out.Failed) > 0:
		out.Verdict = "failed"
	}
	return out, nil
}

// isLoop tells the properties of loops and recursions that were cut off: "f.unwind.0", "f.recursion".
func isLoop(property string) bool {
	return strings.Contains(property, ".unwind.") || strings.HasSuffix(property, ".recursion")
}
