// Package remote shares entries of a cache among machines, by a cache server, and executes tasks on a build cluster.
//
// It does not use the network itself. It starts a separate program (unitproof-remote, package network) when first
// needed and sends it requests on its standard input. So the checking program is no larger and starts no slower, and no
// worker has credentials. For example
//
//	client.Get("reports", key)     // frame {"Op": "get", "Kind": "reports", "Key": ...} to unitproof-remote,
//	                               // which sends GET /ac/HASH to http://cache:8080
//
// A server is optional: an entry is returned as it was stored, or not at all. A server that is slow, full or
// unreachable is not used for a while, and Err reports that once.
//
// Every machine with write access to the server can forge entries. With signatures (Config.Keys) only the owners of a
// secret can: entries without a signature by one of the keys are ignored.
//
// Reading order: config.go, frames.go (the messages), client.go, program.go (the process), cluster.go (tasks).
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

// Config is the configuration of a cache server. It has no secrets, which are in the environment. The zero value is no
// server.
type Config struct {
	URL   string // http(s):// http(s):// or grpc(s)://, with the server's instance, if any, as the path
	Write bool   // store entries, too
	CA    string // file of certificates (PEM) that TLS trusts instead of the system's; "": the system's
	Keys  string // comma-separated public keys; an entry must be signed by one of them; "": no signature needed
}

// Environment variables.
const (
	EnvURL     = "UNITPROOF_REMOTE_CACHE"   // Config.URL, overrides files
	EnvKeys    = "UNITPROOF_REMOTE_KEYS"    // Config.Keys, the same
	EnvCA      = "UNITPROOF_REMOTE_CA"      // Config.CA, the same
	EnvWrite   = "UNITPROOF_REMOTE_WRITE"   // 1: Config.Write
	EnvToken   = "UNITPROOF_REMOTE_TOKEN"   // sent as "Authorization: Bearer TOKEN"
	EnvHeaders = "UNITPROOF_REMOTE_HEADERS" // more headers, "Name: value", one per line
	EnvSecret  = "UNITPROOF_REMOTE_SECRET"  // signs entries that are stored
	EnvTimeout = "UNITPROOF_REMOTE_TIMEOUT" // time until the first byte of an answer ("500ms"); default: a second
)

// Resolve combines the settings of flags, environment and a file, in decreasing order of precedence. file has the
// settings of a folder that the user has allowed.
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

// KeyPrefix is the algorithm in front of the base64 of a public key.
const (
	KeyPrefix  = "ed25519:"
	keySize    = 32 // bytes of a public key, and of the seed that a secret is
	answerTime = time.Second
)

// CheckURL returns the error of an address.
func CheckURL(address string) error {
	_, err := ParseURL(address)
	return err
}

// ParseURL parses an address. Its path, if not empty, begins with a slash and does not end with one.
func ParseURL(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil {
		// The error of url.Parse contains the address, and so perhaps a password.
		return nil, errors.New("the address of the shared cache is not a URL")
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "grpc" && u.Scheme != "grpcs":
		return nil, fmt.Errorf("%s: the address must begin with http://, https://, grpc:// or grpcs://", u.Redacted())
	case u.Host == "" || u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("%s: the address must be %s://HOST:PORT, optionally with a path", u.Redacted(), u.Scheme)
	}
	u.Path = strings.TrimSuffix(u.Path, "/")
	return u, nil
}

// Server returns the server's address without user and password, for messages.
func (c Config) Server() string {
	u, err := ParseURL(c.URL)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host + u.Path
}

// CheckKey returns the error of a public key.
func CheckKey(key string) error {
	_, err := ParseKey(key)
	return err
}

// ParseKey returns the bytes of an Ed25519 public key.
func ParseKey(key string) ([]byte, error) {
	text, ok := strings.CutPrefix(key, KeyPrefix)
	data, err := base64.StdEncoding.DecodeString(text)
	if !ok || err != nil || len(data) != keySize {
		return nil, fmt.Errorf("%q is not a public key as \"unitproof cache key\" makes it", key)
	}
	return data, nil
}

// check returns the errors of a configuration and its environment that can be found without the network.
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

// ParseKeys returns the bytes of the public keys.
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

// Secrets are the settings in the environment.
type Secrets struct {
	Headers [][2]string // name and value
	Seed    []byte      // of the Ed25519 key that signs; nil: no signatures
	// Timeout bounds the time to connect, and the time until the first byte of an answer.
	Timeout time.Duration
}

// ReadSecrets reads the environment. Errors do not contain values of variables.
func ReadSecrets(getenv func(string) string) (s Secrets, err error) {
	s.Timeout = answerTime
	if text := getenv(EnvTimeout); text != "" {
		if s.Timeout, err = time.ParseDuration(text); err != nil || s.Timeout <= 0 {
			return s, fmt.Errorf("%s is not a duration like 500ms", EnvTimeout)
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
			return s, fmt.Errorf("%s is not a secret as \"unitproof cache key\" makes it", EnvSecret)
		}
		s.Seed = seed
	}
	return s, nil
}
