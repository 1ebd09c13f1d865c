package rpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"go.lsp.dev/jsonrpc2"
)

// ID is the id of a request as it stood in the message: a number of any size, a string or null. The
// library's ids are 32 bits wide and end the connection beyond that.
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
		// One spelling, so that "a" and "a" are the same request.
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

// Message is any message of the client.
type Message struct {
	Version string          `json:"jsonrpc"`
	ID      *ID             `json:"id"`
	Method  *string         `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   *jsonrpc2.Error `json:"error"`
}

// decode reads a message. With an error the id is still given where it could be read.
func decode(body []byte) (*Message, error) {
	var m Message
	if err := json.Unmarshal(body, &m); err != nil {
		var only struct {
			ID *ID `json:"id"`
		}
		_ = json.Unmarshal(body, &only) // the id is all that is wanted of a broken message
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

// Codes of LSP that the library does not have.
const (
	RequestCancelled jsonrpc2.Code = -32800
	RequestFailed    jsonrpc2.Code = -32803
)

// Failure is an error that a request is answered with.
func Failure(code jsonrpc2.Code, format string, args ...any) *jsonrpc2.Error {
	return &jsonrpc2.Error{Code: code, Message: fmt.Sprintf(format, args...)}
}
