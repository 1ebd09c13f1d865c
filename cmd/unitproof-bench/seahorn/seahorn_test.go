package seahorn

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

const clone = `
-- seahorn/CMakeLists.txt --
function(sea_attach_bc name)
  set(SOURCE_EXE ${name})
endfunction()
set(MAX_TABLE_SIZE 4) # of what is hashed
set(FLAGS corpus -runs=5 CACHE STRING "Flags")
add_definitions(
  -DMAX_TABLE_SIZE=${MAX_TABLE_SIZE}
  )
add_subdirectory(lib)
add_subdirectory(jobs/plain)
# add_subdirectory(jobs/commented)
if(${SEA_WITH_BLEEDING_EDGE})
  add_subdirectory(jobs/edge)
endif()
add_subdirectory(jobs/put)
-- seahorn/lib/CMakeLists.txt --
add_library(sea_bounds bounds.c)
add_library(
  sea_proofs
  helper.c
  utils.cc
)
-- seahorn/aws-c-common-stubs/CMakeLists.txt --
add_library(hash_table
  ${AWS_C_COMMON_ROOT}/source/hash_table.c)
add_library(hash_for_override s_hash_for_override.c)
-- seahorn/jobs/plain/CMakeLists.txt --
add_executable(plain
  ${AWS_C_COMMON_ROOT}/source/array_list.c
  ${SEA_LIB}/bcmp.c
  plain_harness.c)
sea_attach_bc_link(plain)
if(SEA_ENABLE_KLEE)
  add_executable(plain
    klee.c)
endif()
sea_add_fuzz(plain plain_harness.c)
-- seahorn/jobs/put/CMakeLists.txt --
add_executable(put put_harness.c)
set(MAX_TABLE_SIZE 8)
MATH(EXPR BOUND "2 * ${MAX_TABLE_SIZE}")
target_compile_definitions(put PUBLIC MAX_TABLE_SIZE=${MAX_TABLE_SIZE})
sea_link_libraries(put hash_table.opt.ir)
sea_overlink_libraries(put hash_for_override.ir)
sea_attach_bc_link(put)
-- seahorn/include/config.h.in --
#define MAX_TABLE_SIZE @MAX_TABLE_SIZE@
-- aws-c-common/source/hash_table.c --
#include <aws/common/hash_table.h>
#include "table.inl"
static inline int s_hash_for(void) { return 0; }
`

// written returns a folder with the files of clone.
func written(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(clone)).Files {
		name := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestRead(t *testing.T) {
	got, err := Read(written(t))
	if err != nil {
		t.Fatal(err)
	}
	want := &Project{
		Defines: []string{"__SEAHORN__", "__SEAHORN_ASSERT__", "VACCHECK", "MAX_TABLE_SIZE=4"},
		Sizes:   map[string]string{"MAX_TABLE_SIZE": "4"},
		Jobs: []Job{
			{Name: "plain", Harness: "seahorn/jobs/plain/plain_harness.c", Sources: []string{
				"aws-c-common/source/array_list.c", "seahorn/lib/bcmp.c", "seahorn/lib/helper.c", "seahorn/lib/bounds.c"}},
			{Name: "put", Harness: "seahorn/jobs/put/put_harness.c", Sources: []string{
				"unitproof/opened/aws-c-common/source/hash_table.c", "seahorn/lib/helper.c", "seahorn/lib/bounds.c"},
				Overrides: []string{"seahorn/aws-c-common-stubs/s_hash_for_override.c"},
				Defines:   []string{"MAX_TABLE_SIZE=8"}},
		},
	}
	if !reflect.DeepEqual(want, got) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// TestUnknownVariable checks that a job with an unknown file is reported, and that the others are read.
func TestUnknownVariable(t *testing.T) {
	dir := written(t)
	list := filepath.Join(dir, "seahorn/jobs/put/CMakeLists.txt")
	if err := os.WriteFile(list, []byte("add_executable(put ${ELSEWHERE}/put.c put_harness.c)\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	p, err := Read(dir)
	if err == nil || !strings.Contains(err.Error(), "seahorn/jobs/put/CMakeLists.txt: ") ||
		!strings.Contains(err.Error(), "${ELSEWHERE}/put.c") {
		t.Errorf("got %v", err)
	}
	if p == nil || len(p.Jobs) != 1 || p.Jobs[0].Name != "plain" {
		t.Errorf("got %+v", p)
	}
}

func TestWrite(t *testing.T) {
	dir := written(t)
	p, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Write(dir); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"unitproof/include/config.h": "#define MAX_TABLE_SIZE 4\n",
		"unitproof/opened/aws-c-common/source/hash_table.c": "#include <aws/common/hash_table.h>\n#define static\n" +
			"#define inline\n#include \"../../../../aws-c-common/source/hash_table.c\"\n",
	} {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || string(got) != want {
			t.Errorf("%s: %v, got %q, want %q", name, err, got, want)
		}
	}
	toml, err := os.ReadFile(filepath.Join(dir, "unitproof.toml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{`flags = ["-UMAX_TABLE_SIZE", "-DMAX_TABLE_SIZE=8"]`, `name = "plain"`,
		`override = ["seahorn/aws-c-common-stubs/s_hash_for_override.c"]`} {
		if !strings.Contains(string(toml), line+"\n") {
			t.Errorf("%s is missing in\n%s", line, toml)
		}
	}
}

// TestNoLibrary checks that a clone without aws-c-common is rejected.
func TestNoLibrary(t *testing.T) {
	if _, err := Read(t.TempDir()); err == nil || !strings.Contains(err.Error(), "no clone of aws-c-common") {
		t.Errorf("got %v", err)
	}
}
