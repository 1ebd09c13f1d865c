package replay

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/unitproof/unitproof/vcgen/choice"
)

// encode serializes choices for the runtime (struct record in unitproof_run.c). bigEndian is the byte order of the
// machine.
func encode(choices []*choice.Choice, bigEndian bool) []byte {
	var b bytes.Buffer
	for _, c := range choices {
		if (c.Kind == choice.Parameter || c.Kind == choice.Nondet) && c.Content { // a struct
			fmt.Fprintf(&b, "c %d %s\n", c.Site, runs(c.Bytes))
			continue
		}
		switch c.Kind {
		case choice.Nondet, choice.Parameter, choice.Asm:
			fmt.Fprintf(&b, "v %d %s\n", c.Site, inMemory(c.Value, c.Bits, bigEndian))
		case choice.Undef:
			fmt.Fprintf(&b, "u %d %s\n", c.Site, inMemory(c.Value, c.Bits, bigEndian))
		case choice.Uninitialized, choice.Malloc, choice.Havoc:
			fmt.Fprintf(&b, "c %d %s\n", c.Site, runs(c.Bytes))
		case choice.AllocFails:
			fmt.Fprintf(&b, "a %d %d\n", c.Site, digit(c.True()))
		case choice.Writes:
			fmt.Fprintf(&b, "w %d %d\n", c.Site, digit(c.True()))
		case choice.MissingBody:
			fmt.Fprintf(&b, "o %s %s\n", c.Name, runs(c.Bytes))
		case choice.Object:
			if c.Site == 0 {
				fmt.Fprintf(&b, "f %s %x\n", c.Name, c.Value)
			}
		case choice.Global:
			fmt.Fprintf(&b, "g %s %s\n", c.Name, runs(c.Bytes))
		}
	}
	return b.Bytes()
}

func digit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// inMemory returns the hexadecimal form of a number of bits bits, in the byte order of a machine.
func inMemory(v *big.Int, bits int, bigEndian bool) string {
	n := (bits + 7) / 8
	buf := make([]byte, n)
	if v != nil {
		m := new(big.Int).And(v, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(bits)), big.NewInt(1)))
		m.FillBytes(buf)
	}
	if !bigEndian {
		slices.Reverse(buf)
	}
	return hex.EncodeToString(buf)
}

// runs serializes bytes by offset: OFFSET:HEX,...
func runs(content map[uint64]byte) string {
	var b strings.Builder
	last := uint64(0)
	for i, off := range slices.Sorted(maps.Keys(content)) {
		if i == 0 || off != last+1 {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, "%d:", off)
		}
		fmt.Fprintf(&b, "%02x", content[off])
		last = off
	}
	return b.String()
}

// decode parses the random choices of the runtime, for vcgen.Confirm.
func decode(text string, bigEndian bool) ([]*choice.Choice, error) {
	var list []*choice.Choice
	number := func(q choice.Question, v *big.Int) { list = append(list, &choice.Choice{Question: q, Value: v}) }
	content := func(q choice.Question, bytes map[uint64]byte) {
		q.Content = true
		list = append(list, &choice.Choice{Question: q, Bytes: bytes})
	}
	for line := range strings.Lines(text) {
		kind, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		name, data, _ := strings.Cut(rest, " ")
		site, err := strconv.Atoi(name)
		if err != nil && kind != "g" {
			return nil, fmt.Errorf("inputs of a native run: %q", line)
		}
		switch kind {
		case "v", "u":
			raw, err := hex.DecodeString(data)
			if err != nil {
				return nil, fmt.Errorf("inputs of a native run: %w", err)
			}
			if !bigEndian {
				slices.Reverse(raw)
			}
			kinds := []choice.Kind{choice.Nondet, choice.Asm}
			if kind == "u" {
				kinds = []choice.Kind{choice.Undef}
			}
			if site < 0 {
				kinds = []choice.Kind{choice.Parameter}
			}
			for _, k := range kinds {
				number(choice.Question{Kind: k, Site: site, Bits: len(raw) * 8}, new(big.Int).SetBytes(raw))
			}
		case "a":
			number(choice.Question{Kind: choice.AllocFails, Site: site}, big.NewInt(int64(digit(data == "1"))))
		case "c", "g":
			bytes := map[uint64]byte{}
			for _, run := range strings.Split(data, ",") {
				at, hexed, ok := strings.Cut(run, ":")
				if !ok {
					continue
				}
				off, err := strconv.ParseUint(at, 10, 64)
				raw, err2 := hex.DecodeString(hexed)
				if err != nil || err2 != nil {
					return nil, fmt.Errorf("inputs of a native run: %q", run)
				}
				for i, x := range raw {
					bytes[off+uint64(i)] = x
				}
			}
			if kind == "g" {
				content(choice.Question{Kind: choice.Global, Name: name}, bytes)
				continue
			}
			// The text does not contain the kind. The site determines it: each site asks for content of one kind only.
			for _, k := range []choice.Kind{choice.Uninitialized, choice.Malloc, choice.Havoc, choice.Parameter,
				choice.Nondet} {
				content(choice.Question{Kind: k, Site: site}, bytes)
			}
		}
	}
	return list, nil
}
