package diagnostics

import (
	"github.com/unitproof/unitproof/vcgen/found"
)

// style adds ANSI colours to text, or returns it unchanged.
type style struct{ color bool }

// SGR parameters. The colours are from the terminal's palette, so that they fit its background.
const (
	sgrBold   = "1"
	sgrDim    = "2"
	sgrRed    = "1;31"
	sgrGreen  = "1;32"
	sgrYellow = "1;33"
	sgrBlue   = "1;34"
	sgrCyan   = "1;36"
)

func (s style) paint(sgr, text string) string {
	if !s.color || text == "" {
		return text
	}
	return "\x1b[" + sgr + "m" + text + "\x1b[0m"
}

func (s style) bold(text string) string { return s.paint(sgrBold, text) }
func (s style) dim(text string) string  { return s.paint(sgrDim, text) }

// verdict adds the colour of a verdict to text.
func (s style) verdict(v found.Verdict, text string) string { return s.paint(sgrOf(v), text) }

func sgrOf(v found.Verdict) string {
	switch v {
	case found.Failed, found.Error:
		return sgrRed
	case found.Vacuous:
		return sgrYellow
	case found.Proved:
		return sgrGreen
	case found.Unreached:
		return sgrDim
	default:
		return sgrCyan
	}
}
