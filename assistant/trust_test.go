package assistant

import (
	"path/filepath"
	"regexp"
	"testing"

	"github.com/unitproof/unitproof/pipeline/trust"
)

func TestUntrusted(t *testing.T) {
	s := start(t, files{"clamp.c": clampFile, "unitproof.toml": "[compile]\nflags = [\"-DX\", \"-I/somewhere\"]\n"},
		Options{Allowed: func(trust.Request) bool { return false }})
	const want = "not trusted.*unitproof trust .*-I/somewhere"
	s.wrong("check", nil, want)
	s.wrong("try", args{"edits": []args{{"file": "clamp.c", "old": "hi - 1", "new": "hi"}}}, want)
	s.wrong("why", args{"proof": "clamp"}, want)
	s.wrong("audit", nil, want)
	s.wrong("strength", args{"proof": "clamp"}, want)
	s.wrong("cost", args{"proof": "clamp"}, want)
	s.wrong("new", args{"function": "clamp", "file": "clamp.c"}, want)
	s.wrong("suggest", args{"proof": "clamp"}, want)
	// Without a check there is no finding that could be described or run.
	s.wrong("finding", args{"id": "ffffffffffff"}, "no finding")
	s.wrong("replay", args{"id": "ffffffffffff"}, "no finding")
	if p := call[ProofsAnswer](s, "proofs", nil); p.Total != 1 || !regexp.MustCompile(want).MatchString(p.Trust) {
		t.Errorf("proofs: %+v", p)
	}
}

// An edit cannot get more than the user has allowed to the folder.
func TestEditsAskForTrust(t *testing.T) {
	s := start(t, files{"clamp.c": clampFile, "compile_commands.json": "[]\n"},
		Options{Allowed: func(trust.Request) bool { return false }})
	if c := call[CheckAnswer](s, "check", nil); c.Verdict != "failed" {
		t.Errorf("a folder that asks for nothing is %+v", c)
	}
	s.wrong("try", args{"edits": []args{{"file": "unitproof.toml", "text": "[compile]\nclang = \"./evil\"\n"}}},
		"not trusted")
	s.wrong("try", args{"edits": []args{{"file": "compile_commands.json", "text": `[{"directory": "/", "file": "` +
		filepath.Join(s.dir, "clamp.c") + `", "arguments": ["cc", "-include", "/etc/passwd"]}]`}}}, "would have no effect")
	// Nor with a configuration that the disk does not have, at the root or below.
	s = start(t, files{"unitproof.toml": noConfig, "clamp.c": clampFile, "sub/clamp.c": clampFile},
		Options{Allowed: func(trust.Request) bool { return false }})
	for _, file := range []string{"unitproof.toml", "sub/unitproof.toml"} {
		for _, text := range []string{"[compile]\nclang = \"./evil\"\n", "[compile]\nflags = [\"-I/somewhere\"]\n",
			"[[proof]]\nfile = \"clamp.c\"\nsources = [\"/etc/passwd\"]\n"} {
			s.wrong("try", args{"edits": []args{{"file": file, "text": text}}}, "not trusted")
		}
	}
}
