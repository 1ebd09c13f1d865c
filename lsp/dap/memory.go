package dap

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	protocol "github.com/google/go-dap"

	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp/inspect"
	"github.com/unitproof/unitproof/vcgen/interp/recording"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// memoryReference returns "object N" with an offset, such as "object 12+0x20". It is no address, since objects with
// different lifetimes may share addresses.
func memoryReference(object int, off int64) string {
	if off < 0 {
		return fmt.Sprintf("object %d-0x%x", object, -off)
	}
	return fmt.Sprintf("object %d+0x%x", object, off)
}

// memoryOf returns the start of a value's memory view: the target of a pointer, else the value's own location; "" if
// there is none.
func memoryOf(v inspect.Value) string {
	if object, off, ok := v.Target(); ok {
		return memoryReference(object, off)
	}
	if t := v.Type(); t != nil && t.Kind == llvmir.DIPointer {
		return ""
	}
	if object, off, _, ok := v.Place(); ok {
		return memoryReference(object, int64(off))
	}
	return ""
}

func parseMemory(ref string) (object int, off int64, err error) {
	text, ok := strings.CutPrefix(ref, "object ")
	if i := strings.IndexAny(text, "+-"); ok && i > 0 {
		object, err = strconv.Atoi(text[:i])
		if err == nil {
			off, err = strconv.ParseInt(strings.Replace(strings.TrimPrefix(text[i:], "+"), "-0x", "0x-", 1), 0, 64)
			if err != nil && text[i] == '-' {
				off, err = strconv.ParseInt(text[i+1:], 0, 64)
				off = -off
			}
		}
		if err == nil {
			return object, off, nil
		}
	}
	return 0, 0, fmt.Errorf("%q names no memory: use the reference of a variable", ref)
}

// maxRead is the largest number of bytes in a response.
const maxRead = 1 << 20

// readMemory reads the bytes of an object; bytes outside of it are not readable. Bytes that the execution never reads
// are 0.
func (s *session) readMemory(a *protocol.ReadMemoryArguments) (protocol.ReadMemoryResponseBody, error) {
	object, off, err := parseMemory(a.MemoryReference)
	if err != nil {
		return protocol.ReadMemoryResponseBody{}, err
	}
	o, ok := s.run.Object(object)
	if !ok {
		return protocol.ReadMemoryResponseBody{}, errors.New("this object does not exist at this moment")
	}
	off += int64(a.Offset)
	body := protocol.ReadMemoryResponseBody{Address: fmt.Sprintf("0x%x", o.Address+uint64(off))}
	if a.Count <= 0 {
		return body, nil
	}
	count := min(a.Count, maxRead)
	if off < 0 || uint64(off) >= o.Size {
		body.UnreadableBytes = a.Count
		return body, nil
	}
	var data []byte
	for _, b := range s.run.Memory(object, uint64(off), uint64(count)) {
		data = append(data, b.Value)
	}
	body.Data = base64.StdEncoding.EncodeToString(data)
	body.UnreadableBytes = a.Count - len(data)
	return body, nil
}

func (s *session) objectName(object int) string {
	if o, ok := s.run.Object(object); ok {
		return o.Name
	}
	return "memory"
}

// objectLines describes the object of the violation at the current moment.
func (s *session) objectLines() []child {
	a := s.run.Accused()
	o, ok := s.run.Object(a.Object)
	if !ok {
		return []child{{name: "object", text: "does not exist yet at this moment"}}
	}
	out := []child{{name: "object", text: o.Describe(), memory: memoryReference(a.Object, 0)}}
	if a.N > 0 {
		verb := "reads"
		if a.Write {
			verb = "writes"
		}
		if s.debuggee.Finding.Kind == found.ArrayBounds {
			verb = "uses"
		}
		where := position(a, o)
		if s.debuggee.Finding.Kind == found.ArrayBounds && where == inside {
			where = "inside of the object, but outside of the array in it"
		}
		out = append(out, child{name: "violation", text: fmt.Sprintf("%s %s at offset %d: %s", verb, plural(a.N, "byte"),
			a.Off, where)})
	}
	out = append(out, child{name: "bounds", text: fmt.Sprintf("offsets 0 to %d, addresses 0x%x to 0x%x", int64(o.Size)-1,
		o.Address, o.Address+max(o.Size, 1)-1)})
	if o.Size == 0 {
		out[len(out)-1].text = fmt.Sprintf("no bytes, address 0x%x", o.Address)
	}
	alive := "yes"
	if !o.Live {
		alive = "no"
	}
	out = append(out, child{name: "alive", text: alive})
	made, ended := "allocated", "freed"
	if o.Storage != "heap" {
		made, ended = "declared", "out of scope"
	}
	out = append(out, child{name: made, text: s.site(o.Made)})
	if !o.Live {
		out = append(out, child{name: ended, text: s.site(o.Ended)})
	}
	if o.ReadOnly {
		out = append(out, child{name: "constant", text: "yes: it must not be written"})
	}
	if w, ok := s.run.LastWrite(a.Object, 0, o.Size, s.run.At()); ok {
		text := fmt.Sprintf("%s at offset %d", plural(w.N, "byte"), w.Off)
		if l := s.placeOf(w.At); l != nil {
			text += " by " + s.site(l)
		}
		out = append(out, child{name: "last write", text: text})
	} else {
		out = append(out, child{name: "last write", text: "none so far"})
	}
	if o.Type != nil {
		if v, ok := s.run.ObjectValue(a.Object); ok {
			out = append(out, child{name: "value", value: &v})
		}
	}
	rows := (int(min(o.Size, 1<<30)) + bytesPerRow - 1) / bytesPerRow
	if rows > 0 {
		out = append(out, child{name: "bytes", text: summary(s.run.Memory(a.Object, 0, min(o.Size, 1<<16)), o.Size),
			node: &node{kind: bytesNode}, count: rows, memory: memoryReference(a.Object, 0)})
	}
	return out
}

