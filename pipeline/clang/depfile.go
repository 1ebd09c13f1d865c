package clang

// parseDepfile returns the prerequisites of a make rule in the format of clang -MD: a space or # in a name is preceded
// by a backslash, a dollar is doubled, and a backslash before a newline continues the line.
func parseDepfile(text string) []string {
	i := 0
	for i < len(text) && !(text[i] == ':' && i+1 < len(text) && (text[i+1] == ' ' || text[i+1] == '\\' ||
		text[i+1] == '\n')) {
		i++
	}
	var files []string
	var name []byte
	flush := func() {
		if len(name) > 0 {
			files = append(files, string(name))
			name = name[:0]
		}
	}
	for i++; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text) && (text[i+1] == '\n' || text[i+1] == '\r'):
			flush()
			i++
		case c == '\\' && i+1 < len(text) && (text[i+1] == ' ' || text[i+1] == '#'):
			i++
			name = append(name, text[i])
		case c == '$' && i+1 < len(text) && text[i+1] == '$':
			i++
			name = append(name, '$')
		case c == ' ' || c == '\t' || c == '\r':
			flush()
		case c == '\n':
			flush()
			return files
		default:
			name = append(name, c)
		}
	}
	flush()
	return files
}
