package project

import (
	"strings"
	"sync"

	"github.com/unitproof/unitproof/pipeline/remote"
)

var remoteTable = sync.OnceValue(func() *Table {
	return &Table{"[remote]", []Key{
		{Name: "cache", Value: "URL",
			Doc: "a cache that machines share ([shared-cache.md](shared-cache.md)): `\"https://cache.example:8080\"`",
			read: func(r *reader, at keyPath, v any, to target) {
				r.address(at, v, remote.CheckURL, &to.config.Remote.URL)
			}},
		{Name: "execute", Value: "URL",
			Doc: "a build cluster that executes checks ([shared-cache.md](shared-cache.md#a-cluster-that-checks)): " +
				"`\"grpc://cluster.example:8980\"`",
			read: func(r *reader, at keyPath, v any, to target) {
				r.address(at, v, remote.CheckClusterURL, &to.config.Cluster.URL)
			}},
		{Name: "storage", Value: "URL", Doc: "address at which that cluster keeps files and results; default: the same",
			read: func(r *reader, at keyPath, v any, to target) {
				r.address(at, v, remote.CheckClusterURL, &to.config.Cluster.Storage)
			}},
		{Name: "platform", Value: "list of strings",
			Doc: "properties `\"NAME=VALUE\"` that its workers have to have: `[\"OSFamily=linux\"]`",
			read: func(r *reader, at keyPath, v any, to target) {
				list := r.texts(at, v)
				for i, p := range list {
					if err := remote.CheckProperty(p); err != nil {
						r.badValue(at.index(i), "%s", err)
					}
				}
				to.config.Cluster.Platform = remote.SortPlatform(list)
			}},
		{Name: "keys", Value: "list of strings",
			Doc: "public keys (`unitproof cache key`): entries without a signature by one of them are ignored",
			read: func(r *reader, at keyPath, v any, to target) {
				list := r.texts(at, v)
				for i, key := range list {
					if err := remote.CheckKey(key); err != nil {
						r.badValue(at.index(i), "%s", err)
					}
				}
				to.config.Remote.Keys = strings.Join(list, ",")
			}},
		{Name: "ca", Value: "path", Doc: "certificates (PEM) that https trusts; default: the system's",
			read: func(r *reader, at keyPath, v any, to target) {
				if s, ok := r.text1(at, v); ok {
					to.config.Remote.CA = absolute(to.config.Dir, s)
					to.config.Cluster.CA = to.config.Remote.CA
				}
			}},
	}}
})

// address reads an address that check accepts.
func (r *reader) address(at keyPath, v any, check func(string) error, to *string) {
	s, ok := r.text1(at, v)
	if !ok {
		return
	}
	if err := check(s); err != nil {
		r.badValue(at, "%s", err)
	} else if strings.Contains(s, "@") {
		r.badValue(at, "a password must not be in a file: see %s and %s", remote.EnvToken, remote.EnvHeaders)
	} else {
		*to = s
	}
}
