// Package forkserver runs a program many times and pays the cost of its start only once.
//
// Of the 33 ms in which clang 14 compiles a small file, 25 pass before its main: half a million relocations of libLLVM
// and libclang-cpp, static initializers, and the page faults of both. A small library that is preloaded into the
// program stops it there and forks it for each run. The child gets its own arguments, folder and standard streams, and
// is otherwise the same program. The technique is that of AFL's fork server (M. Zalewski, 2014).
//
//	s := forkserver.New("/usr/bin/clang", forkserver.LibraryPath(folder), os.Environ(), time.Minute)
//	out, errs, err := s.Run(ctx, "/src", []string{"-c", "a.c"}, nil)
//
// It is only an optimization: if it does not work (another system, a static program, a wrapper script, no linker, an
// old kernel), [Server.Run] returns [ErrUnavailable], and the caller starts the program in the ordinary way.
//
// Principal type: Server (server_linux.go). The library is native/forkserver.c; library.go compiles it.
package forkserver
