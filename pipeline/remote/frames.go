package remote

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// This program and unitproof-remote exchange frames: the length of a header and the length of a body (four bytes each,
// most significant first), the header in JSON, and the body, which is the content of an entry or a task. The first
// request is Open. Each request has one reply with its number, except Put and Cancel; replies come in any order.

// Protocol is the version of these messages; a program with another version answers Open with an error.
const Protocol = 3

// Op is the operation of a request.
type Op string

// Operations.
const (
	Open   Op = "open"   // use Config or Cluster; Reply.Error is an error of the configuration
	Get    Op = "get"    // read an entry: Reply.OK, and the body
	Put    Op = "put"    // store the body as an entry in the background, if possible; no reply
	Status Op = "status" // report whether the server is used
	Flush  Op = "flush"  // wait for the writes of Put, for at most Most
	Ping   Op = "ping"   // test the server; Reply.Error is its error

	Execute Op = "execute" // execute the task in the body: Reply.OK, and its result as the body, else Reply.Error
	Cancel  Op = "cancel"  // abandon the Execute with that number
)

// Key is the key of an entry of a kind.
type Key = [32]byte

// Request is the header of a request.
type Request struct {
	ID       uint64
	Op       Op
	Protocol int           `json:",omitempty"`
	Config   *Config       `json:",omitempty"`
	Cluster  *Cluster      `json:",omitempty"`
	Program  string        `json:",omitempty"` // the file that the cluster's workers run
	Kind     string        `json:",omitempty"`
	Key      []byte        `json:",omitempty"`
	Most     time.Duration `json:",omitempty"` // of Execute: limit of the worker's time
	Anew     bool          `json:",omitempty"` // of Execute: ignore existing results
}

// Reply is the header of a reply.
type Reply struct {
	ID uint64
	OK bool `json:",omitempty"`
	// Usable and Writable report whether the server is used for reading and writing at present. A reply to Execute with an
	// Error is Usable if the next task may succeed.
	Usable   bool   `json:",omitempty"`
	Writable bool   `json:",omitempty"`
	Error    string `json:",omitempty"`
	// Longest bounds the time of an answer to Get; it is in the reply to Open.
	Longest time.Duration `json:",omitempty"`
}

// Bounds of the lengths in a frame, in bytes.
const (
	maxHeader = 1 << 20
	maxBody   = 256 << 20
)

// WriteFrame writes one frame with one call.
func WriteFrame(w io.Writer, header any, body []byte) error {
	text, err := json.Marshal(header)
	if err != nil {
		return err
	}
	if len(text) > maxHeader || len(body) > maxBody {
		return fmt.Errorf("a frame of %d and %d bytes", len(text), len(body))
	}
	frame := make([]byte, 8, 8+len(text)+len(body))
	binary.BigEndian.PutUint32(frame, uint32(len(text)))
	binary.BigEndian.PutUint32(frame[4:], uint32(len(body)))
	_, err = w.Write(append(append(frame, text...), body...))
	return err
}

// ReadFrame reads a frame; it returns io.EOF at the end.
func ReadFrame(r io.Reader, header any) (body []byte, err error) {
	var head [8]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	n, m := binary.BigEndian.Uint32(head[:]), binary.BigEndian.Uint32(head[4:])
	if n > maxHeader || m > maxBody {
		return nil, fmt.Errorf("a frame of %d and %d bytes, above the limit", n, m)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(r, text); err != nil {
		return nil, io.ErrUnexpectedEOF
	}
	if err := json.Unmarshal(text, header); err != nil {
		return nil, err
	}
	if m == 0 {
		return nil, nil
	}
	body = make([]byte, m)
	if _, err := io.ReadFull(r, body); err != nil {
		return nil, io.ErrUnexpectedEOF
	}
	return body, nil
}
