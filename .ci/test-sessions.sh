#!/usr/bin/env bash
# Talks to a program as editors and assistants do, in a new folder: .ci/test-sessions.sh PROGRAM. The language server
# publishes a failed assertion of an open file, the server for assistants checks a proof.
set -euo pipefail
program=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
printf '#include <unitproof.h>\nint main(void) { sassert(nd_int() != 7); }\n' >seven_harness.c
text='#include <unitproof.h>\nint main(void) { sassert(nd_int() != 7); }\n' # in JSON

rpc() { printf '{"jsonrpc":"2.0",%s}' "$1"; }
frame() { # frame MEMBERS: a message of the Language Server Protocol
  local message
  message=$(rpc "$1")
  printf 'Content-Length: %d\r\n\r\n%s' "${#message}" "$message"
}
line() { rpc "$1"; echo; } # a message of the Model Context Protocol
answered() { # answered TEXT FILE: waits until the text is in the file, at most four minutes
  local n=0
  until grep -qF -- "$1" "$2" 2>/dev/null; do
    [ $((n += 1)) -lt 1200 ] || { echo "!! no $1 in the answers:" >&2; tail -c 2000 "$2" >&2; return 1; }
    sleep 0.2
  done
}

document='"uri":"file://'$work'/seven_harness.c","languageId":"c","version":1,"text":"'$text'"'
{
  frame '"id":1,"method":"initialize","params":{"processId":null,"rootUri":"file://'"$work"'","capabilities":{}}'
  answered '"id":1' lsp
  frame '"method":"initialized","params":{}'
  frame '"method":"textDocument/didOpen","params":{"textDocument":{'"$document"'}}'
  answered '"severity":1' lsp
  frame '"id":2,"method":"shutdown"'
  answered '"id":2' lsp
  frame '"method":"exit"'
} | "$program" lsp --stdio >lsp
echo "== lsp over stdio: the failed assertion of an open file"

client='"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"trial","version":"1"}'
{
  line '"id":1,"method":"initialize","params":{'"$client"'}'
  answered '"id":1' mcp
  line '"method":"notifications/initialized"'
  line '"id":2,"method":"tools/call","params":{"name":"check","arguments":{}}'
  answered '"id":2' mcp
} | "$program" mcp >mcp
grep -q failed mcp || { echo "!! the answer of check: $(tail -n1 mcp)" >&2; exit 1; }
echo "== mcp over stdio: check answers that a proof failed"
