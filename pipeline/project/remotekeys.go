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
				s, ok := r.text1(at, v)
				if !ok {
					return
				}
				if err := remote.CheckURL(s); err != nil {
					r.badValue(at, "%s", err)
				} else if strings.Contains(s, "@") {
					r.badValue(at, "a password does not belong into a file: see %s and %s", remote.EnvToken, remote.EnvHeaders)
				} else {
					to.config.Remote.URL = s
				}
			}},
		{Name: "keys", Value: "list of strings",
			Doc: "public keys (`unitproof cache key`): what none of them has signed does not count",
			read: func(r *reader, at keyPath, v any, to target) {
				list := r.texts(at, v)
				for i, key := range list {
					if err := remote.CheckKey(key); err != nil {
						r.badValue(at.index(i), "%s", err)
					}
				}
				to.config.Remote.Keys = strings.Join(list, ",")
			}},
		{Name: "ca", Value: "path", Doc: "certificates (PEM) that https trusts; default: those of the system",
			read: func(r *reader, at keyPath, v any, to target) {
				if s, ok := r.text1(at, v); ok {
					to.config.Remote.CA = absolute(to.config.Dir, s)
				}
			}},
	}}
})
