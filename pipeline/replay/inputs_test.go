package replay

import (
	"math/big"
	"reflect"
	"testing"

	"github.com/unitproof/unitproof/vcgen/choice"
)

func TestEncode(t *testing.T) {
	got := string(encode([]*choice.Choice{
		{Question: choice.Question{Kind: choice.Parameter, Site: -1, Bits: 32}, Value: big.NewInt(0x1234)},
		{Question: choice.Question{Kind: choice.Nondet, Site: 7, Bits: 9}, Value: big.NewInt(-1)},
		{Question: choice.Question{Kind: choice.Havoc, Site: 8}, Bytes: map[uint64]byte{0: 1, 1: 2, 9: 255}},
		{Question: choice.Question{Kind: choice.Malloc, Site: 9}},
		{Question: choice.Question{Kind: choice.AllocFails, Site: 9}, Value: big.NewInt(1)},
		{Question: choice.Question{Kind: choice.Writes, Site: 10}, Value: big.NewInt(1)},
		{Question: choice.Question{Kind: choice.MissingBody, Site: 10, Name: "9#0"}, Bytes: map[uint64]byte{3: 7}},
		{Question: choice.Question{Kind: choice.Global, Name: "g"}, Bytes: map[uint64]byte{0: 5}},
	}, false))
	want := "v -1 34120000\nv 7 ff01\nc 8 0:0102,9:ff\nc 9 \na 9 1\nw 10 1\no 9#0 3:07\ng g 0:05\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestDecode(t *testing.T) {
	list, err := decode("v -1 34120000\nv 7 ff01\nc 8 0:0102\nc 9 \na 9 1\ng g 0:05\n", false)
	if err != nil {
		t.Fatal(err)
	}
	find := func(kind choice.Kind, site int) *choice.Choice {
		for i := range list {
			if list[i].Kind == kind && list[i].Site == site {
				return list[i]
			}
		}
		t.Fatalf("no %s at %d", kind, site)
		return nil
	}
	if v := find(choice.Parameter, -1).Value.Int64(); v != 0x1234 {
		t.Errorf("parameter %d", v)
	}
	if v := find(choice.Nondet, 7).Value.Int64(); v != 0x1ff {
		t.Errorf("value %d", v)
	}
	for _, kind := range []choice.Kind{choice.Havoc, choice.Malloc, choice.Uninitialized} {
		if b := find(kind, 8).Bytes; !reflect.DeepEqual(b, map[uint64]byte{0: 1, 1: 2}) {
			t.Errorf("%s %v", kind, b)
		}
	}
	if !find(choice.AllocFails, 9).True() || find(choice.Global, 0).Name != "g" {
		t.Errorf("%+v", list)
	}
	for _, bad := range []string{"v x 00\n", "v 1 0\n", "c 1 0:zz\n"} {
		if _, err := decode(bad, false); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}
