package pipeline

import "github.com/unitproof/unitproof/pipeline/lazyregexp"

var (
	noBody   = lazyregexp.New(`no (?:body for|definition of) ([A-Za-z_$][A-Za-z0-9_$]*)`)
	noHeader = lazyregexp.New(`^'([^']+)' file not found$`)
)

// MissingFunction gives the function that an assumption or an error says has no body; false where it is about
// something else.
func MissingFunction(message string) (string, bool) {
	if m := noBody.FindStringSubmatch(message); m != nil {
		return m[1], true
	}
	return "", false
}

// MissingHeader gives the header that an error of the compiler says was not found, as it is included.
func MissingHeader(message string) (string, bool) {
	if m := noHeader.FindStringSubmatch(message); m != nil {
		return m[1], true
	}
	return "", false
}
