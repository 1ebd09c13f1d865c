package lsp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"go.lsp.dev/jsonrpc2"
)

// id is the id of a request as it stood in the message: a number of any size, a string or null. The
// library's ids are 32 bits wide and end the connection beyond that.
type id string

func (i id) MarshalJSON() ([]byte, error) {
	if i == "" {
		return []byte("null"), nil
	}
	return []byte(i), nil
}

func (i *id) UnmarshalJSON(data []byte) error {
	data = bytes.TrimSpace(data)
	switch {
	case len(data) == 0 || bytes.Equal(data, []byte("null")):
		*i = ""
	case data[0] == '"':
		// One spelling, so that "a" and "a" are the same request.
		var s string
		if err := json.Unmarshal(data, &s); err != nil {
			return err
		}
		spelled, err := json.Marshal(s)
		*i = id(spelled)
		return err
	case data[0] == '-' || data[0] >= '0' && data[0] <= '9':
		*i = id(data)
	default:
		return fmt.Errorf("an id is a number or a string, not %.20s", data)
	}
	return nil
}

// incoming is any message of the client.
type incoming struct {
	Version string          `json:"jsonrpc"`
	ID      *id             `json:"id"`
	Method  *string         `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   *jsonrpc2.Error `json:"error"`
}

// decode reads a message. With an error the id is still given where it could be read.
func decode(body []byte) (*incoming, error) {
	var m incoming
	if err := json.Unmarshal(body, &m); err != nil {
		var only struct {
			ID *id `json:"id"`
		}
		_ = json.Unmarshal(body, &only) // the id is all that is wanted of a broken message
		return &incoming{ID: only.ID}, fmt.Errorf("not a message: %w", err)
	}
	if m.Method == nil && m.ID == nil {
		return &m, errors.New("a message with neither method nor id")
	}
	return &m, nil
}

type outgoingRequest struct {
	Version string `json:"jsonrpc"`
	ID      id     `json:"id"`
	Method  string `json:"method"`
	Params  any    `json:"params,omitempty"`
}

type outgoingNotification struct {
	Version string `json:"jsonrpc"`
	Method  string `json:"method"`
	Params  any    `json:"params,omitempty"`
}

type outgoingResult struct {
	Version string `json:"jsonrpc"`
	ID      id     `json:"id"`
	Result  any    `json:"result"`
}

type outgoingError struct {
	Version string          `json:"jsonrpc"`
	ID      id              `json:"id"`
	Error   *jsonrpc2.Error `json:"error"`
}

// Codes of LSP that the library does not have.
const (
	requestCancelled jsonrpc2.Code = -32800
	contentModified  jsonrpc2.Code = -32801
	requestFailed    jsonrpc2.Code = -32803
)

func failure(code jsonrpc2.Code, format string, args ...any) *jsonrpc2.Error {
	return &jsonrpc2.Error{Code: code, Message: fmt.Sprintf(format, args...)}
}
