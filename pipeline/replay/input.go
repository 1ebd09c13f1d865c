package replay

import (
	"context"
	"errors"
	"fmt"

	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Input returns a counterexample's input of a fuzz target, in libFuzzer's format.
func (j Job) Input(ctx context.Context) ([]byte, error) {
	if j.Entry != language.FuzzTarget {
		return nil, errors.New(language.Shown(j.Entry) + " is not a fuzz target: only " + language.FuzzTarget +
			" has an input that can be saved")
	}
	choices, err := vcgen.Choices(ctx, j.Program, j.Entry, j.Options, j.Run)
	if err != nil {
		return nil, err
	}
	return inputOf(j.Program, j.Program.FuncByName[j.Entry], choices), nil
}

// inputOf returns the input that the model of a fuzz target constructs in an execution with the given choices.
func inputOf(m *clangir.Module, entry *llvmir.Func, choices []*choice.Choice) []byte {
	before := m.Before(entry)
	if before == nil {
		return nil
	}
	if before.Name == language.TakeInput {
		if g := m.GlobalByName[language.GivenInput]; g != nil && g.Init != nil {
			return g.Init.Data
		}
		return nil
	}
	sizes, contents := map[int]bool{}, map[int]bool{} // IDs of calls that make choices
	for _, b := range before.Blocks {
		for _, in := range b.Instrs {
			if f := in.Function(); f != nil {
				sizes[in.ID] = f.Name == language.InputSizeChoice
				contents[in.ID] = language.Function(f.Name, f.Arity()).Role == language.Havoc
			}
		}
	}
	var data []byte
	for _, c := range choices {
		switch {
		case sizes[c.Site]:
			data = make([]byte, c.Number().Int64())
		case contents[c.Site] && c.Content:
			for off, b := range c.Bytes {
				if off < uint64(len(data)) {
					data[off] = b
				}
			}
		}
	}
	return data
}

// fuzzInput writes the main of a reproducer, which calls a fuzz target with an input.
func (w *reproducer) fuzzInput(data []byte) {
	bytes := map[uint64]byte{}
	for i, b := range data {
		bytes[uint64(i)] = b
	}
	text, size := cBytes(bytes)
	initialize := ""
	if f := w.job.Program.FuncByName[language.FuzzInitialize]; f != nil && len(f.Blocks) > 0 {
		initialize = "  static char *arguments[] = {\"fuzz\", 0};\n  static char **argv = arguments;\n" +
			"  static int argc = 1;\n  " + language.FuzzInitialize + "((void *)&argc, (void *)&argv);\n"
	}
	w.fuzzMain = fmt.Sprintf("\nint main(void) {\n%s  unsigned char *data = __builtin_malloc(%d);\n"+
		"  __builtin_memcpy(data, %s, %d);\n  %s((void *)data, %d);\n  return 0;\n}\n", initialize, len(data), text, size,
		language.FuzzTarget, len(data))
}
