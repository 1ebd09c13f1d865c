package cflags

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/pipeline/regular"
)

// Limits of a command line with its response files. The longest ones of big projects have some thousand words.
const (
	maxResponseFiles = 100
	maxResponseWords = 100_000
)

// Expand replaces @FILE by the words of the file, like clang; relative paths start at dir. files are the files that
// were read or searched for. A missing file leaves its word unchanged. An error contains the file and the limit; the
// words without that file are returned, too.
func Expand(words []string, dir string) (out, files []string, err error) {
	if !slices.ContainsFunc(words, isResponse) {
		return words, nil, nil
	}
	e := expansion{dir: dir}
	e.words(words, nil)
	return e.out, e.files, e.err
}

func isResponse(word string) bool { return len(word) > 1 && word[0] == '@' }

type expansion struct {
	dir        string
	out, files []string
	err        error
}

func (e *expansion) words(words, within []string) {
	for _, w := range words {
		if len(e.out) >= maxResponseWords {
			e.fail(within[len(within)-1], fmt.Errorf("the flags are more than %d words", maxResponseWords))
			return
		}
		if !isResponse(w) {
			e.out = append(e.out, w)
			continue
		}
		path := w[1:]
		if !filepath.IsAbs(path) {
			path = filepath.Join(e.dir, path)
		}
		switch {
		case slices.Contains(within, path):
			e.fail(path, errors.New("the response file names itself"))
			continue
		case len(e.files) >= maxResponseFiles:
			e.fail(path, fmt.Errorf("there are more than %d response files", maxResponseFiles))
			return
		}
		e.files = append(e.files, path)
		data, err := regular.ReadFile(path, regular.MaxConfig)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			e.out = append(e.out, w)
		case err != nil:
			var pe *fs.PathError
			if errors.As(err, &pe) {
				err = pe.Err
			}
			e.fail(path, fmt.Errorf("the response file %w", err))
		default:
			e.words(splitResponse(string(data)), append(slices.Clip(within), path))
		}
		if e.err != nil && len(e.out) >= maxResponseWords {
			return
		}
	}
}

func (e *expansion) fail(path string, err error) {
	if e.err == nil {
		e.err = fmt.Errorf("%s: %w", path, err)
	}
}

// splitResponse splits the text of a response file like clang on Unix: white space separates words, quotes group, and a
// backslash makes the next character literal.
func splitResponse(s string) []string {
	var words []string
	var word strings.Builder
	in, quote := false, byte(0)
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '\\' && quote != '\'' && i+1 < len(s):
			i++
			word.WriteByte(s[i])
			in = true
		case quote != 0:
			if c == quote {
				quote = 0
			} else {
				word.WriteByte(c)
			}
		case c == '"' || c == '\'':
			quote, in = c, true
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			if in {
				words = append(words, word.String())
				word.Reset()
				in = false
			}
		default:
			word.WriteByte(c)
			in = true
		}
	}
	if in {
		words = append(words, word.String())
	}
	return words
}