const inside = "inside of it"

// position returns the position of an access relative to its object.
func position(a recording.Accused, o inspect.Object) string {
	end := a.Off + int64(a.N)
	switch {
	case a.Off < 0:
		return plural(uint64(-a.Off), "byte") + " before its beginning"
	case uint64(a.Off) == o.Size:
		return "just behind its end"
	case uint64(a.Off) > o.Size:
		return plural(uint64(a.Off)-o.Size, "byte") + " behind its end"
	case uint64(end) > o.Size:
		if over := uint64(end) - o.Size; over > 1 {
			return fmt.Sprintf("the last %d bytes lie behind its end", over)
		}
		return "the last byte lies behind its end"
	}
	return inside
}

func plural(n uint64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func (s *session) site(l *llvmir.Loc) string {
	if l == nil || l.Line == 0 {
		return "at an unknown place"
	}
	text := fmt.Sprintf("%s:%d", s.files.short(l.File), l.Line)
	if l.Scope != nil && l.Scope.Function != "" {
		text = l.Scope.Function + " at " + text
	}
	return text
}

// summary returns the number of written bytes.
func summary(list []inspect.Byte, size uint64) string {
	n := 0
	for _, b := range list {
		if b.Written {
			n++
		}
	}
	text := fmt.Sprintf("%d of %s written", n, plural(uint64(len(list)), "byte"))
	if uint64(len(list)) < size {
		text = "the first " + text
	}
	return text
}

const bytesPerRow = 16

// rows shows the bytes of an object, 16 in a row: "--" was never written, "??" is any value, since the execution
// never reads it. A star marks bytes of the violation.
func (s *session) rows(object, start, count int) []child {
	o, ok := s.run.Object(object)
	if !ok {
		return nil
	}
	a := s.run.Accused()
	total := (int(min(o.Size, 1<<30)) + bytesPerRow - 1) / bytesPerRow
	end := total
	if count > 0 {
		end = min(total, start+count)
	}
	var out []child
	for row := max(start, 0); row < end; row++ {
		off := uint64(row) * bytesPerRow
		var hex, text strings.Builder
		for i, b := range s.run.Memory(object, off, bytesPerRow) {
			at := int64(off) + int64(i)
			mark := " "
			if a.Object == object && a.Off <= at && at < a.Off+int64(a.N) {
				mark = "*"
			}
			hex.WriteString(mark)
			switch {
			case !b.Written:
				hex.WriteString("--")
			case !b.Known:
				hex.WriteString("??")
			default:
				fmt.Fprintf(&hex, "%02x", b.Value)
			}
			if b.Known && b.Value >= 0x20 && b.Value < 0x7f {
				text.WriteByte(b.Value)
			} else {
				text.WriteByte('.')
			}
		}
		out = append(out, child{name: fmt.Sprintf("%d", off), text: strings.TrimPrefix(hex.String(), " ") + "  " +
			text.String(), memory: memoryReference(object, int64(off)), node: &node{kind: rowNode, row: off}})
	}
	return out
}

// row shows the bytes of a row one by one, with the last writer of each.
func (s *session) row(object int, off uint64) []child {
	var out []child
	for i, b := range s.run.Memory(object, off, bytesPerRow) {
		at := off + uint64(i)
		text := "any value"
		if b.Known {
			text = fmt.Sprintf("0x%02x", b.Value)
			if b.Value >= 0x20 && b.Value < 0x7f {
				text += fmt.Sprintf(" %q", rune(b.Value))
			}
		}
		if w, ok := s.run.LastWrite(object, at, 1, s.run.At()); ok {
			text += ", written"
			if l := s.placeOf(w.At); l != nil {
				text += " by " + s.site(l)
			}
		} else if !b.Written {
			text += ", never written"
		}
		out = append(out, child{name: fmt.Sprintf("[%d]", at), text: text, memory: memoryReference(object, int64(at))})
	}
	return out
}
