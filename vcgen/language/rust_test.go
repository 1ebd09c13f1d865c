package language

import "testing"

func TestRustNames(t *testing.T) {
	for _, c := range []struct {
		name string
		path string
		role Role
	}{
		{"__rust_alloc", "__rust_alloc", RustAlloc},
		{"_RNvCsfLfy6EI15iL_7___rustc12___rust_alloc", "__rustc::__rust_alloc", RustAlloc},
		{"_RNvCsfLfy6EI15iL_7___rustc35___rust_no_alloc_shim_is_unstable_v2",
			"__rustc::__rust_no_alloc_shim_is_unstable_v2", Nothing},
		{"_ZN4core9panicking5panic17h2c88932fe82bb6e8E", "core::panicking::panic", AssertFailure},
		{"_RINvNtCsgEmfK2I1SDS_4core9panicking13assert_failedllECsjrHSEGnQ3l9_3std", "core::panicking::assert_failed",
			AssertFailure},
		{"_RNvNtNtCsgEmfK2I1SDS_4core9panicking11panic_const24panic_const_add_overflow",
			"core::panicking::panic_const::panic_const_add_overflow", AssertFailure},
		{"_RNvNtCsgEmfK2I1SDS_4core6option13unwrap_failed", "core::option::unwrap_failed", AssertFailure},
		{"_ZN4core5slice5index26slice_start_index_len_fail17h0123456789abcdefE",
			"core::slice::index::slice_start_index_len_fail", AssertFailure},
		{"_ZN5alloc5alloc18handle_alloc_error17hcf5f6fd68c596c61E", "alloc::alloc::handle_alloc_error", Abort},
		{"_ZN5alloc7raw_vec17capacity_overflow17hcb544882f5e91d65E", "alloc::raw_vec::capacity_overflow", AssertFailure},
		{"_RNvNtCslNYArtu3iFV_5alloc7raw_vec12handle_error", "alloc::raw_vec::handle_error", CapacityError},
		// Similar names in other crates.
		{"_ZN4mine4fail12check_failed17h0123456789abcdefE", "mine::fail::check_failed", None},
		{"_ZN4mine9panicking5panic17h0123456789abcdefE", "mine::panicking::panic", None},
		// Library functions that do not panic, and names that are not symbols.
		{"_ZN4core3fmt9Formatter15debug_lower_hex17h56ca553cb4bc41f0E", "core::fmt::Formatter::debug_lower_hex", None},
		{"_ZN", "_ZN", None}, {"_Rx", "_Rx", None}, {"panic", "panic", None},
	} {
		if got := Demangled(c.name); got != c.path {
			t.Errorf("%s stands for %s, want %s", c.name, got, c.path)
		}
		if got := Lookup(c.name).Role; got != c.role {
			t.Errorf("%s has the role %d, want %d", c.name, got, c.role)
		}
	}
}
