package replay

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/unitproof/unitproof/pipeline/cache"
	"github.com/unitproof/unitproof/pipeline/clang"
	"github.com/unitproof/unitproof/pipeline/scratch"
	"github.com/unitproof/unitproof/pipeline/targets"
)

// program is an executable that runs a proof natively.
type program struct {
	path   string
	reused bool // it was in the cache
	build  time.Duration
	// close removes the folder of the run.
	close func()
}

// sanitizer has the flags that select a program's checks.
type sanitizer struct {
	compile, link []string
	reads         bool // reads of memory that was never written are checked, and nothing else
	// calls of memcpy and the like have to be replaced by those of the runtime, which cannot intercept them.
	calls bool
}

var (
	addresses = sanitizer{
		// Same as -fsanitize=pointer-compare,pointer-subtract; with these flags the driver would drop the coverage.
		compile: []string{"-fsanitize=address", "-mllvm", "-asan-detect-invalid-pointer-cmp", "-mllvm",
			"-asan-detect-invalid-pointer-sub",
			"-fsanitize-coverage=trace-cmp,trace-pc-guard"},
		link: []string{"-fsanitize=address,undefined"},
	}
	// Functions without the attribute sanitize_memory clear the shadow of the bytes that they store, and copy the shadow
	// of the bytes that they copy. This agrees with the contract's definition of written memory.
	initialization = sanitizer{
		compile: []string{"-fsanitize=memory"},
		link:    []string{"-fsanitize=memory,undefined"},
		reads:   true,
	}
)

// judgedFlags make each access call the runtime, which leaves a run with an access that does not count
// (unitproof_judged). A report of the sanitizer takes a process.
var judgedFlags = []string{"-mllvm", "-asan-instrumentation-with-call-threshold=0", "-mllvm",
	"-asan-memory-access-callback-prefix=unitproof_asan_"}

// compileFlags compile the instrumented module. With -O0 the source is executed as written, and a debugger has every
// variable. The checks for undefined behaviour are in the module already; their runtime is linked.
var compileFlags = []string{"-O0", "-g", "-w", "-fno-omit-frame-pointer", "-fno-pie", "-c"}

// runtimeFlags compile the runtime. The stack of a report is found by tables, which clang leaves out for some machines.
var runtimeFlags = []string{"-O1", "-gdwarf-4", "-w", "-fno-pie", "-fno-omit-frame-pointer", "-funwind-tables",
	"-fasynchronous-unwind-tables", "-DUNITPROOF_MODULE", "-c"}

// Without position-independent code addresses are those of the file, and reports need no symbolizer.
var linkFlags = []string{"-no-pie"}

// build compiles the program of an instrumented module, or finds it in cacheDir ("" does not cache). The name is the
// hash of all its inputs. A run has its own folder with links to the cached files, because another process may clear
// the cache.
//
// machine is that of the module; nil for x86-64.
func build(ctx context.Context, compiler *clang.Toolchain, cacheDir string, module *instrumented,
	machine *targets.Target) (*program, error) {
	start := time.Now()
	source := clang.RunSource()
	hash := sha256.New()
	for _, part := range [][]byte{[]byte(compiler.Clang), module.text, source, clang.SanitizersSource(),
		fmt.Append(nil, compileFlags, runtimeFlags, linkFlags, hashOf(machine), module.watch, module.link)} {
		fmt.Fprintf(hash, "%d ", len(part))
		hash.Write(part)
	}
	name := hex.EncodeToString(hash.Sum(nil))[:40]
	b := builder{compiler: compiler, machine: machine}
	if cacheDir != "" {
		b.shelf = filepath.Join(cacheDir, "native")
		if p, err := b.program(ctx, cacheDir, name, module, source, start); err == nil || ctx.Err() != nil || !isOfDisk(err) {
			return p, err
		}
		b.shelf = "" // run the program even if the cache cannot be written
	}
	return b.program(ctx, "", name, module, source, start)
}

// isOfDisk reports whether an error is that of a folder that cannot be written.
func isOfDisk(err error) bool {
	for _, e := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EACCES, syscall.EPERM,
		syscall.ENOTDIR, syscall.EEXIST, errRefused} {
		if errors.Is(err, e) || strings.Contains(err.Error(), e.Error()) { // of the compiler there is only the message
			return true
		}
	}
	return false
}

