package state

import (
	"math/big"
	"testing"
)

func TestSignedBig(t *testing.T) {
	v := BigValue(big.NewInt(-5), 128)
	if v.SignedBig(128).Int64() != -5 || BigValue(big.NewInt(-5), 8).Bits != 251 {
		t.Error("two's complement is wrong")
	}
}
