package kit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/unitproof/unitproof/pipeline/regular"
)

// definitions are the variables of a JSON file in order: a variable may refer to earlier ones.
type definitions struct {
	names  []string
	values map[string][]string
	single map[string]bool // the value is not a list
	// configs are the named lists of DEF in a Configurations.json, one for each proof.
	configs []configuration
}

type configuration struct {
	name     string
	defs     []string
	expected string
}

// readJSON reads a file whose lines that begin with # are comments.
func readJSON(path string) (*definitions, error) {
	text, err := regular.ReadFile(path, maxFile)
	if err != nil {
		return nil, err
	}
	var plain bytes.Buffer
	for line := range bytes.Lines(text) {
		if bytes.HasPrefix(bytes.TrimSpace(line), []byte("#")) {
			line = []byte("\n") // so that positions in errors are right
		}
		plain.Write(line)
	}
	d := &definitions{values: map[string][]string{}, single: map[string]bool{}}
	dec := json.NewDecoder(&plain)
	dec.UseNumber()
	if err := d.read(dec); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return d, nil
}

func (d *definitions) read(dec *json.Decoder) error {
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return errors.Join(errors.New("an object with variables is expected"), err)
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return err
		}
		name := strings.Join(strings.Fields(fmt.Sprint(key)), " ")
		var value any
		if err := dec.Decode(&value); err != nil {
			return err
		}
		list, isList := value.([]any)
		if !isList {
			list = []any{value}
		}
		var words []string
		for _, v := range list {
			switch v := v.(type) {
			case string, json.Number, bool:
				words = append(words, strings.Join(strings.Fields(fmt.Sprint(v)), " "))
			case map[string]any:
				d.configs = append(d.configs, configurationOf(v))
			default:
				return fmt.Errorf("%s: a text or a number is expected, not %T", name, v)
			}
		}
		if !slices.Contains(d.names, name) {
			d.names = append(d.names, name)
		}
		d.values[name], d.single[name] = words, !isList
	}
	return nil
}

func configurationOf(m map[string]any) (c configuration) {
	for key, value := range m {
		if key == "EXPECTED" {
			c.expected = fmt.Sprint(value)
			continue
		}
		c.name = key
		list, _ := value.([]any)
		for _, v := range list {
			c.defs = append(c.defs, fmt.Sprint(v))
		}
	}
	return c
}

// configurations returns the proofs of a Configurations.json.
func configurations(dir, kit string) (list []description, err error) {
	path := filepath.Join(dir, configsJSON)
	d, err := readJSON(path)
	if err != nil {
		return nil, err
	}
	for _, c := range d.configs {
		list = append(list, description{dir: dir, kit: kit, json: path, config: c.name})
	}
	return list, nil
}

// jsonMakefile returns the Makefile of a proof as FreeRTOS's scripts would generate it, without rules: the variables of
// the kit, of the platform and of the proof, and the ones that its template derives from them.
func jsonMakefile(p description) (string, error) {
	common, err := readJSON(filepath.Join(p.kit, commonJSON))
	if err != nil {
		return "", err
	}
	platform, err := readJSON(filepath.Join(p.kit, "MakefileLinux.json"))
	if err != nil {
		return "", err
	}
	own, err := readJSON(p.json)
	if err != nil {
		return "", err
	}
	if p.config != "" {
		i := slices.IndexFunc(own.configs, func(c configuration) bool { return c.name == p.config })
		c := own.configs[i]
		own.values["DEF"] = c.defs
		if c.expected != "" {
			own.set("EXPECTED", c.expected)
		}
	}
	var out strings.Builder
	for prefix, d := range map[string]*definitions{"C_": common, "O_": platform} {
		for _, name := range d.names {
			words := slices.Clone(d.values[name])
			switch {
			case name == "INC" || name == "DEF":
				prefixEach(words, name)
			case len(words) == 1 && strings.HasPrefix(words[0], "."):
				fmt.Fprintf(&out, "%s = %s\n", name, filepath.Join(p.kit, words[0])) // FREERTOS_PLUS_TCP, PROOFS
				continue
			}
			fmt.Fprintf(&out, "%s%s = %s\n", prefix, name, strings.Join(words, " "))
		}
	}
	known := map[string]string{}
	for _, name := range own.names {
		var words []string
		for _, w := range own.values[name] {
			w, err := substitute(w, known)
			if err != nil {
				return "", fmt.Errorf("%s: %s: %w", p.json, name, err)
			}
			if !own.single[name] {
				known[name] = strings.TrimSpace(known[name] + " " + w)
			} else {
				known[name] = w
			}
			words = append(words, w)
		}
		if name == "INC" || name == "DEF" {
			prefixEach(words, name)
		}
		fmt.Fprintf(&out, "H_%s = %s\n", name, strings.Join(words, " "))
	}
	out.WriteString(`ENTRY = $(H_ENTRY)
INC = $(C_INC) $(O_INC) $(H_INC)
CFLAGS = $(C_DEF) $(O_DEF) $(H_DEF) $(C_OPT) $(O_OPT) $(H_OPT) -m32
CBMCFLAGS = $(C_CBMCFLAGS) $(O_CBMCFLAGS) $(H_CBMCFLAGS)
INSTFLAGS = $(C_INSTFLAGS) $(O_INSTFLAGS) $(H_INSTFLAGS)
`)
	return out.String(), nil
}

func (d *definitions) set(name, value string) {
	if !slices.Contains(d.names, name) {
		d.names = append(d.names, name)
	}
	d.values[name], d.single[name] = []string{value}, true
}

func prefixEach(words []string, name string) {
	for i := range words {
		words[i] = map[string]string{"INC": "-I", "DEF": "-D"}[name] + words[i]
	}
}

// substitute replaces names in braces by the values of earlier variables, and evaluates text that begins with __eval.
// Double braces are braces.
func substitute(text string, known map[string]string) (string, error) {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case (c == '{' || c == '}') && i+1 < len(text) && text[i+1] == c:
			out.WriteByte(c)
			i++
		case c == '{':
			end := strings.IndexByte(text[i:], '}')
			if end < 0 {
				return "", errors.New("a brace is not closed")
			}
			name := text[i+1 : i+end]
			value, ok := known[name]
			if !ok {
				return "", fmt.Errorf("the variable %s was not set before", name)
			}
			out.WriteString(value)
			i += end
		default:
			out.WriteByte(c)
		}
	}
	expr, isExpr := strings.CutPrefix(out.String(), "__eval")
	if !isExpr {
		return out.String(), nil
	}
	n, err := evaluate(expr)
	return strconv.FormatInt(n, 10), err
}
