package picture

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/found"
)

// pictured returns memory with a write behind the end of a block. One member of a struct points to the start of the
// block, another into its middle; a freed block points back.
func pictured() *found.Memory {
	bytes := func(n int) []found.Byte { return make([]found.Byte, n) }
	return &found.Memory{
		Objects: []found.Object{
			{Name: "malloc#1", Storage: found.Heap, Size: 3, Parts: []found.Part{
				{Name: "[0]", Value: "<x·", Bytes: []found.Byte{'<', 'x', found.Unwritten}}}},
			{Name: "b", Type: "struct buf", Storage: found.Automatic, Function: "append", Frame: 1, Size: 40,
				Parts: []found.Part{
					{Name: ".len", Value: "3", Bytes: bytes(8)},
					{Off: 8, Name: ".data", Value: "malloc#1", Bytes: bytes(8), Pointer: true, Target: &found.Target{Object: 0}},
					{Off: 16, Name: ".at", Value: "malloc#1+1", Bytes: bytes(8), Pointer: true,
						Target: &found.Target{Object: 0, Off: 1}},
					{Off: 24, Name: ".wide", Value: "1.5", Bytes: bytes(16)}}},
			{Name: "malloc#2", Type: "struct node", Storage: found.Heap, Size: 64, Ended: found.Freed, Left: 8,
				Parts: []found.Part{{Name: ".back", Value: "&b", Bytes: bytes(8), Pointer: true, Target: &found.Target{Object: 1}},
					{Off: 48, Left: 40, Name: ".key", Bytes: []found.Byte{found.Unlooked}}}},
			{Name: "old", Storage: found.Automatic, Function: "append", Frame: 1, Size: 8, Parts: []found.Part{
				{Value: "malloc#2 (freed)", Bytes: bytes(8), Pointer: true, Target: &found.Target{Object: 2, Off: 64}}}},
		},
		Access: &found.Access{Object: 0, Off: 3, Len: 12, Write: true}, More: 2,
	}
}

// element is an element of a picture, with its numeric attributes.
type element struct {
	name, class   string
	x, y, w, h    int
	d, text, aria string
}

func elements(t *testing.T, svg string) (list []element) {
	t.Helper()
	number := func(s string) int {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for _, m := range regexp.MustCompile(`<(svg|rect|text|path|circle)([^>]*)>([^<]*)`).FindAllStringSubmatch(svg, -1) {
		e := element{name: m[1], text: m[3]}
		for _, a := range regexp.MustCompile(`([a-z-]+)="([^"]*)"`).FindAllStringSubmatch(m[2], -1) {
			switch a[1] {
			case "class":
				e.class = a[2]
			case "x", "cx":
				e.x = number(a[2])
			case "y", "cy":
				e.y = number(a[2])
			case "width":
				e.w = number(a[2])
			case "height":
				e.h = number(a[2])
			case "d":
				e.d = a[2]
			case "aria-label":
				e.aria = a[2]
			}
		}
		list = append(list, e)
	}
	return list
}

// TestMemoryPicture checks the elements of a picture and their positions.
func TestMemoryPicture(t *testing.T) {
	svg := string(Memory(pictured(), found.OutOfBoundsWrite, true))
	list := elements(t, svg)
	outer := list[0]
	class := func(want string) (out []element) {
		for _, e := range list {
			if e.class == want {
				out = append(out, e)
			}
		}
		return out
	}
	boxes := append(class("box"), class("box ended")...)
	if len(boxes) != 3 || len(class("box ended")) != 1 {
		t.Fatalf("boxes: %v", boxes)
	}
	for i, a := range boxes {
		for _, b := range boxes[:i] {
			if a.x < b.x+b.w && b.x < a.x+a.w && a.y < b.y+b.h && b.y < a.y+a.h {
				t.Errorf("%v and %v overlap", a, b)
			}
		}
	}
	inside := func(e element) bool {
		for _, b := range boxes {
			if b.x <= e.x && e.x+max(e.w, len([]rune(e.text))*6) <= b.x+b.w && b.y <= e.y && e.y+e.h <= b.y+b.h {
				return true
			}
		}
		return false
	}
	for _, e := range list[1:] {
		if e.x+e.w > outer.w || e.y+e.h > outer.h {
			t.Errorf("%v is outside of the picture", e)
		}
		if e.name == "text" && !inside(e) || e.name == "rect" && !strings.HasPrefix(e.class, "box") && !inside(e) {
			t.Errorf("%v is outside of the boxes", e)
		}
	}
	// 12 bytes behind the end: two rows, of eight and four bytes.
	if ghosts, struck := class("cell ghost"), class("struck"); len(ghosts) != 12 || len(struck) != 2 ||
		struck[0].w != 8*byteWidth || struck[1].w != 4*byteWidth {
		t.Errorf("ghosts %v, struck %v", ghosts, struck)
	}
	arrows := class("arrow")
	if len(arrows) != 4 {
		t.Fatalf("arrows: %v", arrows)
	}
	// Each arrow ends at the edge of a box: three at a left edge, and the one that leads back at a right edge.
	left, right := 0, 0
	for _, a := range arrows {
		words := strings.FieldsFunc(a.d, func(r rune) bool { return r == ' ' || r >= 'A' })
		x, _ := strconv.Atoi(words[len(words)-2])
		y, _ := strconv.Atoi(words[len(words)-1])
		for _, b := range boxes {
			switch {
			case y < b.y || y > b.y+b.h:
			case x < b.x && x > b.x-10:
				left++
			case x > b.x+b.w && x < b.x+b.w+10:
				right++
			}
		}
	}
	if left != 3 || right != 1 {
		t.Errorf("%d arrows end at left edges, %d at right ones: %v", left, right, arrows)
	}
	for _, want := range []string{"b: struct buf, 40 bytes", "malloc#2: struct node, 64 bytes, freed", "⋮ 40 bytes",
		"✗ writes 12 bytes at offset 3, beyond its end", ">&lt;x·<", ">–<", ">?<", "<style>", "2 more variables or objects"} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %s in\n%s", want, svg)
		}
	}
	const words = "variables of append: b: struct buf, 40 bytes; .len = 3; .data = malloc#1; .at = malloc#1+1; " +
		".wide = 1.5; 00 00 00 00 00 00 00 00; old = malloc#2 (freed). " +
		"malloc#1, 3 bytes: writes 12 bytes at offset 3, beyond its end; [0] = &lt;x·. " +
		"malloc#2: struct node, 64 bytes, freed: .back = &amp;b; 40 bytes; .key ?; 8 bytes"
	if outer.aria != words {
		t.Errorf("it says %s", outer.aria)
	}
}

