package editor

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/unitproof/unitproof/lsp/lsptest"
)

// smallProof returns a proof that fails for exactly one value, so that its diagnostic identifies its text.
func smallProof(n int) string {
	return fmt.Sprintf("#include <unitproof.h>\n\nint main(void) {\n\tint x = nd_int();\n\tassume(x >= "+
		"0);\n\tsassert(x != %d);\n\treturn 0;\n}\n", n)
}

// initialize measures the time from the start of the process to the response to initialize.
func (b *bench) initialize() {
	dir := b.files("initialize", map[string]string{"a_harness.c": smallProof(1)})
	var t times
	for range b.Runs {
		start := time.Now()
		s := b.start(dir)
		s.Initialize()
		t = append(t, since(start))
		s.leave()
	}
	b.add("initialize, with the start of the process", "ms", t.median(), 100, "")
}

// small measures typing in a small proof and saving it.
func (b *bench) small() {
	dir := b.files("small", map[string]string{"a_harness.c": smallProof(1)})
	s, docs := b.open(dir, "a_harness.c")
	d := docs[0]
	var stale, first times
	n := 1
	for range 10 * b.Runs {
		// Typing a character makes diagnostics stale; deleting it makes them fresh again.
		start := time.Now()
		s.Replace(d, "\treturn 0;", "\t;return 0;")
		s.shows("stale", d.Path, func(m string) bool { return strings.Contains(m, lsptest.StaleSuffix) })
		stale = append(stale, since(start))
		s.Replace(d, "\t;return 0;", "\treturn 0;")
		s.shows("fresh", d.Path, func(m string) bool { return m != "" && !strings.Contains(m, lsptest.StaleSuffix) })
	}
	for range 2 * b.Runs {
		n++
		s.SetText(d, smallProof(n))
		must(os.WriteFile(d.Path, []byte(d.Text), 0o644))
		start := time.Now()
		s.Notify("textDocument/didSave", map[string]any{"textDocument": map[string]any{"uri": d.URI}})
		want := fmt.Sprintf("`x != %d` is false", n)
		s.shows(want, d.Path, func(m string) bool {
			return strings.Contains(m, want) &&
				!strings.Contains(m, lsptest.StaleSuffix)
		})
		first = append(first, since(start))
	}
	b.add("didChange to stale, p99", "ms", stale.quantile(0.99), 100, fmt.Sprintf("median %.1f", stale.median()))
	b.add("didSave to the first diagnostic, small, warm", "ms", first.median(), 400, "")
	b.add("server memory, small workspace", "MB", resident(s.cmd.Process.Pid), 200, "")
	before, start := cpu(s.cmd.Process.Pid), time.Now()
	time.Sleep(10 * time.Second)
	b.add("idle processor", "%", 100*(cpu(s.cmd.Process.Pid)-before)/since(start).Seconds(), 0.5, "server and workers")
	s.leave()
}

// header measures an edit of a header of 20 proofs, one of them visible.
func (b *bench) header() {
	header := func(n int) string { return fmt.Sprintf("#define FORBIDDEN %d\n", n) }
	files := map[string]string{"shared.h": header(1000)}
	for i := range 20 {
		files[fmt.Sprintf("p%02d_harness.c",
			i)] = fmt.Sprintf("#include <unitproof.h>\n#include \"shared.h\"\n\nint main(void) {\n\tint x = "+
			"nd_int();\n\tassume(x >= %d);\n\tsassert(x != FORBIDDEN);\n\treturn 0;\n}\n", i)
	}
	dir := b.files("header", files)
	s, docs := b.open(dir, "p07_harness.c", "shared.h")
	d, h := docs[0], docs[1]
	s.Notify("unitproof/visible", map[string]any{"uris": []string{d.URI}, "active": d.URI, "line": 5})
	var visible, all times
	for i := range max(b.Runs/2, 3) {
		value := 2000 + i
		s.SetText(h, header(value))
		must(os.WriteFile(h.Path, []byte(h.Text), 0o644))
		start := time.Now()
		s.Notify("textDocument/didSave", map[string]any{"textDocument": map[string]any{"uri": h.URI}})
		want := fmt.Sprintf("FORBIDDEN = %d", value)
		s.shows(want, d.Path, func(m string) bool { return strings.Contains(m, want) })
		visible = append(visible, since(start))
		s.Settle()
		all = append(all, since(start))
	}
	b.add("header under 20 proofs, the visible one", "ms", visible.median(), 1000, "")
	b.add("header under 20 proofs, all", "ms", all.median(), 10_000, "")
	s.leave()
}

