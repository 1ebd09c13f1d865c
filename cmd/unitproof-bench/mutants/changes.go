package mutants

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// finder finds the possible mutants of a file.
type finder struct {
	p    *Package
	file *ast.File
	fn   string
}

func (p *Package) find(f *ast.File) {
	x := &finder{p: p, file: f}
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil || fn.Name.Name == "String" || fn.Name.Name == "init" {
			continue
		}
		x.fn = fn.Name.Name
		ast.Inspect(fn.Body, x.visit)
	}
}

// visit adds the mutants of a node and reports whether to visit its children.
func (x *finder) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.ArrayType, *ast.GenDecl:
		return false
	case *ast.CompositeLit: // keys may have to be constant
		for _, e := range n.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				e = kv.Value
			}
			ast.Inspect(e, x.visit)
		}
		return false
	case *ast.UnaryExpr:
		if x.p.info.Types[n].Value != nil {
			x.literal(n)
			return false
		}
	case *ast.BinaryExpr:
		if x.p.info.Types[n].Value != nil {
			x.literal(n)
			return false
		}
		x.binary(n)
	case *ast.BasicLit:
		x.literal(n)
	case *ast.IfStmt:
		x.condition(n.Cond)
	case *ast.CallExpr:
		x.term(n)
	case *ast.BlockStmt:
		x.statements(n.List)
	case *ast.CaseClause:
		x.statements(n.Body)
	}
	return true
}

// add adds a mutant of a node.
func (x *finder) add(n ast.Node, kind, was, is string, wrap func(id int, r *renderer, base string) string) {
	at := x.p.fset.Position(n.Pos())
	m := Mutant{ID: len(x.p.Mutants) + 1, File: at.Filename, Line: at.Line, Column: at.Column, Func: x.fn, Kind: kind,
		Was: short(was), Is: short(is)}
	x.p.Mutants = append(x.p.Mutants, m)
	x.p.changes[n] = append(x.p.changes[n], change{m.ID, func(r *renderer, base string) string {
		return wrap(m.ID, r, base)
	}})
}

func short(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 90 {
		s = s[:90] + "…"
	}
	return s
}

// source returns the source text of a node.
func (x *finder) source(n ast.Node) string {
	return string(x.p.text[x.file][x.p.fset.Position(n.Pos()).Offset:x.p.fset.Position(n.End()).Offset])
}

// basic returns the type of an expression if it is a basic type of Go.
func (x *finder) basic(e ast.Expr) *types.Basic {
	t := x.p.info.TypeOf(e)
	if t == nil {
		return nil
	}
	b, _ := t.(*types.Basic)
	return b
}

var comparisons = map[token.Token]token.Token{token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ,
	token.GEQ: token.GTR, token.EQL: token.NEQ, token.NEQ: token.EQL}

func (x *finder) binary(n *ast.BinaryExpr) {
	if b := x.basic(n); b == nil || b.Info()&types.IsBoolean == 0 {
		x.arithmetic(n)
		return
	}
	either := func(id int, base, other string) string {
		return fmt.Sprintf("(mutated(%d) && (%s) || !mutated(%d) && (%s))", id, other, id, base)
	}
	if to, ok := comparisons[n.Op]; ok {
		x.add(n, "comparison", x.source(n), to.String(), func(id int, r *renderer, base string) string {
			return either(id, base, r.node(n.X)+" "+to.String()+" "+r.node(n.Y))
		})
		return
	}
	to, neutral := token.LOR, "(mutated(%d) || (%s))"
	if n.Op == token.LOR {
		to, neutral = token.LAND, "(!mutated(%d) && (%s))"
	}
	x.add(n, "logic", x.source(n), to.String(), func(id int, r *renderer, base string) string {
		return either(id, base, "("+r.node(n.X)+") "+to.String()+" ("+r.node(n.Y)+")")
	})
	for _, operand := range []ast.Expr{n.X, n.Y} {
		if in, ok := operand.(*ast.BinaryExpr); ok && in.Op == n.Op {
			continue
		}
		x.add(operand, "operand", x.source(n), "without "+x.source(operand), func(id int, _ *renderer, base string) string {
			return fmt.Sprintf(neutral, id, base)
		})
	}
}

// arithmetic exchanges sums and differences. The operands are computed twice, so they must contain no calls.
func (x *finder) arithmetic(n *ast.BinaryExpr) {
	b := x.basic(n)
	if b == nil || b.Info()&types.IsInteger == 0 || n.Op != token.ADD && n.Op != token.SUB {
		return
	}
	calls := false
	ast.Inspect(n, func(n ast.Node) bool {
		_, call := n.(*ast.CallExpr)
		calls = calls || call
		return true
	})
	if calls {
		return
	}
	to := token.SUB
	if n.Op == token.SUB {
		to = token.ADD
	}
	x.add(n, "arithmetic", x.source(n), to.String(), func(id int, r *renderer, base string) string {
		return fmt.Sprintf("mutantValue(%d, %s, %s %s (%s))", id, base, r.node(n.X), to, r.node(n.Y))
	})
}

