//go:build !static

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>

#include "z3_functions.h"
#include "z3_load.h"

// Each function of libz3 that go-z3 calls is defined here as a jump to where it is once the library has been loaded. So
// the linker finds them all, drops -lz3 as not needed (--as-needed), and the program starts without the library. The
// names are hidden: libz3's own calls of them do not come here.

#if defined(__x86_64__)
#define JUMP(name) "jmp *up_" #name "(%rip)"
#elif defined(__aarch64__)
#define JUMP(name) "adrp x16, up_" #name "\n\tldr x16, [x16, #:lo12:up_" #name "]\n\tbr x16"
#endif

#ifdef JUMP

#define SLOT(name) __attribute__((visibility("hidden"))) void *up_##name;
Z3_FUNCTIONS(SLOT)

#define STUB(name)                                                                     \
	__asm__(".text\n\t.globl " #name "\n\t.hidden " #name "\n\t"                      \
	        ".type " #name ", %function\n" #name ":\n\t" JUMP(name) "\n\t"               \
	        ".size " #name ", .-" #name);
Z3_FUNCTIONS(STUB)

#define ENTRY(name) {#name, &up_##name},
static struct {
	const char *name;
	void **slot;
} functions[] = {Z3_FUNCTIONS(ENTRY)};

const char *up_z3_load(const char *file) {
	enum { count = sizeof functions / sizeof *functions };
	static __thread char why[512];
	void *found[count];
	void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		snprintf(why, sizeof why, "%s", dlerror());
		return why;
	}
	for (size_t i = 0; i < count; i++) {
		found[i] = dlsym(library, functions[i].name);
		if (!found[i]) {
			snprintf(why, sizeof why, "%s: it has no function %s", file, functions[i].name);
			dlclose(library);
			return why;
		}
	}
	for (size_t i = 0; i < count; i++) {
		*functions[i].slot = found[i];
	}
	return NULL;
}

#else // linked as any other library

const char *up_z3_load(const char *file) { return NULL; }

#endif
