package clang

type fileHashes struct{}
