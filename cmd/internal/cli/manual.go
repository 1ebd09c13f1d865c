package cli

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/unitproof/unitproof/pipeline/project"
)

// Page is a page of the manual, for man(1).
type Page struct {
	Name string // file name: unitproof-check.1
	Text string // in the macros of man(7)
}

// Manual returns a page for the program, one for each of its commands, and that of unitproof.toml. They are generated
// from the declarations of commands, flags and keys. (Package cobra/doc converts via Markdown, which renders
// underscores of C names as emphasis, and it would link three libraries for a rare use.)
func Manual(root *cobra.Command) []Page {
	pages := []Page{commandPage(root)}
	for _, c := range visible(root) {
		pages = append(pages, commandPage(c))
	}
	return append(pages, configPage())
}

// commandPage returns the page of a command with its flags and subcommands. The program's own subcommands have their
// own pages.
func commandPage(cmd *cobra.Command) Page {
	var p roff
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
	p.title(name, "1")
	p.heading("NAME")
	p.line(escape(name) + ` \- ` + escape(cmd.Short))
	p.heading("SYNOPSIS")
	if !cmd.HasParent() {
		p.line(bold(cmd.Name()) + ` \fICOMMAND\fR [\fIARGUMENTS\fR]`)
	} else if below := visible(cmd); len(below) > 0 {
		for i, c := range below {
			if i > 0 {
				p.line(".br")
			}
			p.synopsis(c)
		}
	} else {
		p.synopsis(cmd)
	}
	p.heading("DESCRIPTION")
	p.prose(described(cmd))
	p.commands(cmd)
	p.flags(cmd)
	if !cmd.HasParent() {
		p.heading("FILES")
		p.item(bold(project.ConfigName), "The settings of a project; see "+bold(project.ConfigName)+"(5).")
		p.item(bold("compile_commands.json"), "How a project's files are compiled, as build systems write it.")
	}
	p.heading("SEE ALSO")
	var others []string
	if cmd.HasParent() {
		others = append(others, bold(cmd.Root().Name())+"(1)")
	} else {
		for _, c := range visible(cmd) {
			others = append(others, bold(name+"-"+c.Name())+"(1)")
		}
	}
	p.line(strings.Join(append(others, bold(project.ConfigName)+"(5)"), ",\n"))
	return Page{name + ".1", p.String()}
}

// configPage returns the page of unitproof.toml.
func configPage() Page {
	var p roff
	p.title(project.ConfigName, "5")
	p.heading("NAME")
	p.line(escape(project.ConfigName) + ` \- the settings of a project with unit proofs`)
	p.heading("DESCRIPTION")
	p.prose("The file stands in the root folder of a project. Every key is optional. Flags of the command line " +
		"override the keys of [[proof]], and these override the keys of [check].")
	for _, t := range project.Tables() {
		p.heading(t.Name)
		for _, k := range t.Keys {
			head := bold(k.Name)
			if k.Value != "" {
				head += ", " + fromMarkdown(k.Value)
			}
			text := fromMarkdown(k.Doc)
			if k.Default != "" {
				text += " (default: " + fromMarkdown(k.Default) + ")"
			}
			for _, f := range k.Flags {
				text += "\n.br\nFlag: " + bold("--"+f.Name) + " " + italic(f.Type)
			}
			p.item(head, text)
		}
	}
	p.heading("SEE ALSO")
	p.line(bold("unitproof-check") + "(1)")
	return Page{project.ConfigName + ".5", p.String()}
}

// described returns the description of a command.
func described(cmd *cobra.Command) string {
	if cmd.Long != "" {
		return cmd.Long
	}
	return cmd.Short + "."
}

// roff is a page under construction.
type roff struct{ strings.Builder }

func (p *roff) line(s string) { p.WriteString(s + "\n") }

func (p *roff) title(name, section string) {
	p.line(fmt.Sprintf(`.TH "%s" "%s" "" "unitproof %s" "unitproof"`, strings.ToUpper(name), section, Version))
}

func (p *roff) heading(s string) { p.line(`.SH "` + escape(s) + `"`) }

// item is a paragraph with a head to its left. Both are in roff.
func (p *roff) item(head, text string) { p.line(".TP\n" + head + "\n" + text) }

func (p *roff) synopsis(cmd *cobra.Command) {
	_, arguments, _ := strings.Cut(cmd.UseLine(), cmd.CommandPath())
	p.line(bold(cmd.CommandPath()) + escape(arguments))
}

// prose writes plain text: paragraphs between empty lines, and indented lines, which are kept.
func (p *roff) prose(text string) {
	for i, paragraph := range strings.Split(strings.TrimSpace(text), "\n\n") {
		if i > 0 {
			p.line(".PP")
		}
		verbatim := false
		for _, l := range strings.Split(paragraph, "\n") {
			if indented := strings.HasPrefix(l, "  "); indented != verbatim {
				verbatim = indented
				p.line(map[bool]string{true: ".nf", false: ".fi"}[verbatim])
			}
			p.line(escape(l))
		}
		if verbatim {
			p.line(".fi")
		}
	}
}

func (p *roff) commands(cmd *cobra.Command) {
	if len(visible(cmd)) == 0 {
		return
	}
	p.heading("COMMANDS")
	for _, c := range visible(cmd) {
		if !cmd.HasParent() {
			p.item(bold(c.Name()), escape(c.Short))
			continue
		}
		p.item(bold(c.Name()), escape(described(c)))
		c.LocalFlags().VisitAll(p.flag)
	}
}

func (p *roff) flags(cmd *cobra.Command) {
	if cmd.LocalFlags().HasAvailableFlags() {
		p.heading("OPTIONS")
		cmd.LocalFlags().VisitAll(p.flag)
	}
}

func (p *roff) flag(f *pflag.Flag) {
	if f.Hidden || f.Name == "help" {
		return
	}
	head := bold("--" + f.Name)
	if f.Shorthand != "" {
		head = bold("-"+f.Shorthand) + ", " + head
	}
	value, usage := pflag.UnquoteUsage(f)
	if value != "" {
		head += " " + italic(value)
	}
	p.item(head, escape(usage))
}

func bold(s string) string   { return `\fB` + escape(s) + `\fR` }
func italic(s string) string { return `\fI` + escape(s) + `\fR` }

var roffEscapes = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n.", "\n\\&.", "\n'", "\n\\&'", "`", `\(ga`, "…", "...")

// escape converts plain text to roff.
func escape(s string) string {
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + roffEscapes.Replace(s)
		return s
	}
	return roffEscapes.Replace(s)
}

// fromMarkdown converts the Markdown of declarations, code and links, to roff.
func fromMarkdown(s string) string {
	var out strings.Builder
	link := regexp.MustCompile(`\[([^]]*)\]\([^)]*\)`)
	for i, part := range strings.Split(link.ReplaceAllString(s, "$1"), "`") {
		if i%2 == 1 {
			out.WriteString(bold(part))
		} else {
			out.WriteString(roffEscapes.Replace(part))
		}
	}
	return out.String()
}
