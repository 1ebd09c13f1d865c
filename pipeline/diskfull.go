package pipeline

import (
	"errors"
	"slices"
	"strings"
	"syscall"

	"github.com/unitproof/unitproof/pipeline/clang"
)

// diskFull tells whether a build failed because nothing more can be written, which is no fault of the program that was
// compiled. The compilers say it in their messages, without a place in a source.
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
