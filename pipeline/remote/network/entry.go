package network

import (
	"bytes"
	"compress/flate"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"

	reapi "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"google.golang.org/protobuf/proto"

	"github.com/unitproof/unitproof/pipeline/remote"
)

// The transport format of an entry is
//
//	magic (8 bytes), sum (32), signature (64; zeros: none), content (deflated)
//
// sum is the SHA-256 of kind, key and the deflated content, so an entry under a wrong key is rejected; the signature is
// that of the sum. The entry is the standard output of an action with kind and key as its salt, in an ActionResult of
// the Remote Execution API: inline if it is small, otherwise in the store of contents.

const (
	magic     = "uprove1\n"
	headSize  = len(magic) + sha256.Size + ed25519.SignatureSize
	maxInline = 64 << 10 // maximal bytes of an inline entry
	maxEntry  = 64 << 20 // bytes of an entry in transport format
	maxResult = 1 << 20  // bytes of an ActionResult
	// Bounds of a decompressed entry: bytes, and ratio.
	maxContent, maxRatio = 256 << 20, 400
)

// digest identifies contents by their SHA-256, in hexadecimal, and their size in bytes.
type digest struct {
	hash string
	size int64
}

func digestOf(data []byte) digest {
	sum := sha256.Sum256(data)
	return digest{hex.EncodeToString(sum[:]), int64(len(data))}
}

func (d digest) message() *reapi.Digest { return &reapi.Digest{Hash: d.hash, SizeBytes: d.size} }

// action returns the action of an entry. It cannot be executed: it has no command.
func action(kind string, key remote.Key) digest {
	none := digestOf(nil).message()
	text, err := proto.MarshalOptions{Deterministic: true}.Marshal(&reapi.Action{
		CommandDigest: none, InputRootDigest: none, Salt: append([]byte("unitproof entry 1 "+kind+"\x00"), key[:]...)})
	if err != nil {
		return digest{} // impossible: no field can be wrong
	}
	return digestOf(text)
}

func sumOf(kind string, key remote.Key, packed []byte) [sha256.Size]byte {
	h := sha256.New()
	h.Write([]byte(magic + kind + "\x00"))
	h.Write(key[:])
	h.Write(packed)
	return [sha256.Size]byte(h.Sum(nil))
}

// encode returns an entry in transport format.
func encode(kind string, key remote.Key, content []byte, sign ed25519.PrivateKey) ([]byte, error) {
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

var errForeign = errors.New("the entry differs from the stored one")

// decode returns the content of an entry. The sum must be right and, if there are keys, the signature that of one of
// them.
func decode(kind string, key remote.Key, entry []byte, keys []ed25519.PublicKey) ([]byte, error) {
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
	most := min(maxContent, max(maxRatio*len(packed), 1<<20))
	content, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), int64(most)+1))
	if err != nil || len(content) > most {
		return nil, errForeign
	}
	return content, nil
}

// actionResult returns an ActionResult with entry as its standard output, and whether it is inline.
func actionResult(entry []byte) (result []byte, inline bool, err error) {
	r := &reapi.ActionResult{}
	if inline = len(entry) <= maxInline; inline {
		r.StdoutRaw = entry
	} else {
		r.StdoutDigest = digestOf(entry).message()
	}
	result, err = proto.Marshal(r)
	return result, inline, err
}

// parseResult returns the standard output of an ActionResult: the entry, or else its digest. Other fields are ignored,
// since servers add some.
func parseResult(result []byte) (entry []byte, at digest, err error) {
	var r reapi.ActionResult
	if proto.Unmarshal(result, &r) != nil {
		return nil, digest{}, errForeign
	}
	if len(r.StdoutRaw) > 0 {
		return r.StdoutRaw, digest{}, nil
	}
	at = digest{r.StdoutDigest.GetHash(), r.StdoutDigest.GetSizeBytes()}
	if sum, err := hex.DecodeString(at.hash); err != nil || len(sum) != sha256.Size || at.size < 0 || at.size > maxEntry {
		return nil, digest{}, errForeign
	}
	return nil, at, nil
}
