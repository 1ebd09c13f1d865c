package cli

// Version is the version of all programs of this module; "make release" sets it (-X).
var Version = "0.1.0-dev"

// commit is set by the Makefile.
var commit string

// ToolName returns the name with the version and, if the build has set it, the commit.
func ToolName() string {
	if commit == "" {
		return "unitproof " + Version
	}
	return "unitproof " + Version + " (" + commit + ")"
}