// errRefused is the error of a cache that other users can access.
var errRefused = errors.New("the cache is not used")

// program takes the program from the cache, or builds it.
func (b builder) program(ctx context.Context, cacheDir, name string, module *instrumented, source []byte,
	start time.Time) (*program, error) {
	var err error
	if b.dir, err = runDir(cacheDir, b.shelf); err != nil {
		return nil, fmt.Errorf("a folder for the native program: %w", err)
	}
	p := &program{path: filepath.Join(b.dir, name), close: func() { os.RemoveAll(b.dir) }}
	if p.reused = b.take(name); !p.reused {
		if err := b.make(ctx, name, module, source); err != nil {
			p.close()
			return nil, err
		}
	}
	p.build = time.Since(start)
	return p, nil
}

// runDirPrefix is the prefix of the folders of current runs.
const runDirPrefix = "build-"

// runDir creates the folder of a run, in the folder of cached programs, so that hard links are possible.
func runDir(cacheDir, shelf string) (string, error) {
	if shelf == "" {
		return scratch.Mkdir("replay-*")
	}
	for _, dir := range []string{cacheDir, shelf} {
		if err := cache.Private(dir); err != nil {
			return "", fmt.Errorf("%w: %w", errRefused, err)
		}
	}
	return os.MkdirTemp(shelf, runDirPrefix)
}

// builder builds a program in the folder of a run.
type builder struct {
	compiler *clang.Toolchain
	machine  *targets.Target
	dir      string // the folder of the run
	shelf    string // folder of cached programs and runtimes; "": no cache
}

// take links a cached file into the folder of the run. It reports whether the file exists and is intact.
func (b *builder) take(name string) bool {
	if b.shelf == "" {
		return false
	}
	own, kept := filepath.Join(b.dir, name), filepath.Join(b.shelf, name)
	for _, suffix := range []string{"", cache.SealSuffix} {
		if os.Link(kept+suffix, own+suffix) != nil {
			b.drop(name)
			return false
		}
	}
	if !cache.Sealed(own) {
		b.drop(name)
		return false
	}
	now := time.Now()
	_ = os.Chtimes(own, now, now) // for the eviction of the least recently used
	return true
}

// drop removes a file and its seal from the folder of the run.
func (b *builder) drop(name string) {
	for _, suffix := range []string{"", cache.SealSuffix} {
		os.Remove(filepath.Join(b.dir, name+suffix))
	}
}

// keep renames a built file in the folder of the run to name, seals it and links it into the cache. If it cannot be
// cached, it is built again next time.
func (b *builder) keep(made, name string) error {
	own, kept := filepath.Join(b.dir, name), filepath.Join(b.shelf, name)
	if err := os.Rename(filepath.Join(b.dir, made), own); err != nil || b.shelf == "" {
		return err
	}
	if err := cache.Seal(own); err != nil {
		return err
	}
	for _, suffix := range []string{"", cache.SealSuffix} {
		os.Remove(kept + suffix) // a damaged one
		_ = os.Link(own+suffix, kept+suffix)
	}
	return nil
}

func (b *builder) make(ctx context.Context, name string, module *instrumented, source []byte) error {
	files := map[string][]byte{"proof.ll": module.text, clang.RunSourceName: source}
	if emulated(b.machine) {
		files[sanitizersSource] = clang.SanitizersSource()
	}
	for file, text := range files {
		if err := os.WriteFile(filepath.Join(b.dir, file), text, 0o600); err != nil {
			return fmt.Errorf("write the native program: %w", err)
		}
	}
	errs := make(chan error, 1)
	var objects []string
	go func() {
		var err error
		objects, err = b.runtime(ctx, source)
		errs <- err
	}()
	err := runCompiler(ctx, b.dir, b.compiler, slices.Concat(compileFlags, machineFlags(b.machine),
		module.watch.compile, []string{"proof.ll", "-o", "proof.o"}))
	if err2 := <-errs; err == nil {
		err = err2
	}
	if err != nil {
		return err
	}
	if err := b.link(ctx, module, append([]string{"proof.o"}, objects...)); err != nil {
		return err
	}
	if err := b.keep("program", name); err != nil {
		return fmt.Errorf("write the native program: %w", err)
	}
	if b.shelf != "" {
		trim(b.shelf, maxKept, append(objects, name)...)
	}
	return nil
}