// busy measures requests during verification.
func (b *bench) busy() {
	files := map[string]string{"a_harness.c": smallProof(1)}
	for i := range 4 {
		files[fmt.Sprintf("hard%d_harness.c",
			i)] = fmt.Sprintf("#include <unitproof.h>\n#include <stdint.h>\nint main(void) {\n\tuint64_t a = nd_uint64_t(), "+
			"b = nd_uint64_t();\n\tassume(a > 1 && b > 1 && a < 4294967296u && b < 4294967296u);\n\tsassert(a * b != "+
			"1844674397922027118%du);\n}\n", i)
	}
	dir := b.files("busy", files)
	s := b.start(dir)
	s.Initialize()
	d := s.Open(filepath.Join(dir, "a_harness.c"))
	s.shows("the small proof", d.Path, func(m string) bool { return m != "" })
	time.Sleep(time.Second)
	var t times
	document := map[string]any{"uri": d.URI}
	for i := range 20 * b.Runs {
		s.Replace(d, "\treturn 0;", "\t return 0;")
		start := time.Now()
		switch i % 4 {
		case 0:
			s.Must("textDocument/hover", map[string]any{"textDocument": document,
				"position": map[string]any{"line": 5, "character": 2}}, nil)
		case 1:
			s.Must("textDocument/codeLens", map[string]any{"textDocument": document}, nil)
		case 2:
			s.Must("textDocument/codeAction", map[string]any{"textDocument": document,
				"range": map[string]any{"start": map[string]any{"line": 5, "character": 2},
					"end": map[string]any{"line": 5, "character": 2}}, "context": map[string]any{"diagnostics": []any{}}}, nil)
		default:
			s.Must("textDocument/inlayHint", map[string]any{"textDocument": document,
				"range": map[string]any{"start": map[string]any{"line": 0, "character": 0},
					"end": map[string]any{"line": 9, "character": 0}}}, nil)
		}
		t = append(t, since(start))
		s.Replace(d, "\t return 0;", "\treturn 0;")
	}
	b.add("any request while verification runs, p99", "ms", t.quantile(0.99), 50, fmt.Sprintf("median %.1f", t.median()))
	must(s.Execute("cancel", nil, nil))
	s.leave()
}

// reopen measures opening a workspace of 150 proofs with a full cache.
func (b *bench) reopen() {
	files := map[string]string{}
	for i := range 150 {
		files[fmt.Sprintf("p%03d_harness.c", i)] = smallProof(i)
	}
	dir := b.files("reopen", files)
	s, _ := b.open(dir, "p000_harness.c")
	s.leave()
	var t, used times
	memory := 0.0
	for range max(b.Runs/3, 3) {
		start := time.Now()
		s, _ := b.open(dir, "p000_harness.c")
		t = append(t, since(start))
		used = append(used, time.Duration(own(s.cmd.Process.Pid)*float64(time.Second)))
		memory = max(memory, resident(s.cmd.Process.Pid))
		s.leave()
	}
	b.add("reopening 150 proofs, warm cache", "ms", t.median(), 1000,
		fmt.Sprintf("%.0f ms of processor in the server itself", used.median()))
	b.add("server memory, 150 proofs", "MB", memory, 200, "")
}

// edits measures a thousand edits and saves.
func (b *bench) edits() {
	dir := b.files("edits", map[string]string{"a_harness.c": smallProof(0), "b_harness.c": smallProof(0)})
	s, docs := b.open(dir, "a_harness.c", "b_harness.c")
	pid := s.cmd.Process.Pid
	var early float64
	const count = 1000
	for i := range count {
		d := docs[i%2]
		s.SetText(d, smallProof(i%50)+strings.Repeat("// filling\n", i%7))
		s.Save(d)
		if i%10 == 9 {
			s.Sync()
		}
		if i == count/5 {
			s.Settle()
			early = resident(pid)
		}
	}
	s.Settle()
	late := resident(pid)
	b.add("growth of memory in 1000 edits and saves", "%", 100*(late-early)/early, 10,
		fmt.Sprintf("%.1f MB to %.1f MB", early, late))
	b.add("processes left behind", "", float64(s.leave()), 0, "")
}

// scan measures opening a large tree without proofs.
func (b *bench) scan() {
	text := "#include <stdio.h>\n\n" +
		strings.Repeat("static int helper(int a) { return a * 2 + 1; }\nint main(int argc, char **argv) { printf(\"%d\", "+
			"helper(argc)); return 0; }\n/* some more text of an ordinary file */\n", 20)
	files := map[string]string{}
	for i := range 10_000 {
		files[fmt.Sprintf("d%02d/e%02d/f%d.c", i%40, i%17, i)] = text
	}
	dir := b.files("scan", files)
	var t times
	clangs := 0
	for range max(b.Runs/3, 3) {
		start := time.Now()
		s := b.start(dir)
		s.Initialize()
		s.Settle()
		t = append(t, since(start))
		var list struct{ Proofs []any }
		s.Must("unitproof/proofs", map[string]any{}, &list)
		clangs += len(list.Proofs)
		s.leave()
	}
	b.add("scan of 10000 C files without proofs", "ms", t.median(), 2000, fmt.Sprintf("%d proofs found", clangs))
}

// corpus measures a warm save of the code under proof in a real code base.
func (b *bench) corpus(dir, proof, edit string) {
	dir, err := filepath.Abs(dir)
	must(err)
	s := b.start(dir)
	s.Initialize()
	d := s.Open(edit)
	s.Notify("unitproof/visible", map[string]any{"uris": []string{d.URI}, "active": d.URI})
	s.Must("unitproof/sync", map[string]any{}, nil)
	must(s.Execute("cancel", nil, nil)) // only the proof is measured
	id := ""
	var list struct {
		Proofs []struct{ ID, Name string }
	}
	s.Must("unitproof/proofs", map[string]any{}, &list)
	for _, p := range list.Proofs {
		if p.Name == proof {
			id = p.ID
		}
	}
	original := d.Text
	defer func() { must(os.WriteFile(d.Path, []byte(original), 0o644)) }()
	var t times
	for i := range b.Runs {
		s.SetText(d, original+fmt.Sprintf("\nint unitproof_bench_%d_%d(int a) { return a + %d; }\n", os.Getpid(), i, i))
		must(os.WriteFile(d.Path, []byte(d.Text), 0o644))
		start := time.Now()
		var answer struct{ Proofs []struct{ Verdict string } }
		must(s.Execute("verify", map[string]any{"proofs": []string{id}}, &answer))
		if i > 0 { // the first warms up
			t = append(t, since(start))
		}
	}
	b.add("warm save of "+proof+", code under proof edited", "ms", t.median(), 1500, "")
	s.leave()
}
