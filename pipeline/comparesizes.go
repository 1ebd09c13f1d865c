package pipeline

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/vcgen/found"
)

// outsideObjects are the places at which the version before leaves an object of the arguments.
//
// The comparison chose the size of the object, and that the pointer leads to its start. A caller may pass a larger
// object, for which the access is valid and the execution goes on. Such executions are not compared.
type outsideObjects map[string]outsideObject

// outsideObject is the object of an access outside of it.
type outsideObject struct {
	size   uint64 // bytes
	before bool   // the access is before its start
}

// evenIfLarger returns the places of a comparison that a further one with larger objects does not confirm. It confirms
// a place that leaves an object that has grown, as an arbitrary index does for each size.
func (o outsideObjects) evenIfLarger(larger outsideObjects) outsideObjects {
	rest := outsideObjects{}
	for place, object := range o {
		switch again := larger[place]; {
		case again.before:
			rest[place] = again
		case again.size <= object.size || object.before:
			rest[place] = object
		}
	}
	for place, object := range larger {
		if _, ok := o[place]; !ok {
			rest[place] = object
		}
	}
	return rest
}

// weaken turns "equivalent" into "no difference within bounds" if there is such a place.
func (o outsideObjects) weaken(out *diagnostics.Comparison) {
	if len(o) == 0 || out.Answer != diagnostics.SameBehaviour {
		return
	}
	place := slices.Min(slices.Collect(maps.Keys(o)))
	out.Answer = diagnostics.SameWithinBounds
	out.Reason = fmt.Sprintf("%s accesses memory behind an object of %d bytes, and larger objects were not compared",
		place, o[place].size)
	if o[place].before {
		out.Reason = place + " accesses memory before an object, and pointers into the middle of objects were not compared"
	}
}

// argumentMark is the comment at the place of the runtime that allocates the objects of the arguments.
const argumentMark = "/* an object of the arguments */"

// leavesArgument reports whether a violation is an access outside of an object of the arguments. It returns the object.
func (v *judgement) leavesArgument(f *diagnostics.Finding) (object outsideObject, ok bool) {
	if f.Kind != found.OutOfBoundsRead && f.Kind != found.OutOfBoundsWrite {
		return object, false
	}
	lines := strings.Split(string(v.t.product.Runtime), "\n")
	ok = slices.ContainsFunc(f.Related, func(r diagnostics.Related) bool {
		return v.origin(r.File) == inHarness || v.origin(r.File) == inRuntime && r.Line >= 1 && r.Line <= len(lines) &&
			strings.Contains(lines[r.Line-1], argumentMark)
	})
	if m := f.Memory; m != nil && m.Access != nil && m.Access.Object >= 0 {
		o := &m.Objects[m.Access.Object]
		object = outsideObject{o.Size, m.Access.Off < 0}
		return object, ok || o.Storage == found.Automatic && o.Function == "main"
	}
	return object, ok
}

// hideFolder replaces the paths of temporary files in the sentences of an answer. Files of the version before get the
// names that the user knows.
func hideFolder(out *diagnostics.Comparison, folder string, root paths.Root) {
	if folder == "" {
		return
	}
	before := regexp.MustCompile(regexp.QuoteMeta(filepath.Join(folder, "before")) + `(/[^\s:,;()'"` + "`" + `]*)`)
	own := regexp.MustCompile(`(?:` + regexp.QuoteMeta(folder) + `/)?\bcompare_(?:runtime|` +
		regexp.QuoteMeta(out.Function) + `)\.(?:c|ll)(?::\d+)*`)
	hide := func(text *string) {
		*text = before.ReplaceAllStringFunc(*text, func(path string) string {
			return root.Show(before.FindStringSubmatch(path)[1])
		})
		*text = strings.ReplaceAll(own.ReplaceAllString(*text, "the comparison"), folder+"/", "")
	}
	hide(&out.Reason)
	hide(&out.Steps)
	for _, list := range [][]string{out.Assumed, out.NotCompared, out.Excluded} {
		for i := range list {
			hide(&list[i])
		}
	}
	for i := range out.Differences {
		d := &out.Differences[i]
		hide(&d.What)
		hide(&d.File)
		for _, steps := range [][]found.Step{d.TraceBefore, d.TraceAfter} {
			for k := range steps {
				hide(&steps[k].File)
				hide(&steps[k].Text)
			}
		}
		for k := range d.Inputs {
			hide(&d.Inputs[k].File)
		}
	}
}
