package main

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen/found"
)

// libraryList is the content of libraries.toml: public libraries, and bugs to plant in them.
type libraryList struct {
	Library []library
}

// library is a public library. Its proofs and their unitproof.toml are in an archive of its name, so that they are
// not listed as proofs of this repository: without the library they do not compile.
type library struct {
	Name       string
	Repository string
	Commit     string
	Bug        []plantedBug
}

// librariesDocument is the JSON output of libraries, described in docs/benchmarks.md.
type librariesDocument struct {
	Schema  int              `json:"schema"`
	Tool    string           `json:"tool"`
	Date    string           `json:"date"`
	Machine string           `json:"machine"`
	Proofs  []libraryOutcome `json:"proofs"`
	Bugs    []libraryOutcome `json:"bugs"`
}

// libraryOutcome is the result of a proof, or of a planted bug, at all sizes.
type libraryOutcome struct {
	Library string        `json:"library"`
	Proof   string        `json:"proof"`
	Bug     string        `json:"bug,omitempty"`
	Sizes   []sizeOutcome `json:"sizes"`
}

type sizeOutcome struct {
	Size     int           `json:"size"`
	Verdict  found.Verdict `json:"verdict"`
	MS       int64         `json:"ms"`
	MemoryMB int64         `json:"memory_mb"`
	// FoundMS is the time in ms from the start to the first reported violation; 0 if there was none.
	FoundMS int64  `json:"found_ms,omitempty"`
	Kind    string `json:"kind,omitempty"` // of the first violation, with its place
	Why     string `json:"why,omitempty"`
	// Findings is the number of findings; 0 means that the check ended without a result.
	Findings int `json:"findings"`
}

type librariesFlags struct {
	project  project.Flags
	engine   cli.Engine
	list     string
	only     []string
	sizes    []int
	bugSizes []int
	json     string
}

