package remote

import "cmp"

// Far is what other machines do for this one.
type Far struct {
	Cache   Config
	Cluster Cluster
}

// ResolveFar puts together what flags, the environment and a file say, in the order of their strength. file is what
// the user allowed a folder to ask for. Where results have to be signed, what anybody may have put into the cluster's
// action cache counts for nothing, whether or not there is a shared cache.
func ResolveFar(flags, file Far, getenv func(string) string) Far {
	f := Far{Resolve(flags.Cache, file.Cache, getenv), ResolveCluster(flags.Cluster, file.Cluster, getenv)}
	f.Cluster.Anew = f.Cluster.URL != "" && cmp.Or(flags.Cache.Keys, getenv(EnvKeys), file.Cache.Keys) != ""
	return f
}

// Usable is the part that can be used. The error says what is wrong with the rest.
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
