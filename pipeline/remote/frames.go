package remote

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// Between this program and unitproof-remote go frames: the length of a header and the length of a body (four bytes
// each, most significant first), the header in JSON, and the body, the content of an entry or a task, as it is. The
// first request is Open. Each request but Put and Cancel has one reply with its number; replies come in any order.

// Protocol is the version of these messages; a program of another one answers nothing but that.
const Protocol = 3

// Op is what is asked for.
type Op string

// What can be asked for.
const (
	Open   Op = "open"   // use Config or Cluster; Reply.Error says what is wrong with it
	Get    Op = "get"    // an entry: Reply.OK, and the body
	Put    Op = "put"    // keep the body as an entry, soon and if it can; there is no reply
	Status Op = "status" // whether the server is used
	Flush  Op = "flush"  // wait until what was put is there, for at most Most
	Ping   Op = "ping"   // ask the server for anything; Reply.Error says what is wrong with it

	Execute Op = "execute" // have a task, the body, executed: Reply.OK, and its result as the body, else Reply.Error
	Cancel  Op = "cancel"  // nobody wants the reply to the Execute with that number any more
)

// Key names an entry of a kind.
type Key = [32]byte

// Request is the header of what is asked for.
type Request struct {
	ID       uint64
	Op       Op
	Protocol int           `json:",omitempty"`
	Config   *Config       `json:",omitempty"`
	Cluster  *Cluster      `json:",omitempty"`
	Program  string        `json:",omitempty"` // the file that the cluster's workers run
	Kind     string        `json:",omitempty"`
	Key      []byte        `json:",omitempty"`
	Most     time.Duration `json:",omitempty"` // of Execute: how long the worker may take
	Anew     bool          `json:",omitempty"` // of Execute: results that stand there do not count
}

// Reply is the header of an answer.
type Reply struct {
	ID uint64
	OK bool `json:",omitempty"`
	// Usable and Writable tell whether the server is asked, and told, anything at present. A reply to Execute with an
	// Error is Usable where the next task may well be executed.
	Usable   bool   `json:",omitempty"`
	Writable bool   `json:",omitempty"`
	Error    string `json:",omitempty"`
	// Longest is what an answer to Get may take, in the reply to Open.
	Longest time.Duration `json:",omitempty"`
}

// Bounds of what a frame says about itself, in bytes.
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

// ReadFrame reads a frame; io.EOF: there is none any more.
func ReadFrame(r io.Reader, header any) (body []byte, err error) {
	var head [8]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	n, m := binary.BigEndian.Uint32(head[:]), binary.BigEndian.Uint32(head[4:])
	if n > maxHeader || m > maxBody {
		return nil, fmt.Errorf("a frame that wants to have %d and %d bytes", n, m)
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
