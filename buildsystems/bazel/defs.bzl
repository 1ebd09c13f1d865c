"""Unit proofs as tests of Bazel. See docs/buildsystems.md.

    load("@unitproof//:defs.bzl", "unitproof_test")

    unitproof_test(
        name = "push_pop",
        proof = "proofs/push_pop_harness.c",
        deps = [":ring"],
    )

The test passes if the proof is proved, or has the verdict that it expects. The C files of deps, and of what these
depend on, define the functions that the proof calls. They are compiled with the headers, definitions and copts of their
own rules; the proof is compiled like a file of a cc_library with these deps.
"""

load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")

UnitproofSources = provider(
    doc = "The C files of a rule and of what it depends on.",
    fields = {
        "files": "depset of the files that are compiled, and of headers that only these include",
        "commands": "depset of structs (file, flags): how each C file is compiled",
    },
)

def _below_runfiles(path):
    """Returns the path of a folder in the runfiles of a test, from its path in actions.

    bazel-out/k8-fastbuild/bin/include -> include, external/ring/include -> ../ring/include
    """
    parts = path.split("/")
    if parts[0] == "bazel-out" and len(parts) >= 3:
        parts = parts[3:]
    if parts and parts[0] == "external":
        parts = [".."] + parts[1:]
    return "/".join(parts) or "."

def _context_flags(context):
    """Returns the flags for the folders of headers and the definitions of a compilation context."""
    flags = []
    for option, folders in [
        ("-iquote", context.quote_includes),
        ("-I", context.includes),
        ("-isystem", context.system_includes),
    ]:
        seen = {}
        for folder in folders.to_list():
            seen[_below_runfiles(folder)] = True
        for folder in seen:
            flags += [option, folder]
    return flags + ["-D" + d for d in context.defines.to_list()]

def _expanded(ctx, words):
    """Returns the words of copts or definitions as Bazel reads them: make variables are replaced, quotes group."""
    out = []
    for w in words:
        out += ctx.tokenize(ctx.expand_make_variables("copts", w, {}))
    return out

def _collect(target, ctx):
    commands = []
    files = []
    local = _expanded(ctx, getattr(ctx.rule.attr, "copts", []))
    local += ["-D" + d for d in _expanded(ctx, getattr(ctx.rule.attr, "local_defines", []))]
    flags = _context_flags(target[CcInfo].compilation_context) + local
    for source in getattr(ctx.rule.attr, "srcs", []):
        for f in source.files.to_list():
            if f.extension == "c":
                commands.append(struct(file = f, flags = tuple(flags)))
                files.append(f)
            elif f.extension in ["h", "inc"]:
                files.append(f)
    below = [
        d[UnitproofSources]
        for d in getattr(ctx.rule.attr, "deps", []) + getattr(ctx.rule.attr, "implementation_deps", [])
        if UnitproofSources in d
    ]
    return [UnitproofSources(
        files = depset(files, transitive = [b.files for b in below]),
        commands = depset(commands, transitive = [b.commands for b in below]),
    )]

_collect_sources = aspect(
    implementation = _collect,
    attr_aspects = ["deps", "implementation_deps"],
    doc = "Collects the C files of cc_library rules.",
)

def _quoted(word):
    return "'" + word.replace("'", "'\\''") + "'"

def _unitproof_test(ctx):
    contexts = [d[CcInfo].compilation_context for d in ctx.attr.deps]
    flags = ["-iquote", "."] + ["-D" + d for d in _expanded(ctx, ctx.attr.defines)]
    for context in contexts:
        flags += _context_flags(context)
    flags += _expanded(ctx, ctx.attr.copts)
    commands = [struct(file = f, flags = flags) for f in [ctx.file.proof] + ctx.files.srcs]
    known = {c.file.path: True for c in commands}
    for d in ctx.attr.deps:
        for c in d[UnitproofSources].commands.to_list():
            if c.file.path not in known:
                known[c.file.path] = True
                commands.append(c)

    # Folders are relative to the place where tests run: the root of the runfiles of this workspace.
    depth = len(ctx.label.package.split("/")) if ctx.label.package else 0
    entries = [struct(
        directory = "/".join([".."] * depth) or ".",
        file = c.file.short_path,
        arguments = ["cc"] + list(c.flags) + ["-c", c.file.short_path],
    ) for c in commands]
    database = ctx.actions.declare_file(ctx.label.name + ".compile_commands.json")
    ctx.actions.write(database, "[" + ",\n".join([json.encode(e) for e in entries]) + "]\n")

    words = [ctx.file._program.short_path, "check", ctx.file.proof.short_path]
    words += ["--compile-commands", database.short_path, "--no-cache"]
    for f in ctx.files.srcs:
        words += ["--source", f.short_path]
    if ctx.attr.entry:
        words += ["--entry", ctx.attr.entry]
    if ctx.file.config:
        words += ["--config", ctx.file.config.short_path]
    words += ctx.attr.flags
    script = ctx.actions.declare_file(ctx.label.name + ".sh")
    ctx.actions.write(
        script,
        "#!/bin/sh\n" +
        "export XDG_CACHE_HOME=\"$TEST_TMPDIR\" TMPDIR=\"$TEST_TMPDIR\"\n" +
        "exec " + " ".join([_quoted(w) for w in words]) + " \"$@\"\n",
        is_executable = True,
    )
    files = ctx.files.srcs + ctx.files.data + [ctx.file.proof, database, ctx.file._program]
    if ctx.file.config:
        files.append(ctx.file.config)
    runfiles = ctx.runfiles(
        files = files,
        transitive_files = depset(transitive = [c.headers for c in contexts] +
                                               [d[UnitproofSources].files for d in ctx.attr.deps]),
    )
    return [DefaultInfo(executable = script, runfiles = runfiles)]

unitproof_test = rule(
    implementation = _unitproof_test,
    test = True,
    doc = "A unit proof that \"unitproof check\" checks, with a clang of the machine.",
    attrs = {
        "proof": attr.label(allow_single_file = [".c"], mandatory = True, doc = "the file with the proof"),
        "srcs": attr.label_list(allow_files = [".c"], doc = "further C files that are linked with it: stubs"),
        "deps": attr.label_list(
            providers = [CcInfo],
            aspects = [_collect_sources],
            doc = "cc_library rules with the functions that the proof calls",
        ),
        "copts": attr.string_list(doc = "flags for the compiler, for proof and srcs"),
        "defines": attr.string_list(doc = "definitions of macros, for proof and srcs: N=4"),
        "entry": attr.string(doc = "the function, if the file has several proofs"),
        "config": attr.label(allow_single_file = True, doc = "a unitproof.toml"),
        "data": attr.label_list(allow_files = True, doc = "further files that the compiler reads"),
        "flags": attr.string_list(doc = "for \"unitproof check\": --unwind 8 is two words"),
        "_program": attr.label(
            default = Label("//:unitproof"),
            allow_single_file = True,
        ),
    },
)
