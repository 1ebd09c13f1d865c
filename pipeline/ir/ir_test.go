package ir

import (
	"slices"
	"strings"
	"testing"
)

func TestKindOf(t *testing.T) {
	for name, want := range map[string]Kind{"a.c": C, "a.LL": Assembly, "d.ll/a.bc": Bitcode, "x.rs": Rust, "a": C,
		"ll": C} {
		if got := KindOf(name); got != want {
			t.Errorf("%s is %d, want %d", name, got, want)
		}
	}
}

func TestDefinitions(t *testing.T) {
	assembly := "define internal void @hidden() {\n}\ndefine dso_local i32 @proof_a(i32 %x) #0 {\n}\n" +
		"declare void @b()\ndefine void @c.d() {\n}\n"
	rust := "#[no_mangle]\npub extern \"C\" fn proof_a() {}\n// pub extern \"C\" fn no() {}\n" +
		"    #[no_mangle] pub unsafe extern \"C\" fn b(x: u8) {}\nfn d() {}\n"
	for _, c := range []struct {
		kind Kind
		text string
		want []Definition
	}{
		{Assembly, assembly, []Definition{{"proof_a", 3, 23}, {"c.d", 6, 14}}},
		{Rust, rust, []Definition{{"proof_a", 2, 19}, {"b", 4, 43}}},
		{Bitcode, assembly, nil},
	} {
		if got := Definitions(c.kind, []byte(c.text)); !slices.Equal(got, c.want) {
			t.Errorf("%v, want %v", got, c.want)
		}
	}
}

func TestOpaque(t *testing.T) {
	for _, c := range [][2]string{
		{"load i32, i32* %p", "load i32, ptr %p"},
		{"store i8** %q, i8*** %r", "store ptr %q, ptr %r"},
		{"%struct.s = type { i32, %struct.s*, [4 x i8*] }", "%struct.s = type { i32, ptr, [4 x ptr] }"},
		{`%"a*b" = type { %"a*b"*, <{ i8 }>*, <4 x i32>* }`, `%"a*b" = type { ptr, ptr, ptr }`},
		{"call void (i8*, ...)* %f(i8* %x)", "call ptr %f(ptr %x)"},
		{"store void (i32, { i8*, i64 })* @f, void (i32, { i8*, i64 })** %p", "store ptr @f, ptr %p"},
		{"%x = alloca i32 (...)*, align 8 ; an i32* here", "%x = alloca ptr, align 8 ; an i32* here"},
		{"load i8, i8 addrspace(1)* %p", "load i8, ptr addrspace(1) %p"},
		{`!1 = !DIFile(filename: "a*.c")`, `!1 = !DIFile(filename: "a*.c")`},
	} {
		got, err := Opaque([]byte(c[0]))
		if err != nil || string(got) != c[1] {
			t.Errorf("%s\nbecomes %s (%v)\nwant    %s", c[0], got, err, c[1])
		}
		if typed := HasTypedPointers([]byte(c[0])); typed != (c[0] != c[1]) {
			t.Errorf("%s has typed pointers: %v", c[0], typed)
		}
	}
	for _, text := range []string{"a\n *", "* %p", ")*", "\n}*", `"a"*`} {
		if got, err := Opaque([]byte(text)); err == nil || !strings.HasPrefix(err.Error(), "line ") {
			t.Errorf("%q becomes %q, %v", text, got, err)
		}
	}
}

func TestWithoutUnwinding(t *testing.T) {
	const text = `define i32 @f(i8* %p) unnamed_addr #1 personality i32 (...)* @rust_eh_personality !dbg !5 {
start:
  %x = invoke i32 @g(i8* %p)
          to label %bb1 unwind label %cleanup, !dbg !7

cleanup:                                          ; preds = %start
  %v = phi i32 [ 1, %start ], [ %w, %other ]
  %0 = landingpad { i8*, i32 }
          cleanup
          catch i8* null, !dbg !8
  resume { i8*, i32 } %0, !dbg !9

bb1:
  %y = phi [2 x i8] [ undef, %start ]
  invoke void @h() #3
          to label %"bb 2" unwind label %cleanup
`
	const want = `define i32 @f(i8* %p) unnamed_addr #1 !dbg !5 {
start:
  %x = call i32 @g(i8* %p), !dbg !7
  br label %bb1, !dbg !7

cleanup:                                          ; preds = %start
  %v = select i1 undef, i32 undef, i32 undef
  %0 = select i1 undef, { i8*, i32 } undef, { i8*, i32 } undef
  unreachable, !dbg !9

bb1:
  %y = phi [2 x i8] [ undef, %start ]
  call void @h() #3
  br label %"bb 2"
`
	if got := string(WithoutUnwinding([]byte(text))); got != want {
		t.Errorf("got\n%s", got)
	}
	plain := []byte("define void @f() {\n  ret void\n}\n")
	if got := WithoutUnwinding(plain); &got[0] != &plain[0] {
		t.Error("a text without handlers was copied")
	}
	// No text makes it crash or loop forever.
	for _, odd := range []string{"  invoke \n  invoke ", "  %0 = landingpad ", "  resume x", "define  personality {\n"} {
		WithoutUnwinding([]byte(odd))
	}
}

func TestWithoutBodies(t *testing.T) {
	const text = `define internal void @"a b"(i32 %x) unnamed_addr #1 align 8 personality i32 (...)* @p !dbg !5 {
  ret void
}
define void @keep() {
  ret void
}
`
	const want = `declare void @"a b"(i32 %x) #1
define void @keep() {
  ret void
}
`
	if got := string(WithoutBodies([]byte(text), func(name string) bool { return name == "a b" })); got != want {
		t.Errorf("got\n%s", got)
	}
}

func TestWithoutNewerPromises(t *testing.T) {
	const text = `@s = constant [16 x i8] c" captures(none) ."
declare void @f(ptr noalias captures(none), ptr captures(address, read_provenance) dead_on_return, i32 noext) #1
  call void @f(ptr captures(none) initializes((0, 4), (8, 12)) %p)
attributes #1 = { nocallback nocreateundeforpoison nounwind }
`
	const want = `@s = constant [16 x i8] c" captures(none) ."
declare void @f(ptr noalias, ptr, i32) #1
  call void @f(ptr %p)
attributes #1 = { nocallback nounwind }
`
	if got := string(WithoutNewerPromises([]byte(text))); got != want {
		t.Errorf("got\n%s", got)
	}
}
