package editing

import (
	"strings"
	"sync"

	"github.com/unitproof/unitproof/pipeline/ondisk"
)

// Positions of a result are moved to the current text by a comparison of the two texts, not by the edits in between.
// So the result is independent of the program that changed a file, and undoing restores a position.

// lineMap maps the lines of an old text to a new one.
type lineMap struct {
	oldLines, newLines []string
	to                 []int // by old line from 0: the new line, or -1 if it was deleted
}

// move moves a position; lines and columns count from 1.
func (m *lineMap) move(line, column int) (int, int, bool) {
	if line < 1 || line > len(m.to) {
		return 0, 0, false
	}
	to := m.to[line-1]
	if to < 0 {
		return 0, 0, false
	}
	a, b := m.oldLines[line-1], m.newLines[to]
	at := column - 1
	if a == b || at < 0 {
		return to + 1, column, true
	}
	prefix, suffix := commonEnds(a, b)
	switch {
	case at <= prefix:
	case at >= len(a)-suffix:
		at += len(b) - len(a)
	default:
		at = prefix // inside the changed part
	}
	return to + 1, min(at, len(b)) + 1, true
}

func commonEnds(a, b string) (prefix, suffix int) {
	for prefix < len(a) && prefix < len(b) && a[prefix] == b[prefix] {
		prefix++
	}
	for suffix < len(a)-prefix && suffix < len(b)-prefix && a[len(a)-1-suffix] == b[len(b)-1-suffix] {
		suffix++
	}
	return prefix, suffix
}

// mapLines compares texts by patience diff (Bram Cohen): lines that occur once on each side are matched by the
// longest increasing subsequence, and the blocks between them recursively. In the remaining, rewritten blocks similar
// lines are matched.
func mapLines(old, new string) *lineMap {
	m := &lineMap{oldLines: strings.Split(old, "\n"), newLines: strings.Split(new, "\n")}
	m.to = make([]int, len(m.oldLines))
	for i := range m.to {
		m.to[i] = -1
	}
	m.match(0, len(m.oldLines), 0, len(m.newLines))
	m.matchSimilar()
	return m
}

// match matches equal lines of two blocks.
func (m *lineMap) match(a, aEnd, b, bEnd int) {
	for a < aEnd && b < bEnd && m.oldLines[a] == m.newLines[b] {
		m.to[a] = b
		a, b = a+1, b+1
	}
	for a < aEnd && b < bEnd && m.oldLines[aEnd-1] == m.newLines[bEnd-1] {
		aEnd, bEnd = aEnd-1, bEnd-1
		m.to[aEnd] = bEnd
	}
	if a == aEnd || b == bEnd {
		return
	}
	anchors := m.anchors(a, aEnd, b, bEnd)
	if len(anchors) == 0 {
		m.matchShort(a, aEnd, b, bEnd)
		return
	}
	for _, at := range anchors {
		m.match(a, at[0], b, at[1])
		m.to[at[0]] = at[1]
		a, b = at[0]+1, at[1]+1
	}
	m.match(a, aEnd, b, bEnd)
}

// anchors returns pairs of equal lines that are unique in both blocks, increasing on both sides.
func (m *lineMap) anchors(a, aEnd, b, bEnd int) [][2]int {
	type places struct{ a, b, countA, countB int }
	lines := map[string]*places{}
	for i := a; i < aEnd; i++ {
		p := lines[m.oldLines[i]]
		if p == nil {
			p = &places{}
			lines[m.oldLines[i]] = p
		}
		p.a, p.countA = i, p.countA+1
	}
	for i := b; i < bEnd; i++ {
		if p := lines[m.newLines[i]]; p != nil {
			p.b, p.countB = i, p.countB+1
		}
	}
	var pairs [][2]int
	for i := a; i < aEnd; i++ {
		if p := lines[m.oldLines[i]]; p.countA == 1 && p.countB == 1 {
			pairs = append(pairs, [2]int{i, p.b})
		}
	}
	// Longest increasing subsequence by patience sorting.
	var piles []int // the top of each pile, as index into pairs
	before := make([]int, len(pairs))
	for i, p := range pairs {
		low, high := 0, len(piles)
		for low < high {
			if mid := (low + high) / 2; pairs[piles[mid]][1] < p[1] {
				low = mid + 1
			} else {
				high = mid
			}
		}
		before[i] = -1
		if low > 0 {
			before[i] = piles[low-1]
		}
		if low == len(piles) {
			piles = append(piles, i)
		} else {
			piles[low] = i
		}
	}
	if len(piles) == 0 {
		return nil
	}
	out := make([][2]int, len(piles))
	for i, at := piles[len(piles)-1], len(piles)-1; at >= 0; i, at = before[i], at-1 {
		out[at] = pairs[i]
	}
	return out
}

