package language

// libraryNames are functions of C libraries, and primitives of our models, that the engine executes itself.
var libraryNames = []Entry{
	{Name: "assert", Role: Assert, Dialect: Library}, // if the header is not included
	{Name: "static_assert", Role: StaticAssert, Dialect: Library, Described: true},
	{Name: "_Static_assert", Role: StaticAssert, Dialect: Library, Described: true},

	{Name: "__assert_fail", Role: AssertFailure, Dialect: GNU},
	{Name: "__assert_perror_fail", Role: AssertFailure, Dialect: GNU},
	{Name: "__assert", Role: AssertFailure, Dialect: GNU},
	{Name: "__assert_rtn", Role: AssertFailure, Dialect: Library},  // Darwin
	{Name: "__assert_func", Role: AssertFailure, Dialect: Library}, // newlib
	{Name: "__assert2", Role: AssertFailure, Dialect: Library},     // bionic
	{Name: "__assert13", Role: AssertFailure, Dialect: Library},    // NetBSD
	{Name: "__assert_c99", Role: AssertFailure, Dialect: Library},  // Solaris
	{Name: "_assert", Role: AssertFailure, Dialect: Library},       // mingw
	{Name: "__aeabi_assert", Role: AssertFailure, Dialect: Library},

	{Name: "abort", Role: Abort, Dialect: GNU},
	{Name: "exit", Role: Exit, Dialect: GNU},
	{Name: "_exit", Role: Abort, Dialect: GNU},
	{Name: "_Exit", Role: Abort, Dialect: GNU},
	{Name: "quick_exit", Role: Abort, Dialect: GNU},

	{Name: "malloc", Role: Malloc, Dialect: GNU},
	{Name: "calloc", Role: Calloc, Dialect: GNU},
	{Name: "realloc", Role: Realloc, Dialect: GNU},
	{Name: "reallocarray", Role: Reallocarray, Dialect: GNU},
	{Name: "aligned_alloc", Role: AlignedAlloc, Dialect: GNU},
	{Name: "memalign", Role: AlignedAlloc, Dialect: GNU},
	{Name: "valloc", Role: Valloc, Dialect: GNU},
	{Name: "posix_memalign", Role: PosixMemalign, Dialect: GNU},
	{Name: "free", Role: Free, Dialect: GNU},
	{Name: "cfree", Role: Free, Dialect: Library},
	{Name: "alloca", Role: Alloca, Dialect: GNU},
	{Name: "__builtin_alloca", Role: Alloca, Dialect: GNU},

	{Name: "memcpy", Role: Memcpy, Dialect: GNU},
	{Name: "__memcpy_chk", Role: Memcpy, Dialect: GNU},
	{Name: "mempcpy", Role: Mempcpy, Dialect: GNU},
	{Name: "memmove", Role: Memmove, Dialect: GNU},
	{Name: "__memmove_chk", Role: Memmove, Dialect: GNU},
	{Name: "memset", Role: Memset, Dialect: GNU},
	{Name: "__memset_chk", Role: Memset, Dialect: GNU},

	{Name: "printf", Role: Print, Dialect: GNU, Format: 1},
	{Name: "vprintf", Role: Print, Dialect: GNU, Format: 1},
	{Name: "fprintf", Role: Print, Dialect: GNU, Format: 2},
	{Name: "vfprintf", Role: Print, Dialect: GNU, Format: 2},
	{Name: "dprintf", Role: Print, Dialect: GNU, Format: 2},
	{Name: "syslog", Role: Print, Dialect: GNU, Format: 2},
	{Name: "__printf_chk", Role: Print, Dialect: GNU, Format: 2},
	{Name: "__fprintf_chk", Role: Print, Dialect: GNU, Format: 3},
	{Name: "__mingw_vprintf", Role: Print, Dialect: GNU, Format: 1},
	{Name: "__mingw_vfprintf", Role: Print, Dialect: GNU, Format: 2},
	{Name: "puts", Role: Print, Dialect: GNU, Strings: true},
	{Name: "fputs", Role: Print, Dialect: GNU, Strings: true},
	{Name: "perror", Role: Print, Dialect: GNU, Strings: true},
	{Name: "putchar", Role: Print, Dialect: GNU},
	{Name: "fputc", Role: Print, Dialect: GNU},
	{Name: "putc", Role: Print, Dialect: GNU},
	{Name: "fflush", Role: Print, Dialect: GNU},

	{Name: "unitproof_other_conversion", Role: OtherConversion, Dialect: Model},
	{Name: "setjmp", Role: Impossible, Dialect: GNU},
	{Name: "_setjmp", Role: Impossible, Dialect: GNU},
	{Name: "sigsetjmp", Role: Impossible, Dialect: GNU},
	{Name: "__sigsetjmp", Role: Impossible, Dialect: GNU},
	{Name: "longjmp", Role: Impossible, Dialect: GNU},
	{Name: "_longjmp", Role: Impossible, Dialect: GNU},
	{Name: "siglongjmp", Role: Impossible, Dialect: GNU},
	{Name: "fork", Role: Impossible, Dialect: GNU},
	{Name: "vfork", Role: Impossible, Dialect: GNU},

	{Name: "unitproof_reads", Role: Reads, Dialect: Model},
	{Name: "unitproof_lend", Role: Lend, Dialect: Model},
	{Name: "unitproof_apart", Role: Apart, Dialect: Model},
	{Name: "unitproof_scans", Role: Scans, Dialect: Model},
	{Name: "unitproof_find", Role: Find, Dialect: Model},
	{Name: "unitproof_find_last", Role: FindLast, Dialect: Model},
	{Name: "unitproof_differ", Role: Differ, Dialect: Model},
	{Name: "unitproof_known", Role: Known, Dialect: Model},
	{Name: "unitproof_any_double", Role: Nondet, Dialect: Model, Library: true},
	{Name: "unitproof_any_int", Role: Nondet, Dialect: Model, Library: true},
	{Name: "unitproof_set_rounding", Role: SetsRounding, Dialect: Model},
}

// libraryPrefixes are the prefixes of such functions.
var libraryPrefixes = []Entry{
	{Name: "pthread_", Role: Impossible, Dialect: Library},
	{Name: "thrd_", Role: Impossible, Dialect: Library},
}
