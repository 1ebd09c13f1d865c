// Package forkserver runs a program many times and pays for its start once.
//
// Of the 33 ms in which clang 14 compiles a small file, 25 pass before its main: half a million relocations of libLLVM
// and libclang-cpp, static initialisers, and the page faults of both. A small library that is preloaded into the
// program stops it there and forks it for each run, which then has its arguments, folder and standard streams and is
// otherwise the very same program. The trick is that of AFL's fork server (M. Zalewski, 2014).
//
// It is an optimisation and nothing more: where it does not work (another system, a static program, a wrapper script,
// no linker, an old kernel), [Server.Run] says [ErrUnavailable], and the caller starts the program in the ordinary way.
package forkserver
