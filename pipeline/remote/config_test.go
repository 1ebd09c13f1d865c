package remote_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/pipeline/regular"
	"github.com/unitproof/unitproof/pipeline/remote"
)

// TestWrongConfigurations checks that each has an error, without passwords.
func TestWrongConfigurations(t *testing.T) {
	// A folder's configuration names the file, so that it is read with a limit.
	large := filepath.Join(t.TempDir(), "large.pem")
	text := "-----BEGIN CERTIFICATE-----\n" + strings.Repeat("\n", regular.MaxConfig)
	if err := os.WriteFile(large, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		config   remote.Config
		variable string
		value    string
	}{
		{config: remote.Config{URL: "ftp://host:1"}},
		{config: remote.Config{URL: "grpc://"}},
		{config: remote.Config{URL: "http://"}},
		{config: remote.Config{URL: "host:80"}},
		{config: remote.Config{URL: "http://u:sesame@host/?q"}},
		{config: remote.Config{URL: "http://u:sesame@ho st"}},
		{config: remote.Config{URL: "http://h", CA: "/nowhere.pem"}},
		{config: remote.Config{URL: "http://h", CA: large}},
		{config: remote.Config{URL: "http://h", Keys: "ed25519:abc"}},
		{remote.Config{URL: "http://h"}, remote.EnvHeaders, "sesame"},
		{remote.Config{URL: "http://h"}, remote.EnvToken, "sesame\nx"},
		{remote.Config{URL: "http://h"}, remote.EnvSecret, "sesame"},
		{remote.Config{URL: "http://h"}, remote.EnvTimeout, "sesame"},
	} {
		t.Run("", func(t *testing.T) {
			if test.variable != "" {
				t.Setenv(test.variable, test.value)
			}
			if _, err := remote.Dial(test.config); err == nil || strings.Contains(err.Error(), "sesame") {
				t.Errorf("%+v: %v", test, err)
			}
		})
	}
}

// TestResolve checks that flags override the environment, that the environment overrides files, and that no file
// enables writing.
func TestResolve(t *testing.T) {
	env := map[string]string{remote.EnvURL: "http://env", remote.EnvWrite: "1"}
	get := func(name string) string { return env[name] }
	none := func(string) string { return "" }
	file := remote.Config{URL: "http://file", Keys: "k", CA: "c"}
	for _, test := range []struct{ got, want remote.Config }{
		{remote.Resolve(remote.Config{URL: "http://flag"}, file, get),
			remote.Config{URL: "http://flag", Write: true, Keys: "k", CA: "c"}},
		{remote.Resolve(remote.Config{}, file, get), remote.Config{URL: "http://env", Write: true, Keys: "k", CA: "c"}},
		{remote.Resolve(remote.Config{}, file, none), file},
		{remote.Resolve(remote.Config{Write: true}, remote.Config{}, none), remote.Config{}},
	} {
		if test.got != test.want {
			t.Errorf("%+v, want %+v", test.got, test.want)
		}
	}
}

// TestClusters checks errors of configurations, and the precedence of settings.
func TestClusters(t *testing.T) {
	for _, wrong := range []remote.Cluster{{URL: "http://host"}, {URL: "grpc://host", Storage: "https://host"},
		{URL: "grpc://host", Platform: "linux"}, {URL: "grpc://host", CA: "/nowhere.pem"}, {}} {
		if _, err := remote.DialCluster(wrong); err == nil {
			t.Errorf("%+v is no error", wrong)
		}
	}
	file := remote.Cluster{URL: "grpc://file", Storage: "grpc://storage", Platform: "a=b", Jobs: 7}
	env := map[string]string{}
	getenv := func(name string) string { return env[name] }
	if got := remote.ResolveCluster(remote.Cluster{}, file, getenv); got != file {
		t.Errorf("%+v", got)
	}
	env[remote.EnvPlatform] = "c=d, a=e"
	if got := remote.ResolveCluster(remote.Cluster{Jobs: 8}, file, getenv); got.Platform != "a=e\nc=d" || got.Jobs != 8 {
		t.Errorf("%+v", got)
	}
	env[remote.EnvCluster] = "grpc://env"
	if got := remote.ResolveCluster(remote.Cluster{}, file, getenv); got.URL != "grpc://env" || got.Storage != "" {
		t.Errorf("%+v", got) // the storage belongs to another cluster
	}
	if got := remote.ResolveCluster(remote.Cluster{URL: "grpc://flag"}, file, getenv); got.URL != "grpc://flag" {
		t.Errorf("%+v", got)
	}
	if got := remote.ResolveCluster(remote.Cluster{Storage: "grpc://x"}, remote.Cluster{}, func(string) string { return "" }); got !=
		(remote.Cluster{}) {
		t.Errorf("%+v", got)
	}
}
