package cli

// Version is that of all programs of this module.
const Version = "0.1.0-dev"

// commit is set by the Makefile.
var commit string

// ToolName is the name with the version and, where the build said so, the commit.
func ToolName() string {
	if commit == "" {
		return "unitproof " + Version
	}
	return "unitproof " + Version + " (" + commit + ")"
}
