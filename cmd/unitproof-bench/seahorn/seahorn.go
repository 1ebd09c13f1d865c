// Package seahorn converts the jobs of verify-c-common, SeaHorn's unit proofs of aws-c-common, to a unitproof.toml.
// It evaluates the few CMake commands that they use, so that neither CMake nor SeaHorn is needed:
//
//	add_executable(put put_harness.c)
//	sea_link_libraries(put hash_table.opt.ir)
//
// becomes a [[proof]] with the name, the file and the sources of the job. Read parses a clone into a Project, and
// Project.Write writes unitproof.toml with the generated headers.
package seahorn

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Job is a proof, described by add_executable and the commands that follow it. Paths are relative to the root.
type Job struct {
	Name      string
	Harness   string
	Sources   []string // linked files
	Overrides []string // files that replace definitions of Sources
	Defines   []string // NAME=VALUE, or NAME
}

// Project is a clone of verify-c-common with one of aws-c-common in it.
type Project struct {
	Jobs    []Job
	Defines []string          // of all files
	Sizes   map[string]string // values for include/config.h by name
}

// files has the files of each library by name.
type files map[string][]string

// command is a call in a CMakeLists.txt.
type command struct {
	name string
	args []string
}

var (
	comment = regexp.MustCompile(`(?m)(^|\s)#[^\n]*`)
	call    = regexp.MustCompile(`([A-Za-z_][A-Za-z_0-9]*)\s*\(([^()]*)\)`)
	word    = regexp.MustCompile(`"[^"]*"|[^\s"]+`)
	used    = regexp.MustCompile(`\$\{([A-Za-z_0-9]+)\}`)
)

// commands reads dir/CMakeLists.txt, without the bodies of if, functions and macros, which are for other tools.
func commands(dir string) ([]command, error) {
	text, err := os.ReadFile(filepath.Join(dir, "CMakeLists.txt"))
	if err != nil {
		return nil, err
	}
	var list []command
	depth := 0
	for _, m := range call.FindAllStringSubmatch(comment.ReplaceAllString(string(text), "$1"), -1) {
		switch name := strings.ToLower(m[1]); name {
		case "if", "function", "macro", "foreach":
			depth++
		case "endif", "endfunction", "endmacro", "endforeach":
			depth--
		default:
			if depth == 0 {
				var args []string
				for _, w := range word.FindAllString(m[2], -1) {
					args = append(args, strings.Trim(w, `"`))
				}
				list = append(list, command{name, args})
			}
		}
	}
	return list, nil
}

// expand replaces the variables in a word. A variable without a value is kept.
func expand(text string, vars map[string]string) string {
	return used.ReplaceAllStringFunc(text, func(ref string) string {
		if v, ok := vars[ref[2:len(ref)-1]]; ok {
			return v
		}
		return ref
	})
}

// Read reads the jobs that seahorn/CMakeLists.txt adds, in its order.
func Read(root string) (*Project, error) {
	if _, err := os.Stat(filepath.Join(root, "aws-c-common", "source")); err != nil {
		return nil, fmt.Errorf("%s has no clone of aws-c-common, which the proofs are about: %w", root, err)
	}
	top, err := commands(filepath.Join(root, "seahorn"))
	if err != nil {
		return nil, err
	}
	p := &Project{Sizes: map[string]string{}, Defines: []string{"__SEAHORN__", "__SEAHORN_ASSERT__", "VACCHECK"}}
	vars := map[string]string{"AWS_C_COMMON_ROOT": "aws-c-common", "CMAKE_SOURCE_DIR": ".", "SEA_LIB": "seahorn/lib"}
	var jobs []string
	for _, c := range top {
		switch {
		case c.name == "set" && len(c.args) == 2:
			vars[c.args[0]], p.Sizes[c.args[0]] = c.args[1], c.args[1]
		case c.name == "add_definitions":
			for _, d := range c.args {
				p.Defines = append(p.Defines, strings.TrimPrefix(expand(d, vars), "-D"))
			}
		case c.name == "add_subdirectory" && len(c.args) > 0 && strings.HasPrefix(c.args[0], "jobs"):
			jobs = append(jobs, filepath.Join("seahorn", c.args[0]))
		}
	}
	libraries := files{}
	for _, dir := range []string{"seahorn/lib", "seahorn/aws-c-common-stubs"} {
		if err := libraries.read(root, dir, vars); err != nil {
			return nil, err
		}
	}
	var problems []error
	for _, dir := range jobs {
		job, err := libraries.job(root, dir, vars)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		p.Jobs = append(p.Jobs, *job)
	}
	return p, errors.Join(problems...)
}

// read adds the C files of the libraries of a folder. Files in other languages are not part of the proofs.
func (l files) read(root, dir string, vars map[string]string) error {
	list, err := commands(filepath.Join(root, dir))
	if err != nil {
		return err
	}
	for _, c := range list {
		if c.name == "add_library" && len(c.args) > 1 {
			if l[c.args[0]], err = paths(dir, c.args[1:], vars); err != nil {
				return err
			}
		}
	}
	return nil
}

// paths returns the C files among the arguments, relative to the root.
func paths(dir string, args []string, vars map[string]string) (list []string, err error) {
	for _, a := range args {
		switch text := expand(a, vars); {
		case filepath.Ext(text) != ".c":
		case used.MatchString(text):
			return nil, fmt.Errorf("%s/CMakeLists.txt: nothing that is read sets the variable in %s", dir, text)
		case text != a: // begins with the root of a library
			list = append(list, filepath.Clean(text))
		default:
			list = append(list, filepath.Join(dir, text))
		}
	}
	return list, nil
}

