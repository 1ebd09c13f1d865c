package remote

import "cmp"

// Far is the configuration of all other machines that this one uses.
type Far struct {
	Cache   Config
	Cluster Cluster
}

// ResolveFar combines the settings of flags, environment and a file, in decreasing order of precedence.
//
// file has the settings of a folder that the user has allowed. If results must be signed, the cluster's action cache is
// ignored, since it is not signed, whether or not there is a shared cache.
func ResolveFar(flags, file Far, getenv func(string) string) Far {
	f := Far{Resolve(flags.Cache, file.Cache, getenv), ResolveCluster(flags.Cluster, file.Cluster, getenv)}
	f.Cluster.Anew = f.Cluster.URL != "" && cmp.Or(flags.Cache.Keys, getenv(EnvKeys), file.Cache.Keys) != ""
	return f
}

// Usable returns the part of f without errors, and the first error of the rest.
func (f Far) Usable() (usable Far, err error) {
	usable = f
	if f.Cache.URL != "" {
		if _, err = Dial(f.Cache); err != nil {
			usable.Cache = Config{}
		}
	}
	if f.Cluster.URL != "" {
		_, failed := DialCluster(f.Cluster)
		if failed != nil {
			usable.Cluster = Cluster{}
		}
		err = cmp.Or(err, failed)
	}
	return usable, err
}
