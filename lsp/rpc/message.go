package rpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"go.lsp.dev/jsonrpc2"
)

// ID is the ID of a request in its original spelling: a number of any size, a string or null. The library's IDs are
// 32 bits wide and end the connection beyond that.
type ID string

func (i ID) MarshalJSON() ([]byte, error) {
	if i == "" {
		return []byte("null"), nil
	}
	return []byte(i), nil
}

func (i *ID) UnmarshalJSON(data []byte) error {
	data = bytes.TrimSpace(data)
	switch {
	case len(data) == 0 || bytes.Equal(data, []byte("null")):
		*i = ""
	case data[0] == '"':
		// Strings are normalized, so that escaped spellings are the same ID.
		var s string
		if err := json.Unmarshal(data, &s); err != nil {
			return err
		}
		spelled, err := json.Marshal(s)
		*i = ID(spelled)
		return err
	case data[0] == '-' || data[0] >= '0' && data[0] <= '9':
		*i = ID(data)
	default:
		return fmt.Errorf("an id is a number or a string, not %.20s", data)
	}
	return nil
}

// Message is a message of the client.
type Message struct {
	Version string          `json:"jsonrpc"`
	ID      *ID             `json:"id"`
	Method  *string         `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   *jsonrpc2.Error `json:"error"`
}

// decode decodes a message. With an error it still returns the ID, if that can be read.
func decode(body []byte) (*Message, error) {
	var m Message
	if err := json.Unmarshal(body, &m); err != nil {
		var only struct {
			ID *ID `json:"id"`
		}
		_ = json.Unmarshal(body, &only) // only the ID of a broken message is needed
		return &Message{ID: only.ID}, fmt.Errorf("not a message: %w", err)
	}
	if m.Method == nil && m.ID == nil {
		return &m, errors.New("a message with neither method nor id")
	}
	return &m, nil
}

type outgoingRequest struct {
	Version string `json:"jsonrpc"`
	ID      ID     `json:"id"`
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
	ID      ID     `json:"id"`
	Result  any    `json:"result"`
}

type outgoingError struct {
	Version string          `json:"jsonrpc"`
	ID      ID              `json:"id"`
	Error   *jsonrpc2.Error `json:"error"`
}

// Error codes of LSP that the library lacks.
const (
	RequestCancelled jsonrpc2.Code = -32800
	RequestFailed    jsonrpc2.Code = -32803
)

// Failure returns an error for the response to a request.
func Failure(code jsonrpc2.Code, format string, args ...any) *jsonrpc2.Error {
	return &jsonrpc2.Error{Code: code, Message: fmt.Sprintf(format, args...)}
}
