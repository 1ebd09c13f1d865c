package lsp

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/lsp/lsptest"
	"github.com/unitproof/unitproof/pipeline/remote"
	"github.com/unitproof/unitproof/pipeline/remote/remotetest"
)

// clusterCounts waits for numbers of executed, or started, and of cancelled actions since the last call.
func clusterCounts(t *testing.T, c *remotetest.Cluster, executed, cancelled int) {
	t.Helper()
	e, n := 0, 0
	until(t, "the cluster's part", func() bool {
		more, gone := c.Counts()
		e, n = e+more, n+gone
		return e >= executed && n >= cancelled
	})
	if e != executed || n != cancelled {
		t.Errorf("%d actions were executed and %d cancelled, want %d and %d", e, n, executed, cancelled)
	}
}

// TestScenarioCluster checks proofs on a cluster unless their files are visible. The cluster gets no request before
// the user allows it for the folder. Checks that it does not do run locally, and a proof that becomes visible moves
// to the local machine.
func TestScenarioCluster(t *testing.T) {
	t.Setenv(remote.EnvTimeout, "1m")
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	cluster := remotetest.StartCluster(t, 2)
	f := files{"unitproof.toml": "[check]\non = \"save\"\n[remote]\nexecute = \"" + cluster.URL + "\"\n",
		"limit.h": "#define LIMIT 10\n"}
	for _, name := range []string{"a", "b", "c"} {
		f[name+"_harness.c"] = "#include <unitproof.h>\n#include \"limit.h\"\n" +
			"int main(void) {\n\tint x = nd_int();\n\tassume(x < LIMIT);\n\tsassert(x <= 10);\n}\n"
	}
	dir := f.write(t)
	e, _ := connectWith(t, lsptest.Options{Folders: []string{dir}, Init: map[string]any{}},
		Options{Version: "test", CacheDir: t.TempDir()})
	e.Initialize()
	look := func(name string) {
		uri := lsptest.URI(filepath.Join(dir, name+"_harness.c"))
		e.Notify("unitproof/visible", map[string]any{"uris": []any{uri}, "active": uri, "line": 3})
	}
	verdicts := func(want string) {
		t.Helper()
		e.Settle()
		var got []string
		for _, item := range proofItems(e) {
			if item.Stale {
				item.Verdict += " stale"
			}
			got = append(got, item.Name+" "+item.Verdict)
		}
		if list := strings.Join(got, ", "); list != want {
			t.Errorf("%s, want %s", list, want)
		}
	}
	header := e.Open(filepath.Join(dir, "limit.h"))
	e.Open(filepath.Join(dir, "a_harness.c"))
	look("a")
	e.Settle()
	expectMessage(t, e, "has checks executed by the cluster "+cluster.URL)
	if gets, puts := cluster.Requests(); gets+puts > 0 {
		t.Errorf("the cluster was asked %d times and told %d times by a folder that is not trusted", gets, puts)
	}
	clusterCounts(t, cluster, 0, 0)

	if err := e.Execute("trust", map[string]any{}, nil); err != nil {
		t.Fatal(err)
	}
	verdicts("a proved, b proved, c proved")
	clusterCounts(t, cluster, 2, 0)
	expectShown(t, e)

	edit := func(old, with string) {
		e.Replace(header, old, with)
		e.Save(header)
	}
	// Its findings equal those of a local check.
	edit("10", "20")
	verdicts("a failed, b failed, c failed")
	clusterCounts(t, cluster, 2, 0)
	here, there := e.Diagnostics(filepath.Join(dir, "a_harness.c")), e.Diagnostics(filepath.Join(dir, "b_harness.c"))
	if len(here) != 1 || len(there) != 1 || here[0].Message != there[0].Message || here[0].Range != there[0].Range {
		t.Errorf("here %+v, there %+v", here, there)
	}
	// A visible proof is checked locally, without waiting for the rest.
	cluster.Befall(remotetest.Blocked)
	edit("20", "9")
	clusterCounts(t, cluster, 2, 0)
	e.Open(filepath.Join(dir, "b_harness.c"))
	look("b")
	eventually(t, e, "b comes home", func() bool {
		return stateOf(t, e, "b").Verdict == "proved" && !stateOf(t, e, "b").Stale
	})
	clusterCounts(t, cluster, 0, 1)
	if s := stateOf(t, e, "c"); s.Phase != "running" {
		t.Errorf("c is %+v", s)
	}
	if err := e.Execute("cancel", map[string]any{}, nil); err != nil {
		t.Fatal(err)
	}
	clusterCounts(t, cluster, 0, 1)
	verdicts("a proved, b proved, c failed stale")
	// A cluster that disappears is reported, and no verdict differs.
	cluster.Befall(remotetest.Vanished)
	edit("9", "30")
	verdicts("a failed, b failed, c failed")
	expectMessage(t, e, "the cluster "+cluster.URL+" did not check all proofs", "nobody is there")
	clusterCounts(t, cluster, 0, 0)
}
