package mem

// fanout is the number of entries of a node, 1 << fanBits.
const (
	fanBits = 5
	fanout  = 1 << fanBits
)

// table is a persistent array from object ID to shadow state: a radix tree whose height depends on the number of IDs.
//
// Copies share nodes. A node that only one table can reach is changed in place (transients as in Bagwell, Ideal Hash
// Trees, 2001, and Clojure).
type table struct {
	root   *node
	height int    // 0: root is a leaf
	owner  *owner // of the nodes that only this table reaches; nil if there are none
}

// owner is an identity. It is not empty, because pointers to empty structs may be equal.
type owner struct{ _ byte }

// node is an inner node (kids) or a leaf (objects).
type node struct {
	owner   *owner
	kids    *[fanout]*node
	objects *[fanout]*shadow
}

// fork returns a copy. Afterwards both share all nodes.
func (t *table) fork() table {
	t.owner = nil
	return *t
}

func (t *table) get(id int) *shadow {
	n := t.root
	if n == nil || id>>((t.height+1)*fanBits) != 0 {
		return nil
	}
	for h := t.height; h > 0; h-- {
		if n = n.kids[id>>(h*fanBits)&(fanout-1)]; n == nil {
			return nil
		}
	}
	return n.objects[id&(fanout-1)]
}

func (t *table) set(id int, o *shadow) {
	if t.owner == nil {
		t.owner = &owner{}
	}
	if t.root == nil {
		t.root = t.leaf(nil)
	}
	for id>>((t.height+1)*fanBits) != 0 {
		root := t.inner(nil)
		root.kids[0] = t.root
		t.root, t.height = root, t.height+1
	}
	at := &t.root
	for h := t.height; h > 0; h-- {
		n := t.inner(*at)
		*at = n
		at = &n.kids[id>>(h*fanBits)&(fanout-1)]
	}
	n := t.leaf(*at)
	*at = n
	n.objects[id&(fanout-1)] = o
}

// inner returns a mutable inner node with the content of n, which may be nil.
func (t *table) inner(n *node) *node {
	if n != nil && n.owner == t.owner {
		return n
	}
	made := &node{owner: t.owner, kids: &[fanout]*node{}}
	if n != nil {
		*made.kids = *n.kids
	}
	return made
}

// leaf is inner for leaves.
func (t *table) leaf(n *node) *node {
	if n != nil && n.owner == t.owner {
		return n
	}
	made := &node{owner: t.owner, objects: &[fanout]*shadow{}}
	if n != nil {
		*made.objects = *n.objects
	}
	return made
}

// differences calls f, in ascending order, for each ID whose state differs.
//
// The state is nil if the object was never allocated. f must not change either table; it may change a copy.
func differences(a, b *table, f func(id int, x, y *shadow)) {
	ra, rb := a.root, b.root
	height := max(a.height, b.height)
	for h := a.height; h < height && ra != nil; h++ {
		ra = &node{kids: &[fanout]*node{ra}}
	}
	for h := b.height; h < height && rb != nil; h++ {
		rb = &node{kids: &[fanout]*node{rb}}
	}
	differ(ra, rb, height, 0, f)
}

func differ(a, b *node, height, first int, f func(id int, x, y *shadow)) {
	if a == b {
		return
	}
	for i := range fanout {
		if height > 0 {
			var x, y *node
			if a != nil {
				x = a.kids[i]
			}
			if b != nil {
				y = b.kids[i]
			}
			differ(x, y, height-1, first+i<<(height*fanBits), f)
			continue
		}
		var x, y *shadow
		if a != nil {
			x = a.objects[i]
		}
		if b != nil {
			y = b.objects[i]
		}
		if x != y {
			f(first+i, x, y)
		}
	}
}
