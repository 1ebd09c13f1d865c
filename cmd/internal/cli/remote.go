package cli

import (
	"fmt"
	"os"

	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/pipeline/remote"
	"github.com/unitproof/unitproof/pipeline/trust"
)

// RemoteOf is the shared cache of a folder. What the folder asks for counts only where the user has allowed it: note
// says so where that is missing. The error is about flags and environment.
func RemoteOf(w *project.Workspace, flags remote.Config) (c remote.Config, note string, err error) {
	file := w.Config.Remote
	if file.URL != "" {
		store, err := trust.User()
		if err != nil || !store.Allowed(w.RemoteRequest()) {
			if flags.URL == "" && os.Getenv(remote.EnvURL) == "" {
				note = fmt.Sprintf("%s asks for the shared cache %s, which is not used: \"unitproof trust\" allows it, "+
					"and so does --remote-cache", project.ConfigName, file.Server())
			}
			file = remote.Config{}
		}
	}
	if c = remote.Resolve(flags, file, os.Getenv); c.URL == "" {
		return c, note, nil
	}
	_, err = remote.Dial(c)
	return c, note, err
}
