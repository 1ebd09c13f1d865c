package pipeline

import (
	"errors"
	"slices"
	"strings"
	"syscall"

	"github.com/unitproof/unitproof/pipeline/clang"
)

// diskFull reports whether a build failed because the disk is full, which is no fault of the compiled program.
// Compilers report it in messages without a position in a source.
func diskFull(err error) bool {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return true
	}
	var wrong *clang.CompileError
	return errors.As(err, &wrong) && slices.ContainsFunc(wrong.Diagnostics, func(d clang.Diagnostic) bool {
		said := strings.TrimRight(d.Message, "'\" \n")
		return d.Line == 0 && (strings.HasSuffix(said, "No space left on device") ||
			strings.HasSuffix(said, "Disk quota exceeded"))
	})
}
