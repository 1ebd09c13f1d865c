package cli

import (
	"cmp"
	"fmt"
	"os"

	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/pipeline/remote"
	"github.com/unitproof/unitproof/pipeline/trust"
)

// Far is what other machines do for checks.
type Far struct {
	Cache   remote.Config
	Cluster remote.Cluster
	// Note says what the folder asks for and does not get, and what to do.
	Note string
}

// FarOf is what flags, the environment and a folder ask for. What the folder asks for counts only where the user has
// allowed it. The error is about flags and environment.
func FarOf(w *project.Workspace, flags Far) (f Far, err error) {
	file := Far{Cache: w.Config.Remote, Cluster: w.Config.Cluster}
	if file.Cache.URL != "" || file.Cluster.URL != "" {
		store, err := trust.User()
		if err != nil || !store.Allowed(w.RemoteRequest()) {
			switch {
			case file.Cache.URL != "" && flags.Cache.URL == "" && os.Getenv(remote.EnvURL) == "":
				f.Note = fmt.Sprintf("%s asks for the shared cache %s, which is not used: \"unitproof trust\" allows it, "+
					"and so does --remote-cache", project.ConfigName, file.Cache.Server())
			case file.Cluster.URL != "" && flags.Cluster.URL == "" && os.Getenv(remote.EnvCluster) == "":
				f.Note = fmt.Sprintf("%s asks for the cluster %s, which is not used: \"unitproof trust\" allows it, "+
					"and so does --remote", project.ConfigName, file.Cluster.Server())
			}
			file = Far{}
		}
	}
	f.Cache = remote.Resolve(flags.Cache, file.Cache, os.Getenv)
	f.Cluster = remote.ResolveCluster(flags.Cluster, file.Cluster, os.Getenv)
	if f.Cache.URL != "" {
		if _, err = remote.Dial(f.Cache); err != nil {
			return f, err
		}
	}
	if f.Cluster.URL != "" {
		// Where results have to be signed, what anybody may have put there counts for nothing.
		keys := f.Cache.Keys
		if keys == "" {
			keys = cmp.Or(os.Getenv(remote.EnvKeys), file.Cache.Keys)
		}
		f.Cluster.Anew = keys != ""
		_, err = remote.DialCluster(f.Cluster)
	}
	return f, err
}