// runtime returns the objects of the runtime, which all proofs of a machine share.
func (b *builder) runtime(ctx context.Context, source []byte) (objects []string, err error) {
	compile := func(name, file string, text []byte, flags []string) error {
		sum := sha256.Sum256(append([]byte(fmt.Sprint(b.compiler.Clang, flags, machineFlags(b.machine))), text...))
		object := name + "-" + hex.EncodeToString(sum[:10]) + ".o"
		objects = append(objects, object)
		if b.take(object) {
			return nil
		}
		if err := runCompiler(ctx, b.dir, b.compiler, slices.Concat(flags, machineFlags(b.machine),
			[]string{file, "-o", name + ".o"})); err != nil {
			return err
		}
		return b.keep(name+".o", object)
	}
	err = compile("runtime", clang.RunSourceName, source, runtimeFlags)
	if err == nil && emulated(b.machine) {
		err = compile("sanitizers", sanitizersSource, clang.SanitizersSource(), runtimeFlags)
	}
	return objects, err
}

// maxKept bounds the size of the cached programs, in bytes.
const maxKept = 256 << 20

// trim removes the least recently used programs until the rest is within a limit, and the remains of interrupted
// builds. The files keep stay: the runtime is older than all programs, and concurrent builds link it.
func trim(dir string, limit int64, keep ...string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	type kept struct {
		name string
		size int64
		used time.Time
	}
	var list []kept
	sum := int64(0)
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			continue
		}
		if e.IsDir() {
			if strings.HasPrefix(e.Name(), runDirPrefix) && time.Since(info.ModTime()) > time.Hour {
				os.RemoveAll(filepath.Join(dir, e.Name()))
			}
			continue
		}
		sum += info.Size()
		if strings.HasSuffix(e.Name(), cache.SealSuffix) {
			if name := strings.TrimSuffix(e.Name(), cache.SealSuffix); !slices.ContainsFunc(entries,
				func(e os.DirEntry) bool { return e.Name() == name }) && time.Since(info.ModTime()) > time.Hour {
				os.Remove(filepath.Join(dir, e.Name()))
			}
			continue // removed together with its program
		}
		if !slices.Contains(keep, e.Name()) {
			list = append(list, kept{e.Name(), info.Size(), info.ModTime()})
		}
	}
	slices.SortFunc(list, func(a, b kept) int { return a.used.Compare(b.used) })
	for _, k := range list {
		if sum <= limit {
			return
		}
		if os.Remove(filepath.Join(dir, k.name)) == nil {
			os.Remove(filepath.Join(dir, k.name+cache.SealSuffix))
			sum -= k.size
		}
	}
}

// Clean removes the cached programs of a cache folder. The folders of current runs stay.
func Clean(cacheDir string) error {
	shelf := filepath.Join(cacheDir, "native")
	entries, err := os.ReadDir(shelf)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if !e.IsDir() {
			if err2 := os.Remove(filepath.Join(shelf, e.Name())); err == nil && !errors.Is(err2, fs.ErrNotExist) {
				err = err2
			}
		}
	}
	trim(shelf, maxKept)
	return err
}

func runCompiler(ctx context.Context, dir string, compiler *clang.Toolchain, args []string) error {
	return runTool(ctx, dir, compiler, compiler.Clang, args)
}

// runTool runs a compiler or a linker. The error has the first lines of its messages.
func runTool(ctx context.Context, dir string, compiler *clang.Toolchain, tool string, args []string) error {
	out, errs, err := compiler.Run(ctx, dir, tool, args, nil)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case clang.Exited(err):
		return fmt.Errorf("%s could not build the native program: %s", filepath.Base(tool),
			firstLines(string(bytes.TrimSpace(append(out, errs...))), 4))
	}
	return fmt.Errorf("build the native program: %w", err)
}

// bounded stores the first bytes that are written to it.
type bounded struct {
	buf  bytes.Buffer
	room int
}

func (b *bounded) Write(p []byte) (int, error) {
	if n := min(len(p), b.room-b.buf.Len()); n > 0 {
		b.buf.Write(p[:n])
	}
	return len(p), nil
}

var _ io.Writer = (*bounded)(nil)
