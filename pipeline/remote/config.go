// Package remote shares entries of a cache among machines, by a server that build clusters have. It knows nothing of
// what entries hold, and does not speak to networks itself: a program of its own does (unitproof-remote, package
// network), which is started when it is first needed and is told what to do on its standard input. So the programs that
// check are no larger and start no slower for it, and no worker knows credentials.
//
// A server is a convenience and never a condition: whatever it answers, or does not, an entry is there as it was put or
// it is not there. One that is slow, full or gone is left alone for a while, and Err says so once.
//
// Who can write to the server can forge entries. Signatures (Config.Keys) leave that to those who have a secret:
// entries without a signature of one of the keys do not count then.
//
// Reading order: config.go, frames.go (what goes over the pipes), client.go, program.go (the process).
package remote

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/unitproof/unitproof/pipeline/regular"
)

// Config says which server is used and what for. It holds no secrets, which come from the environment. The zero value
// is no server.
type Config struct {
	URL   string // http(s):// or grpc(s)://, with a path where the server has instances
	Write bool   // put entries there, too
	CA    string // file of certificates (PEM) that TLS trusts in the place of the system's; "": the system's
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

// What keys look like: their algorithm before a public key, and how many bytes base64 hides.
const (
	KeyPrefix  = "ed25519:"
	keySize    = 32 // of a public key, and of the seed that a secret is
	answerTime = time.Second
)

// CheckURL says what is wrong with an address.
func CheckURL(address string) error {
	_, err := ParseURL(address)
	return err
}

// ParseURL reads an address. Its path, where it has one, begins with a slash and does not end with one.
func ParseURL(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil {
		// The error of url.Parse has the address, and so perhaps a password, in it.
		return nil, errors.New("the address of the shared cache is no URL")
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "grpc" && u.Scheme != "grpcs":
		return nil, fmt.Errorf("%s: http://, https://, grpc:// or grpcs:// is wanted", u.Redacted())
	case u.Host == "" || u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("%s: %s://HOST:PORT is wanted, perhaps with a path", u.Redacted(), u.Scheme)
	}
	u.Path = strings.TrimSuffix(u.Path, "/")
	return u, nil
}

// Server is the host that entries come from and go to, for people.
func (c Config) Server() string {
	u, err := ParseURL(c.URL)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host + u.Path
}

// CheckKey says what is wrong with a public key.
func CheckKey(key string) error {
	_, err := ParseKey(key)
	return err
}

// ParseKey gives the bytes of an Ed25519 public key.
func ParseKey(key string) ([]byte, error) {
	text, ok := strings.CutPrefix(key, KeyPrefix)
	data, err := base64.StdEncoding.DecodeString(text)
	if !ok || err != nil || len(data) != keySize {
		return nil, fmt.Errorf("%q is no public key as \"unitproof cache key\" makes it", key)
	}
	return data, nil
}

// check says what can be seen to be wrong with a configuration and its environment without a network.
func (c Config) check(getenv func(string) string) error {
	if err := CheckURL(c.URL); err != nil {
		return err
	}
	if _, err := c.ParseKeys(); err != nil {
		return err
	}
	if c.CA != "" {
		if pem, err := regular.ReadFile(c.CA, regular.MaxConfig); err != nil {
			return fmt.Errorf("certificates of the shared cache: %w", err)
		} else if !bytes.Contains(pem, []byte("-----BEGIN CERTIFICATE-----")) {
			return fmt.Errorf("certificates of the shared cache: %s holds none", c.CA)
		}
	}
	_, err := ReadSecrets(getenv)
	return err
}

// ParseKeys gives the public keys.
func (c Config) ParseKeys() (list [][]byte, err error) {
	if c.Keys == "" {
		return nil, nil
	}
	for _, key := range strings.Split(c.Keys, ",") {
		k, err := ParseKey(strings.TrimSpace(key))
		if err != nil {
			return nil, err
		}
		list = append(list, k)
	}
	return list, nil
}

// Secrets are what the environment says.
type Secrets struct {
	Headers [][2]string // name and value
	Seed    []byte      // of the Ed25519 key that signs; nil: nothing is signed
	// Timeout is how long a server has for a connection, and for the beginning of an answer.
	Timeout time.Duration
}

// ReadSecrets reads the environment. Errors do not repeat what it says.
func ReadSecrets(getenv func(string) string) (s Secrets, err error) {
	s.Timeout = answerTime
	if text := getenv(EnvTimeout); text != "" {
		if s.Timeout, err = time.ParseDuration(text); err != nil || s.Timeout <= 0 {
			return s, fmt.Errorf("%s is no time like 500ms", EnvTimeout)
		}
	}
	if token := getenv(EnvToken); token != "" {
		if strings.ContainsAny(token, "\r\n") {
			return s, fmt.Errorf("%s holds more than one line", EnvToken)
		}
		s.Headers = append(s.Headers, [2]string{"Authorization", "Bearer " + token})
	}
	for i, line := range strings.Split(getenv(EnvHeaders), "\n") {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		name, value, ok := strings.Cut(line, ":")
		if name = strings.TrimSpace(name); !ok || name == "" || strings.ContainsAny(name, " \t") {
			return s, fmt.Errorf("line %d of %s is not of the form Name: value", i+1, EnvHeaders)
		}
		s.Headers = append(s.Headers, [2]string{name, strings.TrimSpace(value)})
	}
	if text := getenv(EnvSecret); text != "" {
		seed, err := base64.StdEncoding.DecodeString(text)
		if err != nil || len(seed) != keySize {
			return s, fmt.Errorf("%s is no secret as \"unitproof cache key\" makes it", EnvSecret)
		}
		s.Seed = seed
	}
	return s, nil
}
