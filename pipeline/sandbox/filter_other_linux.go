//go:build !amd64 && !arm64

package sandbox

// architecture 0: there is no filter for this architecture.
const architecture = 0

var ofFilesHere []uint32

// others are the calls of further architectures whose programs the machine executes.
var others []calls