// librariesCommand checks proofs of public libraries at growing sizes.
func librariesCommand(std cli.Streams) *cobra.Command {
	var flags librariesFlags
	cmd := &cobra.Command{
		Use:   "libraries [flags] DIR",
		Short: "Check proofs of public libraries at growing sizes, and with planted bugs",
		Long: `libraries takes a folder with clones of the libraries that --list names, each under the last part of its repository's
name. It lays the proofs beside a copy of each library at its commit, checks them with N defined as each size, plants one bug
after the other, and prints what was decided and when each bug was found. The clones stay as they are.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return libraries(cmd.Context(), std, &flags, args[0]) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&flags.list, "list", filepath.Join("testdata", "libraries", "libraries.toml"),
		"the libraries, and where their proofs stand, `FILE`")
	f.StringSliceVar(&flags.only, "library", nil, "only these libraries, `NAME`s")
	f.IntSliceVar(&flags.sizes, "sizes", []int{8, 16, 32, 64}, "what N is defined as, `NUMBERS`; 0: no proofs")
	f.IntSliceVar(&flags.bugSizes, "bug-sizes", []int{4, 8, 16, 32, 64}, "the same with bugs, `NUMBERS`; 0: no bugs")
	f.StringVar(&flags.json, "json", "", "write the numbers to `FILE`; - is standard output")
	cli.AddSettings(f, &flags.project)
	cli.AddEngine(f, &flags.engine)
	return cmd
}

func libraries(ctx context.Context, std cli.Streams, flags *librariesFlags, clones string) error {
	if err := cli.CheckOutputs(flags.json); err != nil {
		return err
	}
	for _, sizes := range []*[]int{&flags.sizes, &flags.bugSizes} {
		if slices.Min(*sizes) < 0 {
			return fmt.Errorf("sizes from 0 on are wanted, not %d", slices.Min(*sizes))
		}
		*sizes = slices.DeleteFunc(*sizes, func(n int) bool { return n == 0 })
	}
	list, err := readLibraries(flags.list)
	if err != nil {
		return err
	}
	for _, name := range flags.only {
		if !slices.ContainsFunc(list, func(l library) bool { return l.Name == name }) {
			return fmt.Errorf("--library %s: %s does not name it", name, flags.list)
		}
	}
	work, err := os.MkdirTemp("", "unitproof-libraries-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	doc := librariesDocument{Schema: 1, Tool: cli.ToolName(), Date: time.Now().Format(time.DateOnly), Machine: machine(),
		Proofs: []libraryOutcome{}, Bugs: []libraryOutcome{}}
	pool := pipeline.NewPool(pipeline.PoolOptions{Jobs: 1})
	defer pool.Close()
	for i := range list {
		l := &list[i]
		if len(flags.only) > 0 && !slices.Contains(flags.only, l.Name) {
			continue
		}
		r := libraryRun{ctx: ctx, std: std, flags: flags, library: l, dir: filepath.Join(work, l.Name),
			hunt: hunt{ctx, pool, &flags.engine, map[string]map[string]bool{}}}
		if err := r.layOut(clones); err != nil {
			return err
		}
		if err := r.run(&doc); err != nil {
			return fmt.Errorf("%s: %w", l.Name, err)
		}
	}
	out := std.Out
	if flags.json == "-" {
		out = std.Err
	}
	if err := doc.print(out); err != nil {
		return err
	}
	return writeJSON(std, flags.json, doc)
}

// readLibraries reads the list, and rejects invalid entries.
func readLibraries(path string) ([]library, error) {
	var list libraryList
	meta, err := toml.DecodeFile(path, &list)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if keys := meta.Undecoded(); len(keys) > 0 {
		return nil, fmt.Errorf("%s: unknown key %s", path, keys[0])
	}
	for _, l := range list.Library {
		if l.Name == "" || l.Commit == "" || repositoryName(l.Repository) == "" {
			return nil, fmt.Errorf("%s: library %q needs a name, a repository and a commit", path, l.Name)
		}
		for _, b := range l.Bug {
			if b.File == "" || b.Function == "" || b.Token == "" || b.Occurrence < 1 || b.Proof == "" {
				return nil, fmt.Errorf("%s: a bug of %s needs file, function, token, occurrence and proof", path, l.Name)
			}
		}
	}
	return list.Library, nil
}

// repositoryName returns the last part of owner/name.
func repositoryName(repository string) string {
	_, name, _ := strings.Cut(repository, "/")
	return name
}

// libraryRun checks one library.
type libraryRun struct {
	ctx     context.Context
	std     cli.Streams
	flags   *librariesFlags
	library *library
	dir     string
	hunt    hunt
}

// layOut writes a copy of the library at its commit, with its proofs.
func (r *libraryRun) layOut(clones string) error {
	clone := filepath.Join(clones, repositoryName(r.library.Repository))
	if err := archived(r.ctx, clone, r.library.Commit, r.library.Repository, r.dir); err != nil {
		return err
	}
	proofs, err := txtar.ParseFile(filepath.Join(filepath.Dir(r.flags.list), r.library.Name+".txtar"))
	if err != nil {
		return err
	}
	return txtar.Write(proofs, r.dir)
}

// archived writes a copy of a clone at a commit.
func archived(ctx context.Context, clone, commit, repository, dir string) error {
	cmd := exec.CommandContext(ctx, "git", "-C", clone, "archive", "--format=tar", commit)
	var text, errors bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &errors
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: git archive %s: %w: %s (clone github.com/%s there)", clone, commit, err,
			strings.TrimSpace(errors.String()), repository)
	}
	if err := unpack(&text, dir); err != nil {
		return fmt.Errorf("%s: %w", clone, err)
	}
	return nil
}

// unpack writes the files of an archive, except links.
func unpack(from io.Reader, dir string) error {
	root, err := openDir(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for archive := tar.NewReader(from); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		name := filepath.FromSlash(strings.TrimSuffix(h.Name, "/"))
		switch h.Typeflag {
		case tar.TypeDir:
			err = root.MkdirAll(name, 0o755)
		case tar.TypeReg:
			if err = root.MkdirAll(filepath.Dir(name), 0o755); err == nil {
				var data []byte
				if data, err = io.ReadAll(archive); err == nil {
					err = root.WriteFile(name, data, 0o644)
				}
			}
		}
		if err != nil {
			return err
		}
	}
}

func openDir(dir string) (*os.Root, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	return os.OpenRoot(dir)
}

// run checks the proofs without bugs, and then each bug.
func (r *libraryRun) run(doc *librariesDocument) error {
	var outcomes []libraryOutcome
	for _, size := range r.flags.sizes {
		w, proofs, err := r.list(size)
		if err != nil {
			return err
		}
		if outcomes == nil {
			outcomes = make([]libraryOutcome, len(proofs))
		}
		for i := range proofs {
			outcomes[i].Library, outcomes[i].Proof = r.library.Name, short(&proofs[i])
			o, err := r.check(w, proofs[i], size, false)
			if err != nil {
				return err
			}
			outcomes[i].Sizes = append(outcomes[i].Sizes, o)
			r.tell(outcomes[i].Proof, "", &o)
		}
	}
	doc.Proofs = append(doc.Proofs, outcomes...)
	if len(r.flags.bugSizes) == 0 {
		return nil
	}
	for i := range r.library.Bug {
		o, err := r.plant(&r.library.Bug[i])
		if err != nil {
			return err
		}
		doc.Bugs = append(doc.Bugs, *o)
	}
	return nil
}

// list returns the library's proofs with N defined as a size.
func (r *libraryRun) list(size int) (*project.Workspace, []project.Proof, error) {
	with := r.flags.project
	with.Defines = append(slices.Clone(with.Defines), "N="+strconv.Itoa(size))
	w, err := project.Open(r.dir, with)
	if err != nil {
		return nil, nil, err
	}
	proofs, problems := w.Proofs([]string{filepath.Join(r.dir, "proofs")})
	if len(problems) > 0 {
		return nil, nil, fmt.Errorf("%s:%d: %s", problems[0].File, problems[0].Line, problems[0].Message)
	}
	for i := range proofs {
		r.flags.engine.Apply(&proofs[i])
	}
	return w, proofs, nil
}

// short returns the name of a proof's file without folder and "_harness.c".
func short(p *project.Proof) string { return strings.TrimSuffix(filepath.Base(p.File), "_harness.c") }

// check checks a proof at a size.
func (r *libraryRun) check(w *project.Workspace, p project.Proof, size int, bug bool) (sizeOutcome, error) {
	out, err := r.hunt.check(w, p, short(&p), bug)
	if err == nil && out.Verdict == found.Error {
		err = fmt.Errorf("%s with N=%d: %s", p.Name, size, out.Why)
	}
	out.Size = size
	return out, err
}

// plant checks the library with a bug, and removes the bug again.
func (r *libraryRun) plant(b *plantedBug) (*libraryOutcome, error) {
	if r.hunt.known[b.Proof] == nil {
		if _, err := r.checkNamed(b, r.flags.bugSizes[0], false); err != nil {
			return nil, err
		}
	}
	out := &libraryOutcome{Library: r.library.Name, Proof: b.Proof, Bug: b.String()}
	return out, b.during(r.dir, func() error {
		for _, size := range r.flags.bugSizes {
			o, err := r.checkNamed(b, size, true)
			if err != nil {
				return fmt.Errorf("%s: %w", b, err)
			}
			out.Sizes = append(out.Sizes, o)
			r.tell(b.Proof, out.Bug, &o)
		}
		return nil
	})
}

// checkNamed checks the proof that should detect a bug.
func (r *libraryRun) checkNamed(b *plantedBug, size int, bug bool) (sizeOutcome, error) {
	w, proofs, err := r.list(size)
	if err != nil {
		return sizeOutcome{}, err
	}
	at := slices.IndexFunc(proofs, func(p project.Proof) bool { return short(&p) == b.Proof })
	if at < 0 {
		return sizeOutcome{}, fmt.Errorf("there is no proof %s", b.Proof)
	}
	return r.check(w, proofs[at], size, bug)
}

// tell writes a line about a size when it is done.
func (r *libraryRun) tell(proof, bug string, o *sizeOutcome) {
	line := fmt.Sprintf("%s %s %s N=%d: %s %.1f s %d MB", r.library.Name, proof, bug, o.Size, o.Verdict,
		float64(o.MS)/1000, o.MemoryMB)
	if o.Kind != "" {
		line += "  " + o.Kind
	}
	if o.Why != "" {
		line += "  " + o.Why
	}
	fmt.Fprintln(r.std.Err, line)
}

// print prints two tables: the proofs, and the bugs with the times of their detection.
func (d *librariesDocument) print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	without := 0
	for _, p := range d.Proofs {
		fmt.Fprintf(t, "%s\t%s", p.Library, p.Proof)
		for _, o := range p.Sizes {
			fmt.Fprintf(t, "\t%d: %s %.1f s", o.Size, o.Verdict, float64(o.MS)/1000)
			if o.Findings == 0 {
				without++
			}
		}
		fmt.Fprintln(t)
	}
	if len(d.Proofs) > 0 {
		fmt.Fprintf(t, "%d proofs, %d checks that ended without a finding\n", len(d.Proofs), without)
	}
	if len(d.Bugs) == 0 {
		return t.Flush()
	}
	missed, times := 0, []int64{}
	for _, b := range d.Bugs {
		fmt.Fprintf(t, "%s\t%s\t%s", b.Library, b.Proof, b.Bug)
		for _, o := range b.Sizes {
			if o.FoundMS == 0 {
				missed++
				fmt.Fprintf(t, "\t%d: missed, %s", o.Size, o.Verdict)
				continue
			}
			times = append(times, o.FoundMS)
			fmt.Fprintf(t, "\t%d: %.1f s", o.Size, float64(o.FoundMS)/1000)
		}
		fmt.Fprintln(t)
	}
	slices.Sort(times)
	fmt.Fprintf(t, "%d bugs at %d sizes: %d found", len(d.Bugs), len(d.Bugs[0].Sizes), len(times))
	if n := len(times); n > 0 {
		fmt.Fprintf(t, ", median %.1f s, slowest %.1f s", float64(times[n/2])/1000, float64(times[n-1])/1000)
	}
	fmt.Fprintf(t, "; %d missed\n", missed)
	return t.Flush()
}
