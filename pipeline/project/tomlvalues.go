package project

import (
	"fmt"
	"sort"
	"strings"
)

// Functions that read decoded TOML values of an expected type, and report a problem for a value of another type.

// reader collects problems while it reads a decoded document.
type reader struct {
	text     string
	places   map[keyPath]keyOffsets
	config   *Config
	problems []Problem
	broken   bool     // not TOML at all
	extra    []string // files that are not on disk, and count as being there
}

func (r *reader) report(at int, p keyPath, format string, args ...any) {
	pr := Problem{File: r.config.Path, Key: p.String(), Message: fmt.Sprintf(format, args...)}
	if at >= 0 {
		pr.Line, pr.Column = lineColumn(r.text, at)
	}
	r.problems = append(r.problems, pr)
}

func (r *reader) keyAt(p keyPath) int {
	if at, ok := r.places[p]; ok {
		return at.key
	}
	return -1
}

func (r *reader) badKey(p keyPath, format string, args ...any) {
	r.report(r.keyAt(p), p, format, args...)
}

func (r *reader) badValue(p keyPath, format string, args ...any) {
	at := -1
	if where, ok := r.places[p]; ok {
		at = where.value
	}
	r.report(at, p, format, args...)
}

// keys returns the known keys of a table in alphabetical order, independent of the order of the map, and reports the
// others.
func (r *reader) keys(p keyPath, table map[string]any, known []string) []string {
	var names []string
	for name := range table {
		at := p.key(name)
		if contains(known, name) {
			names = append(names, name)
			continue
		}
		hint := didYouMean(name, known)
		for _, t := range Tables() {
			if hint == "" && t.key(name) != nil {
				hint = "; it belongs to " + t.Name
			}
		}
		if hint == "" {
			hint = "; known are " + strings.Join(known, ", ")
		}
		r.badKey(at, "unknown key%s", hint)
	}
	sort.Strings(names)
	return names
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// typeName returns the TOML type of a decoded value.
func typeName(v any) string {
	switch v.(type) {
	case string:
		return "a string"
	case int64:
		return "an integer"
	case float64:
		return "a float"
	case bool:
		return "a boolean"
	case []any, []map[string]any:
		return "an array"
	case map[string]any:
		return "a table"
	}
	return "a date or time"
}

func (r *reader) wrongType(p keyPath, want string, v any) {
	r.badValue(p, "must be %s, is %s", want, typeName(v))
}

func (r *reader) text1(p keyPath, v any) (string, bool) {
	s, ok := v.(string)
	if !ok {
		r.wrongType(p, "a string", v)
		return "", false
	}
	if s == "" {
		r.badValue(p, "must not be empty")
		return "", false
	}
	if strings.ContainsRune(s, 0) {
		r.badValue(p, "must not contain a NUL character")
		return "", false
	}
	return s, true
}

func (r *reader) texts(p keyPath, v any) []string {
	list, ok := v.([]any)
	if !ok {
		if tables, are := v.([]map[string]any); are && len(tables) == 0 {
			return []string{}
		}
		r.wrongType(p, "an array of strings", v)
		return nil
	}
	out := []string{}
	for i, e := range list {
		if s, ok := r.text1(p.index(i), e); ok {
			out = append(out, s)
		}
	}
	return out
}

func (r *reader) boolean(p keyPath, v any) (value, ok bool) {
	if value, ok = v.(bool); !ok {
		r.wrongType(p, "true or false", v)
	}
	return value, ok
}

func (r *reader) bound(p keyPath, v any) (int, bool) {
	n, ok := v.(int64)
	if !ok {
		r.wrongType(p, "an integer", v)
		return 0, false
	}
	if n < 0 || n > maxUnwind {
		r.badValue(p, "%d is not between 0 and %d", n, maxUnwind)
		return 0, false
	}
	return int(n), true
}

// positive is like bound without 0.
func (r *reader) positive(p keyPath, v any) (int, bool) {
	n, ok := r.bound(p, v)
	if ok && n == 0 {
		r.badValue(p, "0 is not between 1 and %d", maxUnwind)
	}
	return n, ok && n > 0
}

func (r *reader) table(p keyPath, v any) (map[string]any, bool) {
	t, ok := v.(map[string]any)
	if !ok {
		r.wrongType(p, "a table", v)
	}
	return t, ok
}

// tables accepts both [[name]] headers and arrays of inline tables.
func (r *reader) tables(p keyPath, name string, v any, each func(keyPath, map[string]any)) {
	switch list := v.(type) {
	case []map[string]any:
		for i, t := range list {
			each(p.index(i), t)
		}
	case []any:
		for i, e := range list {
			if t, ok := r.table(p.index(i), e); ok {
				each(p.index(i), t)
			}
		}
	case map[string]any:
		r.badValue(p, "must be an array of tables; write [[%s]]", name)
	default:
		r.wrongType(p, "an array of tables", v)
	}
}