// literal adds one to a literal or to another constant expression as a whole: only that has the type of its context.
func (x *finder) literal(n ast.Expr) {
	t := x.p.info.Types[n]
	if lit, ok := n.(*ast.BasicLit); ok && lit.Kind != token.INT {
		return
	}
	if t.Value == nil || t.Type == nil || t.Value.Kind() != constant.Int {
		return
	}
	under, ok := types.Default(t.Type).Underlying().(*types.Basic)
	if !ok || under.Info()&types.IsInteger == 0 {
		return
	}
	known := true
	name := types.TypeString(types.Default(t.Type), func(p *types.Package) string {
		if p.Name() == x.p.name {
			return ""
		}
		known = known && slices.ContainsFunc(x.file.Imports, func(i *ast.ImportSpec) bool {
			return i.Name == nil && strings.Trim(i.Path.Value, `"`) == p.Path()
		})
		return p.Name()
	})
	if !known {
		return
	}
	next := constant.BinaryOp(t.Value, token.ADD, constant.MakeInt64(1))
	size := 8 * int(types.SizesFor("gc", "amd64").Sizeof(under))
	if under.Info()&types.IsUnsigned == 0 {
		size--
	}
	if constant.BitLen(next) > size {
		return // the type has no such value
	}
	is := next.ExactString()
	x.add(n, "constant", x.source(n), is, func(id int, _ *renderer, base string) string {
		return fmt.Sprintf("mutantValue[%s](%d, %s, %s)", name, id, base, is)
	})
}

// condition adds two mutants of a branch: its condition is negated, and it is never taken.
func (x *finder) condition(e ast.Expr) {
	if b := x.basic(e); b == nil {
		return
	}
	x.add(e, "condition", x.source(e), "negated", func(id int, _ *renderer, base string) string {
		return fmt.Sprintf("((%s) != mutated(%d))", base, id)
	})
	x.add(e, "condition", x.source(e), "never", func(id int, _ *renderer, base string) string {
		return fmt.Sprintf("((%s) && !mutated(%d))", base, id)
	})
}

var terms = map[string]string{"And": "Or", "Or": "And", "Ult": "Ule", "Ule": "Ult", "Ugt": "Uge", "Uge": "Ugt",
	"Slt": "Sle", "Sle": "Slt", "Add": "Sub", "Sub": "Add"}

// term exchanges the constructor of a term, and leaves out one of its arguments or a negation.
func (x *finder) term(call *ast.CallExpr) {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return
	}
	t := x.p.info.TypeOf(sel.X)
	if t == nil || !strings.HasSuffix(t.String(), "vcgen/smt.Context") {
		return
	}
	name := sel.Sel.Name
	if to := terms[name]; to != "" {
		x.add(sel, "term", x.source(call), to, func(id int, r *renderer, base string) string {
			return fmt.Sprintf("mutantValue(%d, %s, %s.%s)", id, base, r.node(sel.X), to)
		})
	}
	switch {
	case name == "Not":
		x.add(sel, "term", x.source(call), "without the negation", func(id int, _ *renderer, base string) string {
			return fmt.Sprintf("mutantSame(%d, %s)", id, base)
		})
	case (name == "And" || name == "Or") && !call.Ellipsis.IsValid() && len(call.Args) > 1:
		for i, a := range call.Args {
			x.add(sel, "term", x.source(call), "without "+x.source(a), func(id int, _ *renderer, base string) string {
				return fmt.Sprintf("mutantWithout(%d, %d, %s)", id, i, base)
			})
		}
	}
}

// statements drops statements of a list, one by one.
func (x *finder) statements(list []ast.Stmt) {
	for _, s := range list {
		switch n := s.(type) {
		case *ast.ExprStmt:
			if call, ok := n.X.(*ast.CallExpr); ok {
				if id, ok := call.Fun.(*ast.Ident); ok && id.Name == "panic" {
					continue
				}
			}
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				continue
			}
		case *ast.IncDecStmt:
		case *ast.ReturnStmt:
			if len(n.Results) > 0 {
				continue
			}
		case *ast.BranchStmt:
			if n.Tok == token.FALLTHROUGH || n.Tok == token.GOTO {
				continue
			}
		default:
			continue
		}
		x.add(s, "dropped", x.source(s), "nothing", func(id int, _ *renderer, base string) string {
			return fmt.Sprintf("if !mutated(%d) { %s }", id, base)
		})
	}
}
