package remote

import (
	"bytes"
	"compress/flate"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"

	"google.golang.org/protobuf/encoding/protowire"
)

// An entry on the way is
//
//	magic (8 bytes), sum (32), signature (64; zeros: none), content (deflated)
//
// sum is the SHA-256 of kind, key and the deflated content, so an entry that was put elsewhere is none here; the
// signature is of the sum. It stands in an ActionResult of the Remote Execution API under the hash of kind and key, as
// the standard output of that action: in it, where it is small, else in the store of contents.

const (
	magic     = "uprove1\n"
	headSize  = len(magic) + sha256.Size + ed25519.SignatureSize
	maxInline = 64 << 10 // bytes of an entry that stands in its ActionResult
	maxEntry  = 64 << 20 // bytes of an entry on the way
	maxResult = 1 << 20  // bytes of an ActionResult
	// maxContent bounds what an entry may become, in bytes.
	maxContent = 256 << 20
)

// Key names an entry of a kind.
type Key = [sha256.Size]byte

// action is the hash under which an entry is kept.
func action(kind string, key Key) string {
	h := sha256.New()
	h.Write([]byte("unitproof entry 1 " + kind + "\x00"))
	h.Write(key[:])
	return hex.EncodeToString(h.Sum(nil))
}

func sumOf(kind string, key Key, packed []byte) [sha256.Size]byte {
	h := sha256.New()
	h.Write([]byte(magic + kind + "\x00"))
	h.Write(key[:])
	h.Write(packed)
	return [sha256.Size]byte(h.Sum(nil))
}

// encode writes an entry down.
func encode(kind string, key Key, content []byte, sign ed25519.PrivateKey) ([]byte, error) {
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestSpeed)
	if err == nil {
		_, err = w.Write(content)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return nil, err
	}
	sum := sumOf(kind, key, packed.Bytes())
	signature := make([]byte, ed25519.SignatureSize)
	if sign != nil {
		signature = ed25519.Sign(sign, sum[:])
	}
	entry := append([]byte(magic), sum[:]...)
	entry = append(entry, signature...)
	return append(entry, packed.Bytes()...), nil
}

var errForeign = errors.New("the entry is not what was put")

// decode is the content of an entry, if it is what was put there, and was signed with one of the keys where there are
// any.
func decode(kind string, key Key, entry []byte, keys []ed25519.PublicKey) ([]byte, error) {
	if len(entry) < headSize || string(entry[:len(magic)]) != magic {
		return nil, errForeign
	}
	rest := entry[len(magic):]
	sum, signature, packed := rest[:sha256.Size], rest[sha256.Size:][:ed25519.SignatureSize], entry[headSize:]
	if want := sumOf(kind, key, packed); !bytes.Equal(sum, want[:]) {
		return nil, errForeign
	}
	signed := len(keys) == 0
	for _, k := range keys {
		signed = signed || ed25519.Verify(k, sum, signature)
	}
	if !signed {
		return nil, errForeign
	}
	content, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), maxContent+1))
	if err != nil || len(content) > maxContent {
		return nil, errForeign
	}
	return content, nil
}

// Numbers of the fields of an ActionResult and of a Digest (remote_execution.proto).
const (
	fieldStdoutRaw    = 5
	fieldStdoutDigest = 6
	fieldHash         = 1
	fieldSize         = 2
)

// actionResult is an ActionResult with that standard output; contentHash is the hash of an entry that does not stand in
// it, else "".
func actionResult(entry []byte) (result []byte, contentHash string) {
	if len(entry) <= maxInline {
		result = protowire.AppendTag(nil, fieldStdoutRaw, protowire.BytesType)
		return protowire.AppendBytes(result, entry), ""
	}
	sum := sha256.Sum256(entry)
	contentHash = hex.EncodeToString(sum[:])
	digest := protowire.AppendTag(nil, fieldHash, protowire.BytesType)
	digest = protowire.AppendString(digest, contentHash)
	digest = protowire.AppendTag(digest, fieldSize, protowire.VarintType)
	digest = protowire.AppendVarint(digest, uint64(len(entry)))
	result = protowire.AppendTag(nil, fieldStdoutDigest, protowire.BytesType)
	return protowire.AppendBytes(result, digest), contentHash
}

// parseResult reads what an ActionResult says of the standard output: the entry, or its hash and size. Other fields are
// passed over, since servers add some.
func parseResult(result []byte) (entry []byte, contentHash string, size uint64, err error) {
	err = fields(result, func(number protowire.Number, data []byte, _ uint64) error {
		switch number {
		case fieldStdoutRaw:
			entry = data
		case fieldStdoutDigest:
			return fields(data, func(number protowire.Number, data []byte, n uint64) error {
				switch number {
				case fieldHash:
					contentHash = string(data)
				case fieldSize:
					size = n
				}
				return nil
			})
		}
		return nil
	})
	if sum, e := hex.DecodeString(contentHash); err == nil && entry == nil && (e != nil || len(sum) != sha256.Size ||
		size > maxEntry) {
		err = errForeign
	}
	return entry, contentHash, size, err
}

// fields calls f for each field of a message, with its bytes or its number.
func fields(message []byte, f func(number protowire.Number, data []byte, n uint64) error) error {
	for len(message) > 0 {
		number, kind, length := protowire.ConsumeTag(message)
		if length < 0 {
			return errForeign
		}
		message = message[length:]
		var data []byte
		var n uint64
		switch kind {
		case protowire.BytesType:
			data, length = protowire.ConsumeBytes(message)
		case protowire.VarintType:
			n, length = protowire.ConsumeVarint(message)
		default:
			length = protowire.ConsumeFieldValue(number, kind, message)
		}
		if length < 0 {
			return errForeign
		}
		message = message[length:]
		if err := f(number, data, n); err != nil {
			return err
		}
	}
	return nil
}
