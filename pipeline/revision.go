package pipeline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/unitproof/unitproof/pipeline/regular"
)

// Revision has the files of an earlier revision that differ from the files on disk.
type Revision struct {
	Name string // as the user wrote it
	// Texts are the contents of changed C files and headers, by absolute path. Files that the revision lacks are absent.
	Texts map[string][]byte
	// Changed lists changed C files, absolute and sorted.
	Changed []string
	// Added are the files that the revision lacks. Links are symbolic links that had another target.
	Added map[string]bool
	Links []string
	// Build are the changed files that may decide the flags of compilers, absolute and sorted.
	Build []string
}

// maxIncluded bounds the size in bytes of a file that a C file may include although its name is not one of C.
const maxIncluded = 1 << 18

// ReadRevision reads the files of a git repository that differ from a revision. No hooks, filters or programs of the
// repository's configuration are started.
func ReadRevision(ctx context.Context, dir, name string) (*Revision, error) {
	git := func(args ...string) ([]byte, error) { return runGit(ctx, dir, args...) }
	top, err := git("rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	root := strings.TrimSuffix(string(top), "\n")
	if strings.HasPrefix(name, "-") {
		return nil, fmt.Errorf("%q is not a revision", name)
	}
	commit, err := git("rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
	if err != nil {
		return nil, fmt.Errorf("the revision %s is not known to git", name)
	}
	list, err := git("ls-tree", "-r", "-l", "-z", "--full-tree", strings.TrimSpace(string(commit)))
	if err != nil {
		return nil, err
	}
	r := &Revision{Name: name, Texts: map[string][]byte{}, Added: map[string]bool{}}
	known := map[string]bool{}
	for entry := range strings.SplitSeq(string(list), "\x00") {
		head, path, ok := strings.Cut(entry, "\t")
		words := strings.Fields(head)
		if !ok || len(words) != 4 || words[1] != "blob" {
			continue
		}
		file := filepath.Join(root, path)
		known[file] = true
		if words[0] == "120000" {
			if to, err := os.Readlink(file); err != nil || blobName([]byte(to), len(words[2])) != words[2] {
				r.Links = append(r.Links, file)
			}
			continue
		}
		if size, err := strconv.Atoi(words[3]); err != nil || !isCFile(path) && !isBuildFile(path) && size > maxIncluded {
			continue
		}
		text, err := regular.Source(file)
		if err == nil && blobName(text, len(words[2])) == words[2] {
			continue
		}
		if r.Texts[file], err = git("cat-file", "blob", words[2]); err != nil {
			return nil, err
		}
		if text != nil && bytes.Equal(text, r.Texts[file]) {
			delete(r.Texts, file)
		} else if isBuildFile(path) {
			r.Build = append(r.Build, file)
		} else if text != nil && filepath.Ext(path) == ".c" {
			r.Changed = append(r.Changed, file)
		}
	}
	others, err := git("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--full-name", root)
	if err != nil {
		return nil, err
	}
	for path := range strings.SplitSeq(string(others), "\x00") {
		if file := filepath.Join(root, path); !known[file] {
			if r.Added[file] = true; isBuildFile(path) {
				r.Build = append(r.Build, file)
			}
		}
	}
	slices.Sort(r.Changed)
	slices.Sort(r.Build)
	return r, nil
}

// changedCode returns the files that C code may be in and that the revision lacks or has with another text, sorted.
func (r *Revision) changedCode() (list []string) {
	for _, file := range slices.Sorted(maps.Keys(r.Texts)) {
		if isCFile(file) {
			list = append(list, file)
		}
	}
	for _, file := range slices.Sorted(maps.Keys(r.Added)) {
		if isCFile(file) {
			list = append(list, file)
		}
	}
	return list
}

// runGit runs git in a folder, without programs that the repository's configuration names.
func runGit(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "core.fsmonitor=false", "-C", dir}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		first, _, _ := strings.Cut(strings.TrimSpace(errs.String()), "\n")
		if errors.Is(err, exec.ErrNotFound) || first == "" {
			return nil, fmt.Errorf("git: %w", err)
		}
		return nil, fmt.Errorf("git: %s", strings.TrimPrefix(first, "fatal: "))
	}
	return out.Bytes(), nil
}

// TextAt returns the content of one file in a revision of git.
func TextAt(ctx context.Context, path, revision string) ([]byte, error) {
	return runGit(ctx, filepath.Dir(path), "cat-file", "blob", revision+":./"+filepath.Base(path))
}

// isCFile reports whether clang may read a file of this name for a C file of a project.
func isCFile(path string) bool {
	switch filepath.Ext(path) {
	case ".c", ".h", ".inc", ".def", ".inl", ".tbl":
		return true
	}
	return false
}
