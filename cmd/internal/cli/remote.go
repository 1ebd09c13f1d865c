package cli

import (
	"fmt"
	"os"

	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/pipeline/remote"
	"github.com/unitproof/unitproof/pipeline/trust"
)

// Far are the other machines that checks use.
type Far struct {
	remote.Far
	// Note names the folder's requests that are not granted, and a remedy.
	Note string
}

// FarOf returns the machines that flags, the environment and a folder request. The folder's request is granted only
// if the user has allowed it. The error is about flags and environment.
func FarOf(w *project.Workspace, flags Far) (f Far, err error) {
	file := remote.Far{Cache: w.Config.Remote, Cluster: w.Config.Cluster}
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
			file = remote.Far{}
		}
	}
	f.Far = remote.ResolveFar(flags.Far, file, os.Getenv)
	_, err = f.Usable()
	return f, err
}
