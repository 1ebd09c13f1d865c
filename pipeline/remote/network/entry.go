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

// An entry on the way is
//
//	magic (8 bytes), sum (32), signature (64; zeros: none), content (deflated)
//
// sum is the SHA-256 of kind, key and the deflated content, so an entry that was put elsewhere is none here; the
// signature is of the sum. It stands in an ActionResult of the Remote Execution API, as the standard output of an
// action with kind and key as its salt: in it, where it is small, else in the store of contents.

const (
	magic     = "uprove1\n"
	headSize  = len(magic) + sha256.Size + ed25519.SignatureSize
	maxInline = 64 << 10 // bytes of an entry that stands in its ActionResult
	maxEntry  = 64 << 20 // bytes of an entry on the way
	maxResult = 1 << 20  // bytes of an ActionResult
	// What an entry may become: so many bytes, and so many times its own.
	maxContent, maxRatio = 256 << 20, 400
)

// digest names contents: their SHA-256, in hexadecimal, and how many bytes they have.
type digest struct {
	hash string
	size int64
}

func digestOf(data []byte) digest {
	sum := sha256.Sum256(data)
	return digest{hex.EncodeToString(sum[:]), int64(len(data))}
}

func (d digest) message() *reapi.Digest { return &reapi.Digest{Hash: d.hash, SizeBytes: d.size} }

// action names the action under which an entry is kept. Nobody could execute it: it has no command.
func action(kind string, key remote.Key) digest {
	none := digestOf(nil).message()
	text, err := proto.MarshalOptions{Deterministic: true}.Marshal(&reapi.Action{
		CommandDigest: none, InputRootDigest: none, Salt: append([]byte("unitproof entry 1 "+kind+"\x00"), key[:]...)})
	if err != nil {
		return digest{} // cannot be: none of the fields can be wrong
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

// encode writes an entry down.
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

var errForeign = errors.New("the entry is not what was put")

// decode is the content of an entry, if it is what was put there, and was signed with one of the keys where there are
// any.
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

// actionResult is an ActionResult with that standard output; inline: the whole of it.
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

// parseResult reads what an ActionResult says of the standard output: the entry, or else its digest. Other fields are
// passed over, since servers add some.
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
