//go:build !static

package solver

/*
#cgo LDFLAGS: -Wl,--as-needed -ldl
#include <stdlib.h>
#include "z3_load.h"
*/
import "C"

import (
	"fmt"
	"runtime"
	"sync"
	"unsafe"
)

// WithZ3 reports whether this build can load libz3.
const WithZ3 = true

// z3Files are the names of libz3: Debian's, and that of a development package.
var z3Files = []string{"libz3.so.4", "libz3.so"}

// loadZ3 loads libz3, once. The program is not linked with it: z3 is rarely used, and loading it took a quarter of each
// start of a process. No function of go-z3 may be called before, or after an error.
var loadZ3 = sync.OnceValue(func() (err error) {
	for i, file := range z3Files {
		e := loadZ3File(file)
		if e == nil {
			return nil
		}
		if i == 0 {
			err = fmt.Errorf("solver z3: libz3 cannot be loaded: %w; install the package libz3-4", e)
		}
	}
	return err
})

func loadZ3File(file string) error {
	name := C.CString(file)
	defer C.free(unsafe.Pointer(name))
	runtime.LockOSThread() // the error text belongs to the thread
	defer runtime.UnlockOSThread()
	if why := C.up_z3_load(name); why != nil {
		return fmt.Errorf("%s", C.GoString(why))
	}
	return nil
}
