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

	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/seair"
)

// encode writes choices as the runtime reads them (struct record in unitproof_run.c).
func encode(choices []vcgen.Choice) []byte {
	var b bytes.Buffer
	for _, c := range choices {
		if c.Kind == seair.InParameter && c.Bytes != nil { // a struct
			fmt.Fprintf(&b, "c %d %s\n", c.Site, runs(c.Bytes))
			continue
		}
		switch c.Kind {
		case seair.InNondet, seair.InParameter, seair.InAsm:
			fmt.Fprintf(&b, "v %d %s\n", c.Site, littleEndian(c.Value, c.Bits))
		case seair.InUndef:
			fmt.Fprintf(&b, "u %d %s\n", c.Site, littleEndian(c.Value, c.Bits))
		case seair.InUninitialized, seair.InMalloc, seair.InHavoc:
			fmt.Fprintf(&b, "c %d %s\n", c.Site, runs(c.Bytes))
		case seair.InAllocFails:
			fmt.Fprintf(&b, "a %d %d\n", c.Site, digit(c.True))
		case seair.InWrites:
			fmt.Fprintf(&b, "w %d %d\n", c.Site, digit(c.True))
		case seair.InMissingBody:
			fmt.Fprintf(&b, "o %s %s\n", c.Name, runs(c.Bytes))
		case seair.InObject:
			if c.Site == 0 && c.Value != nil {
				fmt.Fprintf(&b, "f %s %x\n", c.Name, c.Value)
			}
		case seair.InGlobal:
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

// littleEndian is the hexadecimal form of a number of bits bits, least significant byte first.
func littleEndian(v *big.Int, bits int) string {
	n := (bits + 7) / 8
	buf := make([]byte, n)
	if v != nil {
		m := new(big.Int).And(v, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(bits)), big.NewInt(1)))
		m.FillBytes(buf)
	}
	slices.Reverse(buf)
	return hex.EncodeToString(buf)
}

// runs writes bytes by offset: OFFSET:HEX,...
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

// decode reads what the runtime has chosen at random, for vcgen.Confirm.
func decode(text string) ([]vcgen.Choice, error) {
	var list []vcgen.Choice
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
			slices.Reverse(raw)
			kinds := []seair.InputKind{seair.InNondet, seair.InAsm}
			if kind == "u" {
				kinds = []seair.InputKind{seair.InUndef}
			}
			if site < 0 {
				kinds = []seair.InputKind{seair.InParameter}
			}
			for _, k := range kinds {
				list = append(list, vcgen.Choice{Kind: k, Site: site, Value: new(big.Int).SetBytes(raw), Bits: len(raw) * 8})
			}
		case "a":
			list = append(list, vcgen.Choice{Kind: seair.InAllocFails, Site: site, True: data == "1"})
		case "c", "g":
			content := map[uint64]byte{}
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
					content[off+uint64(i)] = x
				}
			}
			if kind == "g" {
				list = append(list, vcgen.Choice{Kind: seair.InGlobal, Name: name, Bytes: content})
				continue
			}
			// Which of them it is the site says; content is asked for under one of them only.
			for _, k := range []seair.InputKind{seair.InUninitialized, seair.InMalloc, seair.InHavoc, seair.InParameter} {
				list = append(list, vcgen.Choice{Kind: k, Site: site, Bytes: content})
			}
		}
	}
	return list, nil
}
