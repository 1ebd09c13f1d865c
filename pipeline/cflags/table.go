package cflags

import (
	"strings"
	"sync"
)

// form is the position of an option's value. The names are clang's: Flag, Joined, Separate, JoinedOrSeparate.
type form uint8

const (
	flag form = iota
	joined
	separate
	both
)

type effect uint8

const (
	reported     effect = iota // dropped with a note to the user
	silent                     // dropped: set by this program, or without effect on a proof
	keep                       // for the front end
	preprocessor               // its value is a list of options
)

// rule is the treatment of an option.
type rule struct {
	name   string
	form   form
	effect effect
	path   bool
	// canonical is the name that clang gets. If the option has a value, the value follows in the same word.
	canonical string
	check     func(value string) bool // nil: any non-empty value
}

func (r *rule) accepts(value string) bool {
	if value == "" || strings.ContainsRune(value, 0) {
		return false
	}
	return r.check == nil || r.check(value)
}

var table = sync.OnceValues(func() (all map[string][]rule, longest int) {
	all = map[string][]rule{}
	add := func(r rule) {
		if r.canonical == "" {
			r.canonical = r.name
		}
		longest = max(longest, len(r.name))
		all[r.name] = append(all[r.name], r)
	}
	list := func(e effect, f form, names string) {
		for _, n := range strings.Fields(names) {
			add(rule{name: n, form: f, effect: e})
		}
	}
	// -f and -m options with their negations.
	family := func(e effect, prefix, names string) {
		for _, n := range strings.Fields(names) {
			add(rule{name: prefix + n, effect: e})
			add(rule{name: prefix + "no-" + n, effect: e})
		}
	}
	value := func(f form, path bool, canonical string, names string) {
		for _, n := range strings.Fields(names) {
			add(rule{name: n, form: f, effect: keep, path: path, canonical: canonical})
		}
	}

	// Kept: macros, folders of headers, the language.
	value(both, false, "-D", "-D")
	value(separate, false, "-D", "--define-macro")
	value(joined, false, "-D", "--define-macro=")
	value(both, false, "-U", "-U")
	value(separate, false, "-U", "--undefine-macro")
	value(joined, false, "-U", "--undefine-macro=")
	value(both, true, "-I", "-I")
	value(separate, true, "-I", "--include-directory")
	value(joined, true, "-I", "--include-directory=")
	for _, n := range []string{"-isystem", "-iquote", "-idirafter", "-isystem-after", "-iframework", "-isysroot",
		"-include",
		"-imacros", "-iprefix", "-iwithprefix", "-iwithprefixbefore", "-iwithsysroot", "-F"} {
		value(both, true, n, n)
	}
	value(separate, true, "-idirafter", "--include-directory-after")
	value(joined, true, "-idirafter", "--include-directory-after=")
	value(separate, true, "-include", "--include")
	value(joined, true, "-include", "--include=")
	value(separate, true, "-imacros", "--imacros")
	value(joined, true, "-imacros", "--imacros=")
	value(separate, true, "--sysroot=", "--sysroot -sysroot")
	value(joined, true, "--sysroot=", "--sysroot=")
	value(separate, true, "--gcc-toolchain=", "-gcc-toolchain")
	value(joined, true, "--gcc-toolchain=", "--gcc-toolchain= -gcc-toolchain=")
	value(both, true, "-working-directory=", "-working-directory")
	value(joined, true, "-working-directory=", "-working-directory=")
	value(separate, false, "-std=", "--std -std")
	value(joined, false, "-std=", "-std= --std=")
	value(separate, false, "--target=", "-target --target")
	value(joined, false, "--target=", "--target= -target=")
	for _, r := range []rule{{name: "-x", form: both}, {name: "--language", form: separate},
		{name: "--language=", form: joined}} {
		r.effect, r.canonical, r.check = keep, "-x", isC // other languages are not checked, some start programs
		add(r)
	}
	add(rule{name: "-I-"}) // without a folder
	list(keep, flag, `-nostdinc -nostdlibinc -nobuiltininc -undef -ansi --ansi -trigraphs --trigraphs -traditional-cpp
		--no-standard-includes -pthread -no-pthread -ffreestanding -fhosted -fno-hosted -fno-freestanding
		-fPIC -fpic -fPIE -fpie -fno-PIC -fno-pic -fno-PIE -fno-pie -fsigned-bitfields -funsigned-bitfields -funsigned-char
		-fno-unsigned-char -fno-fast-math -fno-associative-math -fno-reciprocal-math -fno-finite-math-only
		-fno-unsafe-math-optimizations -fsigned-zeros -fhonor-nans -fhonor-infinities -fno-approx-func
		-fpcc-struct-return -freg-struct-return -fno-max-type-align -fvisibility-ms-compat
		-enable-trivial-auto-var-init-zero-knowing-it-will-be-removed-from-clang`)
	list(keep, joined, `-fno-builtin- -fpack-struct= -fms-compatibility-version= -fmsc-version= -fgnuc-version=
		-fclang-abi-compat= -flax-vector-conversions= -fbracket-depth= -ftrivial-auto-var-init= -fvisibility= -ftls-model=
		-fmax-type-align= -ffp-exception-behavior= -finput-charset= -Wno- -fstrict-flex-arrays=`)
	family(keep, "-f", `builtin common wrapv strict-overflow signed-char short-enums short-wchar ms-extensions
		ms-compatibility gnu89-inline gnu-keywords asm asm-blocks gnu-inline-asm blocks math-errno rounding-math
		trapping-math strict-enums dollars-in-identifiers trigraphs digraphs delete-null-pointer-checks
		merge-all-constants pack-struct lax-vector-conversions declspec writable-strings strict-return
		strict-float-cast-overflow emulated-tls aapcs-bitfield-width force-enable-int128 fixed-point char8_t
		double-square-bracket-attributes apple-pragma-pack xl-pragma-pack altivec zvector pascal-strings`)
	list(keep, joined, `-march= -mcpu= -mtune= -mabi= -mcmodel= -mfloat-abi= -mfpu= -mfpmath= -mregparm= -masm=
		-msve-vector-bits=`)
	list(keep, flag, `-m16 -m32 -m64 -mx32 -mbig-endian -mlittle-endian -EB -EL -mthumb -marm -mlong-double-64
		-mlong-double-80 -mlong-double-128 -mhard-float`)
	family(keep, "-m", `3dnow 3dnowa adx aes amx-bf16 amx-int8 amx-tile avx avx2 avx512bf16 avx512bitalg avx512bw avx512cd
		avx512dq avx512er avx512f avx512fp16 avx512ifma avx512pf avx512vbmi avx512vbmi2 avx512vl avx512vnni
		avx512vp2intersect avx512vpopcntdq avxvnni bmi bmi2 cldemote clflushopt clwb clzero crc crc32 crypto cx16 enqcmd
		f16c fma fma4 fsgsbase fxsr gfni hreset invpcid kl lwp lzcnt mmx movbe movdir64b movdiri mwaitx pclmul pconfig pku
		popcnt prefetchwt1 prfchw ptwrite rdpid rdrnd rdseed rtm sahf serialize sgx sha shstk sse sse2 sse3 sse4 sse4.1
		sse4.2 sse4a ssse3 tbm tsxldtrk uintr vaes vpclmulqdq waitpkg wbnoinvd widekl x87 xop xsave xsavec xsaveopt xsaves
		altivec vsx ms-bitfields rtd align-double strict-align unaligned-access soft-float`)

	// Set by this program: output, dependencies, the kind of compilation, diagnostics.
	list(silent, flag, `-c -S -E -emit-llvm -fsyntax-only -M -MM -MD -MMD -MP -MG -MV -H -P -C -CC --compile --assemble
		--preprocess --dependencies --user-dependencies --write-dependencies --write-user-dependencies -### -v --verbose
		--version --help -pipe --pipe --analyze -dD -dM -dI -dA -w --no-warnings -pedantic --pedantic -pedantic-errors
		--pedantic-errors -no-pedantic -Qunused-arguments -no-canonical-prefixes -canonical-prefixes --save-temps
		--all-warnings --extra-warnings -p -pg --profile --coverage -Qn -Qy -time -Wno-error`)
	list(silent, both, "-o -MF -MT -MQ -MJ")
	list(silent, separate, `--output --serialize-diagnostics -serialize-diagnostics -index-store-path
		-index-unit-output-path -dumpdir -dumpbase -dumpbase-ext -aux-info -Xassembler -Xanalyzer -Xlinker --for-linker
		--for-assembler -ftrapv-handler --param -e -z`)
	list(silent, joined, `--output= -save-temps= --save-temps= -W -g --debug= --optimize= -O -Wl, -Wa, -Rpass -R -dump
		-print- --print- --param= --warn- --warn-= -ftrapv-handler= --for-linker= --for-assembler=`)
	list(silent, flag, "-save-temps --debug --optimize -g")
	add(rule{name: "-Ofast"}) // non-IEEE arithmetic
	add(rule{name: "-Wp,", form: joined, effect: preprocessor})
	// Linking.
	list(silent, both, "-l -L -T -u")
	list(silent, separate, "--library-directory --force-link -framework -rpath")
	list(silent, flag, `-shared --shared -static --static -rdynamic -s -r -pie -no-pie -nopie -static-pie -nostdlib
		-nodefaultlibs -nostartfiles -nolibc --no-standard-libraries`)
	list(silent, joined, "-static- -shared- -rtlib= --rtlib= -fuse-ld= -mlinker-version= --library-directory= -unwindlib=")
	// Code generation, profiling, sanitizers, debug information: they do not change the meaning.
	family(silent, "-f", `exceptions trapv integrated-as lto profile-arcs profile-generate profile-instr-generate
		profile-instr-use profile-use coverage-mapping test-coverage stack-protector stack-clash-protection
		omit-frame-pointer unwind-tables asynchronous-unwind-tables function-sections data-sections plt ident jump-tables
		inline inline-functions inline-hint-functions strict-aliasing struct-path-tbaa unroll-loops vectorize slp-vectorize
		tree-vectorize reroll-loops finite-loops zero-initialized-in-bss keep-static-consts verbose-asm semantic-interposition
		split-stack addrsig use-init-array optimize-sibling-calls escaping-block-tail-calls color-diagnostics
		spell-checking elide-type split-machine-functions unique-section-names direct-access-external-data
		unit-at-a-time discard-value-names debug-macro standalone-debug eliminate-unused-debug-types
		eliminate-unused-debug-symbols record-command-line split-lto-unit caret-diagnostics show-column
		show-source-location dwarf-directory-asm integrated-cc1 legacy-pass-manager experimental-new-pass-manager autolink
		whole-program-vtables threadsafe-statics rtti cxx-exceptions preserve-as-comments fat-lto-objects
		memory-profile pseudo-probe-for-profiling sanitize-recover sanitize-trap instrument-functions`)
	// The same, of gcc alone.
	family(silent, "-f", `align-jumps align-labels align-loops caller-saves conserve-stack crossjumping gcse
		guess-branch-probability partial-inlining peel-loops prefetch-loop-arrays rename-registers reorder-blocks
		reorder-functions schedule-insns schedule-insns2 toplevel-reorder var-tracking var-tracking-assignments web`)
	list(silent, joined, `-falign-jumps= -falign-labels= -finline-limit= -fipa- -fno-ipa- -malign-data= -fira-
		-fsched- -fno-sched-`)
	list(silent, flag, `-fansi-escape-codes -fstack-protector-all -fstack-protector-strong -fcf-protection -fno-openmp
		-fno-modules -flimit-debug-info -fno-limit-debug-info -no-integrated-as -integrated-as -fno-signaling-math
		-falign-functions -fno-align-functions -fstack-usage -fstack-size-section -fno-stack-size-section
		-finstrument-functions-after-inlining -finstrument-function-entry-bare -fparse-all-comments
		-fno-crash-diagnostics -ffp-contract=off`)
	list(silent, joined, `-fsanitize -fno-sanitize -fprofile -fno-profile -fcoverage- -fcs-profile -fxray -fno-xray
		-fauto-profile -fno-auto-profile -flto= -flto- -ftime- -fno-time- -fdiagnostics- -fno-diagnostics- -ferror-limit=
		-fmessage-length= -fshow- -fno-show- -ftemplate- -fsave-optimization-record -fno-save-optimization-record
		-foptimization-record -fdebug- -fno-debug- -ffile-prefix-map= -fmacro-prefix-map= -ffile-compilation-dir=
		-fembed-bitcode -fno-embed-bitcode -fcf-protection= -fzero-call-used-regs= -fpatchable-function-entry=
		-falign-functions= -falign-loops= -fdump- -fconstexpr- -fcrash-diagnostics-dir= -fmacro-backtrace-limit=
		-fspell-checking-limit= -ftabstop= -fbinutils-version= -fstack-limit -ftree- -fno-tree-`)
	family(silent, "-m", `red-zone skip-rax-setup retpoline retpoline-external-thunk omit-leaf-frame-pointer stackrealign
		tls-direct-seg-refs speculative-load-hardening relax relax-all global-merge implicit-float vzeroupper
		lvi-cfi lvi-hardening outline outline-atomics stack-arg-probe incremental-linker-compatible save-restore`)
	list(silent, flag, "-mfentry -mrecord-mcount -mnop-mcount -mgeneral-regs-only -mpad-max-prefix-size= -mibt-seal")
	list(silent, joined, `-mstack-protector-guard= -mstack-protector-guard-reg= -mstack-protector-guard-offset=
		-mstack-alignment= -mstack-probe-size= -mpreferred-stack-boundary= -mharden-sls= -mbranch-protection=
		-mprefer-vector-width= -mindirect-branch -mfunction-return -mpad-max-prefix-size= -mtls-size=`)

	// Dropped with a note, with a value that is not an option itself: foreign code, switches below the driver that
	// could override ours, files beside the C files.
	list(reported, separate, `-Xclang -Xpreprocessor -mllvm -mmlir -load -plugin -wrapper -specs --specs --config -arch
		-allowable_client -ccc-gcc-name -ccc-install-dir -ccc-arcmt-migrate -ccc-objcmt-migrate -gen-cdb-fragment-path
		-arcmt-migrate-report-output -dependency-file -dependency-dot -filelist -module-dependency-dir -mthread-model
		-Xarch_device -Xarch_host -Xcuda-fatbinary -Xcuda-ptxas -Xopenmp-target --assert -A -b -V -G -bundle_loader
		--analyzer-output --prefix -I-after -fmodules-user-build-path -fxray-instruction-threshold --rsp-quoting -ccc-
		-target-abi -target-cpu -target-feature -internal-isystem -internal-externc-isystem -vfsoverlay
		--mhwdiv -iframeworkwithsysroot -ibuiltininc -imultilib -Xarch_ -frewrite-map-file -add-plugin -plugin-arg-`)
	list(reported, both, "-B -cxx-isystem -include-pch -ivfsoverlay -resource-dir -stdlib++-isystem "+
		"-iframeworkwithsysroot -J -t")
	list(reported, joined, `-ccc- --config= -resource-dir= -ivfsoverlay= --prefix= -fplugin -fpass-plugin -fmodule -specs= --specs=
		-mllvm=`)
	return all, longest
})

func isC(language string) bool { return language == "c" || language == "cpp-output" }
