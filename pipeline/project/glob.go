package project

import (
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"
)

// expandGlob gives the files, sorted, that a pattern of slash-separated parts matches: each
// part as path.Match has it, and "**" for any number of folders. Stars match no hidden names
// and "**" enters only folders that discovery would enter.
func expandGlob(dir, pattern string) ([]string, error) {
	pattern = filepath.ToSlash(pattern)
	start := dir
	if path.IsAbs(pattern) {
		start = string(filepath.Separator)
	}
	parts := strings.Split(path.Clean(pattern), "/")
	for _, p := range parts {
		if _, err := path.Match(p, ""); err != nil {
			return nil, err
		}
	}
	found := map[string]bool{}
	matchParts(filepath.Clean(start), parts, found)
	out := make([]string, 0, len(found))
	for f := range found {
		out = append(out, f)
	}
	sort.Strings(out)
	return out, nil
}

func matchParts(dir string, parts []string, found map[string]bool) {
	if len(parts) == 0 {
		return
	}
	part, rest := parts[0], parts[1:]
	if part == "" || part == "." || part == ".." || !strings.ContainsAny(part, "*?[\\") {
		next := filepath.Join(dir, part)
		if len(rest) > 0 {
			matchParts(next, rest, found)
		} else if info, err := os.Stat(next); err == nil && info.Mode().IsRegular() {
			found[next] = true
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
		matchParts(dir, rest, found)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		name := e.Name()
		next := filepath.Join(dir, name)
		if part == "**" {
			if e.IsDir() && !skipDir(next, name) {
				matchParts(next, append([]string{"**"}, rest...), found)
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
				matchParts(next, rest, found)
			}
		} else if info, err := os.Stat(next); err == nil && info.Mode().IsRegular() {
			found[next] = true
		}
	}
}
