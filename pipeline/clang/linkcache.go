package clang

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/unitproof/unitproof/pipeline/cache"
	"github.com/unitproof/unitproof/vcgen/found"
)

// linked is the cached result for the units of a request: the program, or how the units have to be recompiled first.
type linked struct {
	AllStatics bool `json:",omitempty"` // compile the entry's file again, with all static functions

	Text                      [32]byte // hash of the program's text
	Missing, MissingVariables []string
	Notes                     []found.Assumption  `json:",omitempty"`
	Defined                   map[string][]string `json:",omitempty"` // see Module.Defined

	text []byte
}

// linkKey returns the key of a linked program. It contains the texts of the units, the request, the tools, and this
// program, which does the resolution.
func (c *compilation) linkKey(units []Unit, results []*compiled) (cache.Key, bool) {
	engine, err := cache.Engine()
	if c.request.Store == nil || err != nil {
		return cache.Key{}, false
	}
	r := c.request
	h := cache.NewHash("link").String(engine).String(c.Clang).String(c.Version).String(c.Link).String(r.Entry).
		Strings(r.Keep).Strings(r.RemoveBodies).Strings(r.UseContracts).
		String(fmt.Sprint(r.NondetStatic, r.InlineContracts, r.MaxLen))
	for _, kind := range slices.Sorted(maps.Keys(r.Checks)) {
		h.String(fmt.Sprint(kind, "=", r.Checks[kind]))
	}
	if r.Input != nil {
		h.String(r.Input.Name).Bytes(r.Input.Data)
	}
	h.Strings(c.noBuiltin).String(fmt.Sprint(c.allStatics, len(r.Overrides)))
	for i, u := range units {
		h.String(u.path()).Bytes(results[i].sum[:])
	}
	return h.Key(), true
}

// loadLinked returns the stored result, or nil.
func (c *compilation) loadLinked(key cache.Key) *linked {
	data, ok := c.request.Store.Get(cache.Modules, key)
	if !ok {
		return nil
	}
	l := &linked{}
	if json.Unmarshal(data, l) != nil {
		return nil
	}
	if !l.AllStatics {
		if l.text, ok = c.request.Store.Get(cache.Modules, textKey(l.Text)); !ok {
			return nil
		}
	}
	return l
}

// storeLinked stores a result, with the text of the program if there is one.
func (c *compilation) storeLinked(key cache.Key, l *linked) {
	if l.text != nil {
		l.Text = sha256.Sum256(l.text)
		c.request.Store.Put(cache.Modules, textKey(l.Text), l.text)
	}
	if data, err := json.Marshal(l); err == nil {
		c.request.Store.Put(cache.Modules, key, data)
	}
}

// textKey returns the key of a text with this hash.
func textKey(sum [32]byte) cache.Key { return cache.NewHash("text").Bytes(sum[:]).Key() }