// maxTable limits the tables of the quadratic steps.
const maxTable = 64 << 10

// matchShort matches the longest common subsequence of two blocks without unique lines.
func (m *lineMap) matchShort(a, aEnd, b, bEnd int) {
	m.align(a, aEnd, b, bEnd, func(x, y string) int {
		if x == y {
			return 1
		}
		return 0
	})
}

// matchSimilar matches lines with changes, between the lines that are matched.
func (m *lineMap) matchSimilar() {
	for a, b := 0, 0; a < len(m.to); {
		if m.to[a] >= 0 {
			b = m.to[a] + 1
			a++
			continue
		}
		aEnd, bEnd := a, len(m.newLines)
		for aEnd < len(m.to) && m.to[aEnd] < 0 {
			aEnd++
		}
		if aEnd < len(m.to) {
			bEnd = m.to[aEnd]
		}
		m.align(a, aEnd, b, bEnd, similarity)
		for i := a; i < aEnd; i++ {
			if m.to[i] >= 0 {
				b = m.to[i] + 1
			}
		}
		a = aEnd
	}
}

// similarity returns the share in percent of common text at the ends of two lines, ignoring surrounding spaces. It
// returns 0 for less than 50.
func similarity(x, y string) int {
	x, y = strings.TrimSpace(x), strings.TrimSpace(y)
	if x == "" || y == "" {
		return 0
	}
	prefix, suffix := commonEnds(x, y)
	if s := 200 * (prefix + suffix) / (len(x) + len(y)); s >= 50 {
		return s
	}
	return 0
}

// align matches lines of two blocks in order, such that the sum of scores is largest.
func (m *lineMap) align(a, aEnd, b, bEnd int, score func(x, y string) int) {
	n, k := aEnd-a, bEnd-b
	if n <= 0 || k <= 0 || n*k > maxTable {
		return
	}
	best := make([]int, (n+1)*(k+1)) // of the blocks from (i, j) on
	at := func(i, j int) int { return i*(k+1) + j }
	scores := make([]int, n*k)
	for i := n - 1; i >= 0; i-- {
		for j := k - 1; j >= 0; j-- {
			best[at(i, j)] = max(best[at(i+1, j)], best[at(i, j+1)])
			if s := score(m.oldLines[a+i], m.newLines[b+j]); s > 0 {
				scores[i*k+j] = s
				best[at(i, j)] = max(best[at(i, j)], s+best[at(i+1, j+1)])
			}
		}
	}
	for i, j := 0, 0; i < n && j < k; {
		switch s := scores[i*k+j]; {
		case s > 0 && best[at(i, j)] == s+best[at(i+1, j+1)]:
			m.to[a+i] = b + j
			i, j = i+1, j+1
		case best[at(i, j)] == best[at(i+1, j)]:
			i++
		default:
			j++
		}
	}
}

// moves caches comparisons for the snapshots of a Workspace.
type moves struct {
	mu   sync.Mutex
	maps map[[2]ondisk.Hash]*lineMap
}

// maxMoves is the number of cached comparisons; each edit of a file adds one.
const maxMoves = 64

func (m *moves) between(oldHash, newHash ondisk.Hash, old, new string) *lineMap {
	key := [2]ondisk.Hash{oldHash, newHash}
	m.mu.Lock()
	defer m.mu.Unlock()
	if known := m.maps[key]; known != nil {
		return known
	}
	if m.maps == nil || len(m.maps) >= maxMoves {
		m.maps = map[[2]ondisk.Hash]*lineMap{}
	}
	lines := mapLines(old, new)
	m.maps[key] = lines
	return lines
}

// Move moves a position of p's Result to the text of the snapshot. The file is named as in the result; lines and byte
// columns count from 1. It returns false if the text there was deleted.
func (s *Snapshot) Move(p *ProofState, file string, line, column int) (int, int, bool) {
	return s.move(p, p.about, file, line, column)
}

// MoveEarlier is like Move for positions of p's Earlier result.
func (s *Snapshot) MoveEarlier(p *ProofState, file string, line, column int) (int, int, bool) {
	return s.move(p, p.early, file, line, column)
}

func (s *Snapshot) move(p *ProofState, b *basis, file string, line, column int) (int, int, bool) {
	path := p.Root.Find(file)
	if b == nil {
		return line, column, true
	}
	then, rests := b.files[path]
	old, stored := b.texts[path]
	now := s.view.hash(path)
	if !rests || !stored || now == then { // texts of system headers are not stored
		return line, column, true
	}
	text, known := s.Text(path)
	if !known {
		return 0, 0, false
	}
	return s.moves.between(then, now, *old, string(text)).move(line, column)
}
