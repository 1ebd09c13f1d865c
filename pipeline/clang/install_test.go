package clang

import "testing"

// TestPackageFor checks the lines that install a part, by the system.
func TestPackageFor(t *testing.T) {
	for _, c := range []struct {
		system, release string
		need            Need
		want            string
	}{
		{"linux", "PRETTY_NAME=\"Debian\"\nID=debian\nVERSION_ID=\"11\"\n", NeedCompiler, "sudo apt-get install clang-16"},
		{"linux", "ID=debian\nVERSION_ID=\"12\"\n", NeedCompiler, "sudo apt-get install clang-19"},
		{"linux", "ID=debian\nVERSION_ID=\"13\"\n", NeedCompiler, "sudo apt-get install clang"},
		{"linux", "ID=ubuntu\nID_LIKE=debian\nVERSION_ID=\"20.04\"\n", NeedCompiler, ""},
		{"linux", "ID=ubuntu\nID_LIKE=debian\nVERSION_ID=\"22.04\"\n", NeedCompiler, "sudo apt-get install clang-15"},
		{"linux", "ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n", NeedSanitizers, "sudo apt-get install libclang-rt-17-dev"},
		{"linux", "ID=debian\n", NeedLinker, "sudo apt-get install llvm-17"},
		{"linux", "ID=fedora\n", NeedSanitizers, "sudo dnf install compiler-rt"},
		{"linux", "ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n", NeedHeaders, "sudo dnf install glibc-devel"},
		{"linux", "ID=\"opensuse-leap\"\nID_LIKE=\"suse opensuse\"\n", NeedCompiler, "sudo zypper install clang"},
		{"linux", "ID=alpine\n", NeedHeaders, "sudo apk add musl-dev"},
		{"linux", "ID=nixos\n", NeedCompiler, "nix-shell -p clang"},
		{"linux", "ID=own\n", NeedCompiler, ""},
		{"linux", "", NeedCompiler, ""},
		{"darwin", "", NeedCompiler, "brew install llvm"},
		{"darwin", "", NeedHeaders, "xcode-select --install"},
	} {
		if _, line := packageFor(c.system, readRelease(c.release), c.need, 17); line != c.want {
			t.Errorf("%s %q, %d: %q, want %q", c.system, c.release, c.need, line, c.want)
		}
	}
}