// job returns the job of a folder: the target of its name.
func (l files) job(root, dir string, outer map[string]string) (*Job, error) {
	list, err := commands(filepath.Join(root, dir))
	if err != nil {
		return nil, err
	}
	job := &Job{Name: filepath.Base(dir)}
	vars := map[string]string{}
	for k, v := range outer {
		vars[k] = v
	}
	for _, c := range list {
		if c.name == "set" && len(c.args) == 2 {
			vars[c.args[0]] = expand(c.args[1], vars)
			continue
		}
		if len(c.args) < 2 && c.name != "sea_attach_bc_link" || len(c.args) == 0 || c.args[0] != job.Name {
			continue
		}
		switch args := c.args[1:]; c.name {
		case "add_executable":
			files, err := paths(dir, args, vars)
			if err != nil {
				return nil, err
			}
			job.Sources = append(job.Sources, files...)
		case "target_compile_definitions":
			for _, d := range args {
				if d != "PUBLIC" && d != "PRIVATE" {
					job.Defines = append(job.Defines, expand(d, vars))
				}
			}
		case "sea_link_libraries":
			job.Sources = append(job.Sources, l.of(args)...)
		case "sea_overlink_libraries":
			job.Overrides = append(job.Overrides, l.of(args)...)
		case "sea_attach_bc_link":
			job.Sources = append(job.Sources, l.of([]string{"sea_proofs", "sea_bounds"})...)
		}
	}
	i := slices.IndexFunc(job.Sources, func(f string) bool { return filepath.Dir(f) == dir })
	if i < 0 {
		return nil, fmt.Errorf("%s: add_executable(%s …) names no C file of the folder", dir, job.Name)
	}
	job.Harness = job.Sources[i]
	job.Sources = slices.Delete(job.Sources, i, i+1)
	return job, nil
}

// opened is the folder of files whose static functions can be called, and replaced, from other files.
const opened = "unitproof/opened"

// of returns the files of the libraries for targets like hash_table.opt.ir. For such targets opt externalises static
// functions.
func (l files) of(targets []string) (list []string) {
	for _, t := range targets {
		name, kind, _ := strings.Cut(t, ".")
		for _, f := range l[name] {
			if kind == "opt.ir" {
				f = filepath.Join(opened, f)
			}
			list = append(list, f)
		}
	}
	return list
}

var (
	placeholder = regexp.MustCompile(`@([A-Z_]+)@`)
	include     = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*include[ \t]*<[^>\n]*\.h>`)
)

// Write writes unitproof.toml, and the files that CMake and SeaHorn would generate, in a separate folder:
// include/config.h, SeaHorn's header, and files whose functions are not static.
func (p *Project) Write(root string) error {
	template, err := os.ReadFile(filepath.Join(root, "seahorn/include/config.h.in"))
	if err != nil {
		return err
	}
	texts := map[string]string{
		"unitproof.toml": p.Text(),
		"unitproof/include/config.h": placeholder.ReplaceAllStringFunc(string(template), func(ref string) string {
			return p.Sizes[strings.Trim(ref, "@")]
		}),
		"unitproof/include/seahorn/seahorn.h": "#include <unitproof.h>\n",
	}
	for _, j := range p.Jobs {
		for _, f := range j.Sources {
			original, ok := strings.CutPrefix(f, opened+"/")
			if !ok {
				continue
			}
			text, err := os.ReadFile(filepath.Join(root, original))
			if err != nil {
				return err
			}
			up := strings.Repeat("../", strings.Count(f, "/"))
			// Functions of headers stay unchanged.
			texts[f] = strings.Join(include.FindAllString(string(text), -1), "\n") +
				"\n#define static\n#define inline\n#include \"" + up + original + "\"\n"
		}
	}
	for name, text := range texts {
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// Text returns the unitproof.toml.
func (p *Project) Text() string {
	var b strings.Builder
	flags := []string{"-Iunitproof/include", "-Iseahorn/include", "-Iaws-c-common/include", "-fdeclspec",
		"-include", "stdint.h"}
	for _, d := range p.Defines {
		flags = append(flags, "-D"+d)
	}
	// As with SeaHorn, malloc succeeds (SEA_ALLOCATOR_CAN_FAIL is off) and functions without a body write nothing.
	fmt.Fprintf(&b, "# Written by \"unitproof-bench seahorn\".\n\n[compile]\nflags = %s\n"+
		"\n[check]\nmissing-body = \"pure\"\nmalloc-may-fail = false\n", list(flags))
	for _, j := range p.Jobs {
		fmt.Fprintf(&b, "\n[[proof]]\nname = %q\nfile = %q\nentry = \"main\"\nsources = %s\n",
			j.Name, j.Harness, list(j.Sources))
		if len(j.Overrides) > 0 {
			fmt.Fprintf(&b, "override = %s\n", list(j.Overrides))
		}
		if len(j.Defines) > 0 {
			var flags []string
			for _, d := range j.Defines {
				name, _, _ := strings.Cut(d, "=")
				flags = append(flags, "-U"+name, "-D"+d)
			}
			fmt.Fprintf(&b, "flags = %s\n", list(flags))
		}
	}
	return b.String()
}

// list returns an array of TOML.
func list(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = strconv.Quote(w)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
