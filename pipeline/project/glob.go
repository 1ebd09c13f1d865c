package project

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"
)

// expandGlob returns the files that match a pattern of slash-separated parts, sorted. Each part is a pattern of
// path.Match, and "**" matches any number of folders. Stars match no hidden names, and "**" enters only folders that
// discovery enters. Too many folders are an error.
func expandGlob(dir, pattern string) ([]string, error) {
	pattern = filepath.ToSlash(pattern)
	start := dir
	if path.IsAbs(pattern) {
		start = string(filepath.Separator)
	}
	parts := strings.Split(path.Clean(pattern), "/")
	for _, p := range parts {
		if _, err := path.Match(p, ""); err != nil {
			return nil, fmt.Errorf("is not a valid glob: %w", err)
		}
	}
	g := globber{found: map[string]bool{}}
	g.match(filepath.Clean(start), parts)
	if g.looked.spent() {
		return nil, fmt.Errorf("looks at more than %d folders or %d files: begin it with a folder of the project", maxFolders,
			maxFiles)
	}
	out := make([]string, 0, len(g.found))
	for f := range g.found {
		out = append(out, f)
	}
	sort.Strings(out)
	return out, nil
}

type globber struct {
	found  map[string]bool
	looked budget
}

func (g *globber) match(dir string, parts []string) {
	if len(parts) == 0 {
		return
	}
	part, rest := parts[0], parts[1:]
	if part == "" || part == "." || part == ".." || !strings.ContainsAny(part, "*?[\\") {
		next := filepath.Join(dir, part)
		if len(rest) > 0 {
			g.match(next, rest)
		} else if info, err := os.Stat(next); err == nil && info.Mode().IsRegular() {
			g.found[next] = true
		}
		return
	}
	if part == "**" {
		for len(rest) > 0 && rest[0] == "**" {
			rest = rest[1:]
		}
		if len(rest) == 0 {
			rest = []string{"*"}
		}
		g.match(dir, rest)
	}
	for _, e := range g.looked.readDir(dir) {
		name := e.Name()
		next := filepath.Join(dir, name)
		if part == "**" {
			if e.IsDir() && !skipDir(next, name) {
				g.match(next, append([]string{"**"}, rest...))
			}
			continue
		}
		if strings.HasPrefix(name, ".") && !strings.HasPrefix(part, ".") {
			continue
		}
		if ok, _ := path.Match(part, name); !ok {
			continue
		}
		if len(rest) > 0 {
			if info, err := os.Stat(next); err == nil && info.IsDir() {
				g.match(next, rest)
			}
		} else if info, err := os.Stat(next); err == nil && info.Mode().IsRegular() {
			g.found[next] = true
		}
	}
}
