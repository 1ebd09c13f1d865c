package project

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/unitproof/unitproof/diagnostics/paths"
)

// tree is the result of walking a folder: C files and nested configurations, sorted.
type tree struct {
	files   []string
	configs []string // folders below the start that have a unitproof.toml
	cut     bool     // a limit ended the walk
}

// Limits for the search below one folder. The largest projects have some ten thousand folders; the whole disk has more,
// and it is one wrong click away.
const (
	maxFolders = 50_000
	maxFiles   = 1_000_000
)

// budget counts the visited folders and files.
type budget struct{ folders, files int }

// readDir is like os.ReadDir within the limits; it returns nil beyond them and for errors.
func (b *budget) readDir(dir string) []fs.DirEntry {
	if b.spent() {
		return nil
	}
	entries, err := os.ReadDir(dir) // sorted
	if err != nil {
		return nil
	}
	b.folders++
	b.files += len(entries)
	return entries
}

func (b *budget) spent() bool { return b.folders >= maxFolders || b.files >= maxFiles }

// skipDir reports whether a folder below the start of a walk is skipped.
func skipDir(path, name string) bool {
	return paths.Skipped(name) ||
		slices.ContainsFunc(paths.Marks(), func(mark string) bool { return exists(filepath.Join(path, mark)) })
}

// walk visits the folders below dir, except the ones that package paths skips. Folders that cannot be read and links to
// folders are skipped, too.
func walk(dir string) *tree {
	t := &tree{}
	var looked budget
	var visit func(dir string, top bool)
	visit = func(dir string, top bool) {
		entries := looked.readDir(dir)
		if !top {
			for _, e := range entries {
				switch name := e.Name(); {
				case paths.IsMark(name):
					return
				case name == ConfigName:
					t.configs = append(t.configs, dir)
				}
			}
		}
		for _, e := range entries {
			name := e.Name()
			path := filepath.Join(dir, name)
			switch {
			case strings.HasPrefix(name, "."):
			case e.IsDir():
				if !paths.Skipped(name) {
					visit(path, false)
				}
			case !isC(name):
			case e.Type().IsRegular():
				t.files = append(t.files, path)
			case e.Type()&fs.ModeSymlink != 0:
				if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
					t.files = append(t.files, path)
				}
			}
		}
	}
	visit(dir, true)
	t.cut = looked.spent()
	sort.Strings(t.files)
	sort.Strings(t.configs)
	return t
}

// eachFile calls f for every index, in parallel on all cores.
func eachFile(n int, f func(i int)) {
	workers := min(n, 2*runtime.GOMAXPROCS(0)) // reading waits for the disk
	next := make(chan int)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for i := range next {
				f(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
}