// TestAccessPictured checks the text for the violating access.
func TestAccessPictured(t *testing.T) {
	block := found.Object{Name: "malloc#1", Storage: found.Heap, Size: 4,
		Parts: []found.Part{{Bytes: make([]found.Byte, 4)}}}
	freed, constant, code := block, block, found.Object{Name: "f", Storage: found.Code}
	freed.Ended, constant.Constant = found.Freed, true
	tests := []struct {
		kind   found.Kind
		o      *found.Object
		access found.Access
		want   []string
	}{
		{found.OutOfBoundsRead, &block, found.Access{Off: -20, Len: 4},
			[]string{"reads 4 bytes at offset -20, before its begin",
				"⋮ 16 bytes before its begin", ">-20<"}},
		{found.OutOfBoundsRead, &block, found.Access{Off: 100, Len: 4},
			[]string{"beyond its end", "⋮ 96 bytes behind its end",
				">+100<"}},
		{found.OutOfBoundsWrite, &block, found.Access{Off: 2, Len: 1 << 63, Write: true},
			[]string{"⋮ 1099511627758 bytes more"}},
		{found.UseAfterFree, &freed, found.Access{Len: 4},
			[]string{"reads 4 bytes at offset 0, after it was freed", "box ended"}},
		{found.ReadOnlyWrite, &constant, found.Access{Len: 1, Write: true}, []string{"though it is constant"}},
		{found.MemoryLeak, &block, found.Access{}, []string{"✗ never freed", `class="box hit"`}},
		{found.DoubleFree, &freed, found.Access{}, []string{"✗ freed a second time"}},
		{found.InvalidPointer, &code, found.Access{Len: 1, Write: true}, []string{">f()<", "beyond its end"}},
		{found.NullDereference, nil, found.Access{Object: -1, Off: 8, Len: 4},
			[]string{">NULL<", ">0x8<", "✗ reads 4 bytes<"}},
		{found.InvalidPointer, nil, found.Access{Object: -1, Off: -1, Len: 4},
			[]string{">no object<", ">0xffffffffffffffff<"}},
	}
	for _, test := range tests {
		m := &found.Memory{Access: &test.access}
		if test.o != nil {
			m.Objects = []found.Object{*test.o}
		}
		svg := string(Memory(m, test.kind, false))
		for _, want := range test.want {
			if !strings.Contains(svg, want) {
				t.Errorf("%s %v: no %s in\n%s", test.kind, test.access, want, svg)
			}
		}
	}
	// A pointer from which the access to no object may be derived leads there; other pointers do not.
	pointer := func(name, value string, bytes ...found.Byte) found.Object {
		return found.Object{Name: name, Storage: found.Automatic, Function: "f", Frame: 1, Size: 8, Parts: []found.Part{
			{Value: value, Bytes: append(bytes, make([]found.Byte, 8-len(bytes))...), Pointer: true}}}
	}
	known := pointer("k", "&p", 8)
	known.Parts[0].Target = &found.Target{Object: 0}
	for off, want := range map[int64]int{0: 2, 16: 2, 4096 + 7: 1, 0x1004: 1, 1 << 40: 0} {
		svg := string(Memory(&found.Memory{Objects: []found.Object{
			pointer("p", "NULL"), pointer("q", "NULL"), pointer("far", "0x1000", 0, 0x10),
			pointer("u", "?", found.Unlooked), known},
			Access: &found.Access{Object: -1, Off: off, Len: 4}}, found.NullDereference, false))
		if got := strings.Count(svg, `class="arrow"`) - 1; got != want {
			t.Errorf("an access at %#x: %d arrows, want %d\n%s", off, got, want, svg)
		}
	}
	if s := Memory(nil, found.SignedOverflow, true); s != "" {
		t.Errorf("a picture of nothing: %s", s)
	}
}
