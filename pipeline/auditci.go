package pipeline

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/pipeline/project"
)

// ciFiles are the files of a project that run programs in CI, and automationFiles those that CI may start.
var (
	ciFiles = []string{".github/workflows/*.yml", ".github/workflows/*.yaml", ".gitlab-ci.yml", ".travis.yml",
		".circleci/config.yml", "azure-pipelines.yml", "Jenkinsfile", ".ci/*", ".woodpecker.yml", ".woodpecker/*.yml",
		".forgejo/workflows/*.yml", ".gitea/workflows/*.yml", ".builds/*.yml"}
	automationFiles = []string{"Makefile", "GNUmakefile", "makefile", "*.mk", "CMakeLists.txt", "meson.build", "*.sh",
		"ci/*", "scripts/*", "tools/*.sh", "proofs/Makefile*", ".pre-commit-config.yaml", "package.json"}
)

// otherVerifiers are names of tools that run the same proofs. It is not known which ones.
var otherVerifiers = []string{"cbmc", "litani", "esbmc", "klee", "seahorn", "frama-c"}

// ciRun is a command of CI that checks proofs.
type ciRun struct {
	all    bool     // it names no file
	under  []string // absolute files and folders
	filter *regexp.Regexp
}

// selects reports whether the command checks a proof.
func (r *ciRun) selects(p *project.Proof) bool {
	if r.filter != nil && !r.filter.MatchString(p.Name) {
		return false
	}
	return r.all || slices.ContainsFunc(r.under, func(path string) bool { return paths.Within(path, p.File) })
}

// notRun returns the proofs that no command in the CI files of a project checks. ci is the first of these files, ""
// if the project has none: then nothing is known. A file that mentions the program in a way that is not understood may
// check all proofs.
func notRun(root string, proofs []project.Proof) (list []int, ci string) {
	var files []string
	for _, pattern := range ciFiles {
		found, _ := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		files = append(files, found...)
	}
	if len(files) > 0 {
		ci = files[0]
	}
	for _, pattern := range automationFiles {
		found, _ := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		files = append(files, found...)
	}
	var runs []ciRun
	for _, file := range files {
		text, err := project.ReadFile(file)
		if err != nil {
			continue
		}
		runs = append(runs, ciRuns(root, string(text))...)
	}
	if ci == "" && len(runs) == 0 {
		return nil, ""
	}
	for i := range proofs {
		if !slices.ContainsFunc(runs, func(r ciRun) bool { return r.selects(&proofs[i]) }) {
			list = append(list, i)
		}
	}
	return list, ci
}

// ciRuns are the commands of a file that check proofs.
func ciRuns(root, text string) (runs []ciRun) {
	text = strings.ReplaceAll(text, "\\\n", " ")
	for _, line := range strings.Split(text, "\n") {
		if at := strings.TrimSpace(line); strings.HasPrefix(at, "#") {
			continue
		}
		if lower := strings.ToLower(line); slices.ContainsFunc(otherVerifiers, func(name string) bool {
			return strings.Contains(lower, name)
		}) {
			return append(runs, ciRun{all: true})
		}
		if !strings.Contains(strings.ToLower(line), "unitproof") {
			continue
		}
		words := strings.Fields(line)
		for i, w := range words {
			name := filepath.Base(strings.Trim(w, "\"'`$(){}"))
			switch {
			case strings.HasPrefix(name, "unitproof@"), strings.HasPrefix(name, "unitproof_add_"):
				return append(runs, ciRun{all: true}) // the action, or CMake's function: of all proofs
			case name == "unitproof" && i+1 < len(words) && slices.Contains([]string{"check", "audit"}, words[i+1]):
				runs = append(runs, ciRunOf(root, words[i+2:]))
			case name == "UNITPROOF" && i+1 < len(words) && words[i+1] == "check":
				runs = append(runs, ciRunOf(root, words[i+2:]))
			}
		}
	}
	return runs
}

// ciRunOf reads the arguments of "unitproof check".
func ciRunOf(root string, args []string) ciRun {
	r, named := ciRun{}, false
	for i, w := range args {
		if slices.Contains([]string{"|", "||", "&&", ";", ">", ">>", "2>&1"}, w) {
			break
		}
		last := strings.HasSuffix(w, ";")
		w = strings.Trim(w, "\"';")
		pattern, is := strings.CutPrefix(w, "--filter=")
		if i > 0 && args[i-1] == "--filter" {
			pattern, is = w, true
		}
		if is {
			if expr, err := regexp.Compile(strings.Trim(pattern, "\"'")); err == nil {
				r.filter = expr
			}
			continue
		}
		if strings.HasPrefix(w, "-") || w == "" {
			continue
		}
		if strings.Contains(w, "$") && (i == 0 || !strings.HasPrefix(args[i-1], "-")) {
			return ciRun{all: true}
		}
		found, _ := filepath.Glob(filepath.Join(root, filepath.FromSlash(w)))
		for _, path := range found {
			if info, err := os.Stat(path); err == nil && (info.IsDir() || filepath.Ext(path) == ".c") {
				r.under, named = append(r.under, path), true
			}
		}
		if last {
			break
		}
	}
	r.all = !named
	return r
}
