// Package remote shares entries of a cache among machines, by a server that build clusters have: it speaks the HTTP of
// bazel-remote (/ac/ for actions' results, /cas/ for contents by their SHA-256). It knows nothing of what entries hold.
//
// A server is a convenience and never a condition: whatever it answers, or does not, an entry is there as it was put or
// it is not there. One that is slow, full or gone is left alone for a while (health.go), and Err says so once.
//
// Who can write to the server can forge entries. Signatures (Config.Keys) leave that to those who have a secret:
// entries without a signature of one of the keys do not count then.
//
// Reading order: config.go, client.go (requests), entry.go (what an entry looks like on the way), health.go.
package remote

import (
	"cmp"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"
	"time"
)

// Config says which server is used and what for. It holds no secrets, which come from the environment. The zero value
// is no server.
type Config struct {
	URL   string // http:// or https://, with a path where the server has instances
	Write bool   // put entries there, too
	CA    string // file of certificates (PEM) that https trusts in the place of the system's; "": the system's
	Keys  string // public keys, with commas, of which one has to have signed what counts; "": nobody has to
}

// Variables of the environment.
const (
	EnvURL     = "UNITPROOF_REMOTE_CACHE"   // Config.URL, stronger than files
	EnvKeys    = "UNITPROOF_REMOTE_KEYS"    // Config.Keys, the same
	EnvCA      = "UNITPROOF_REMOTE_CA"      // Config.CA, the same
	EnvWrite   = "UNITPROOF_REMOTE_WRITE"   // 1: Config.Write
	EnvToken   = "UNITPROOF_REMOTE_TOKEN"   // sent as "Authorization: Bearer TOKEN"
	EnvHeaders = "UNITPROOF_REMOTE_HEADERS" // further headers, "Name: value", one a line
	EnvSecret  = "UNITPROOF_REMOTE_SECRET"  // signs what is written
	EnvTimeout = "UNITPROOF_REMOTE_TIMEOUT" // how long an answer may take to begin ("500ms"); default: a second
)

// Resolve puts together what flags, the environment and a file say, in the order of their strength. file is what the
// user allowed a folder to ask for.
func Resolve(flags, file Config, getenv func(string) string) Config {
	env := Config{URL: getenv(EnvURL), Keys: getenv(EnvKeys), CA: getenv(EnvCA)}
	switch getenv(EnvWrite) {
	case "", "0", "false":
	default:
		env.Write = true
	}
	c := Config{URL: cmp.Or(flags.URL, env.URL, file.URL), Keys: cmp.Or(flags.Keys, env.Keys, file.Keys),
		CA: cmp.Or(flags.CA, env.CA, file.CA), Write: flags.Write || env.Write}
	if c.URL == "" {
		return Config{}
	}
	return c
}

// keyPrefix names the algorithm in a public key.
const keyPrefix = "ed25519:"

// NewKey makes a secret for EnvSecret and the public key for Config.Keys.
func NewKey() (secret, public string, err error) {
	pub, priv, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return "", "", err
	}
	return base64.StdEncoding.EncodeToString(priv.Seed()), keyPrefix + base64.StdEncoding.EncodeToString(pub), nil
}

// CheckURL says what is wrong with an address.
func CheckURL(address string) error {
	_, err := parseURL(address)
	return err
}

func parseURL(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil {
		// The error of url.Parse has the address, and so perhaps a password, in it.
		return nil, errors.New("the address of the shared cache is no URL")
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("%s: http:// or https:// is wanted; bazel-remote serves HTTP beside gRPC", u.Redacted())
	case u.Host == "" || u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("%s: http://HOST:PORT is wanted, or https://, perhaps with a path", u.Redacted())
	}
	u.Path = strings.TrimSuffix(u.Path, "/")
	return u, nil
}

// Server is the host that entries come from and go to, for people.
func (c Config) Server() string {
	u, err := parseURL(c.URL)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host + u.Path
}

// CheckKey says what is wrong with a public key.
func CheckKey(key string) error {
	_, err := parseKey(key)
	return err
}

func parseKey(key string) (ed25519.PublicKey, error) {
	text, ok := strings.CutPrefix(key, keyPrefix)
	data, err := base64.StdEncoding.DecodeString(text)
	if !ok || err != nil || len(data) != ed25519.PublicKeySize {
		return nil, fmt.Errorf("%q is no public key as \"unitproof cache key\" makes it", key)
	}
	return data, nil
}

// secrets are what the environment says.
type secrets struct {
	headers http.Header
	sign    ed25519.PrivateKey // nil: nothing is signed
	timeout time.Duration
}

func readSecrets(getenv func(string) string) (s secrets, err error) {
	s.headers, s.timeout = http.Header{}, answerTime
	if text := getenv(EnvTimeout); text != "" {
		if s.timeout, err = time.ParseDuration(text); err != nil || s.timeout <= 0 {
			return s, fmt.Errorf("%s is no time like 500ms", EnvTimeout)
		}
	}
	if token := getenv(EnvToken); token != "" {
		if strings.ContainsAny(token, "\r\n") {
			return s, fmt.Errorf("%s holds more than one line", EnvToken)
		}
		s.headers.Set("Authorization", "Bearer "+token)
	}
	for i, line := range strings.Split(getenv(EnvHeaders), "\n") {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		name, value, ok := strings.Cut(line, ":")
		if name = strings.TrimSpace(name); !ok || name == "" || strings.ContainsAny(name, " \t") {
			return s, fmt.Errorf("line %d of %s is not of the form Name: value", i+1, EnvHeaders)
		}
		s.headers.Add(textproto.CanonicalMIMEHeaderKey(name), strings.TrimSpace(value))
	}
	if text := getenv(EnvSecret); text != "" {
		seed, err := base64.StdEncoding.DecodeString(text)
		if err != nil || len(seed) != ed25519.SeedSize {
			return s, fmt.Errorf("%s is no secret as \"unitproof cache key\" makes it", EnvSecret)
		}
		s.sign = ed25519.NewKeyFromSeed(seed)
	}
	return s, nil
}
