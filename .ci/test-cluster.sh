# make test-cluster: the shared cache with a real bazel-remote, and checks by a real Buildbarn, on loopback, with what
# befalls both. "make cluster" builds them, and toxiproxy.
set -euo pipefail
cd "$(dirname "$0")/.."
top=$PWD work=$(mktemp -d) port=${PORT:-9292} grpc=${GRPC_PORT:-9293} toxi=${TOXIPROXY_PORT:-8474}
program=$top/bin/unitproof
server=
bb_processes=()
. .ci/buildbarn.sh
trap 'kill $server "${bb_processes[@]}" 2>/dev/null || true; rm -rf "$work"' EXIT
export UNITPROOF_REMOTE_TIMEOUT=20s

# start COMMAND...: starts the storage, by a command that runs another one.
start() {
	mkdir -p "$work/store"
	"$@" bin/bazel-remote --dir "$work/store" --max_size 1 --http_address "127.0.0.1:$port" \
		--grpc_address "127.0.0.1:$grpc" >"$work/log" 2>&1 &
	server=$!
	for _ in $(seq 100); do
		if curl -sf "http://127.0.0.1:$port/status" >/dev/null; then return; fi
		sleep 0.1
	done
	echo "bazel-remote does not start:"; cat "$work/log"; exit 1
}
# verdicts NAME FLAGS...: of a machine with a cache of its own, one a line.
verdicts() {
	local name=$1 status=0
	shift
	(cd "$work/proofs" && XDG_CACHE_HOME="$work/$name" "$program" check --json "$work/$name.json" "$@" \
		>/dev/null 2>"$work/$name.err") || status=$?
	[ "$status" -lt 3 ]
	grep -E '^      "(name|verdict)"' "$work/$name.json"
}
same() {
	verdicts "$@" >"$work/now"
	diff "$work/want" "$work/now" || { echo "$1: other verdicts"; exit 1; }
}
computed() { grep -E '"(solver_queries|compile_ms)": [1-9]' "$work/$1.json" | wc -l; }

mkdir "$work/proofs"
cp testdata/proofs/kinds/[a-d]*.c "$work/proofs"
touch "$work/proofs/unitproof.toml"
verdicts alone --no-cache >"$work/want"
for url in "http://127.0.0.1:$port" "grpc://127.0.0.1:$grpc"; do
	rm -rf "$work"/{store,ci,second,damaged,lost,gone}
	start
	same ci --remote-cache "$url" --remote-write
	same second --remote-cache "$url"
	[ "$(computed second)" = 0 ] || { echo "something was computed again"; exit 1; }

	find "$work/store" -type f -size +0 -exec \
		sh -c 'printf x | dd of="$1" bs=1 seek=$(($(stat -c %s "$1") / 2)) conv=notrunc status=none' - {} \;
	same damaged --remote-cache "$url"
	rm -rf "$work/store"
	same lost --remote-cache "$url" --remote-write
	kill "$server"; wait "$server" || true; server=
	same gone --remote-cache "$url" --remote-write
	grep -q 'the shared cache was not always used' "$work/gone.err" ||
		{ echo "nobody was told that it is gone"; exit 1; }
	echo "the shared cache works with bazel-remote by ${url%%:*}: $(grep -c '"name"' "$work/want") proofs," \
		"and with damaged, lost and no storage"
done

# json NAME FLAGS...: what a check says, without what it took.
json() {
	verdicts "$@" >/dev/null
	sed -E -e 's/("[a-z_]*_m[sb]": )[0-9]+/\10/' -e '/^  "tool": /d' "$work/$1.json" >"$work/$1.same"
}
# executed NAME: the cluster had nothing left for this machine to check, and said the same.
executed() {
	if [ -s "$work/$1.err" ]; then cat "$work/$1.err"; exit 1; fi
	diff "$work/here.same" "$work/$1.same" || { echo "$1: another result"; exit 1; }
}
# same_findings NAME: it says the same, wherever it was found out.
same_findings() {
	without_notes here "$1"
	diff "$work/here.findings" "$work/$1.findings" || { echo "$1: another result"; exit 1; }
}
# locally NAME: so it does, and that something was checked here and not there.
locally() {
	grep -q 'were checked here and not by the cluster' "$work/$1.err" ||
		{ echo "$1: nobody was told that the cluster was not used"; cat "$work/$1.err"; exit 1; }
	same_findings "$1"
}
without_notes() {
	for said; do
		python3 -c 'import json, sys
d = json.load(sys.stdin); d.pop("notes", 0); print(json.dumps(d, indent=1))' <"$work/$said.same" >"$work/$said.findings"
	done
}
rm -rf "$work/store"
start
buildbarn "$work/bb" bin "127.0.0.1:$grpc"
declare -A pids
for name in one two; do
	worker $name
	pids[$name]=${worker_pids[*]}
done
there=(--no-cache --remote "grpc://127.0.0.1:$bb_clients" --remote-storage "grpc://127.0.0.1:$grpc" \
	--remote-platform OSFamily=linux)
sleep 2 # until the workers have come
json here --no-cache
json there "${there[@]}"
executed there
json recalled "${there[@]}"
executed recalled
for run in $(seq "${RUNS:-3}"); do
	json here --no-cache --timeout $((100 + run))s
	json killed "${there[@]}" --timeout $((100 + run))s &
	check=$!
	sleep 0.$((RANDOM % 9 + 1))
	name=$([ $((RANDOM % 2)) = 0 ] && echo one || echo two)
	kill -9 ${pids[$name]}
	sleep 0.5
	worker $name
	pids[$name]=${worker_pids[*]}
	wait $check
	executed killed
done
# Another build of the program finds nothing of this one's there, and both say the same.
mkdir "$work/other"
go build -ldflags "-X github.com/unitproof/unitproof/cmd/internal/cli.commit=other" -o "$work/other/" ./cmd/unitproof \
	./cmd/unitproof-remote
(program=$work/other/unitproof; json other "${there[@]}") &
other=$!
json there "${there[@]}"
wait $other
json here --no-cache
executed there
executed other

# proxy NAME PORT: a proxy of that name at 127.0.0.1:PORT+10000, which can be made bad.
api=http://127.0.0.1:$toxi
proxy() {
	printf '{"name": "%s", "listen": "127.0.0.1:%d", "upstream": "127.0.0.1:%d"}' "$1" $(($2 + 10000)) "$2" |
		curl -sf "$api/proxies" -d @- >"$work/proxy"
}
# network NAME TYPE ATTRIBUTES [TYPE ATTRIBUTES]...: checks with what toxiproxy calls toxics, in both directions.
network() {
	local name=$1
	shift
	while [ $# -gt 0 ]; do
		for where in scheduler storage; do
			for stream in upstream downstream; do
				curl -sf "$api/proxies/$where/toxics" \
					-d '{"type": "'"$1"'", "stream": "'$stream'", "attributes": '"$2"'}' >"$work/toxic"
			done
		done
		shift 2
	done
	json here --no-cache --timeout $((runs += 1))s
	json "$name" "${far[@]}" --timeout ${runs}s
	curl -sf -X POST "$api/reset"
}
bin/toxiproxy -port "$toxi" >"$work/toxi.log" 2>&1 &
bb_processes+=($!)
until curl -sf "$api/version" >"$work/version"; do sleep 0.1; done
proxy scheduler "$bb_clients"
proxy storage "$grpc"
far=(--no-cache --remote "grpc://127.0.0.1:$((bb_clients + 10000))" \
	--remote-storage "grpc://127.0.0.1:$((grpc + 10000))" --remote-platform OSFamily=linux)
runs=200
network slow latency '{"latency": 80, "jitter": 70}' bandwidth '{"rate": 500}'
executed slow
network pieces slicer '{"average_size": 100, "size_variation": 50, "delay": 500}'
executed pieces
# Connections that break after so many bytes are made anew, maybe often enough; one that says nothing any more costs the
# cluster. Neither costs a verdict.
network broken limit_data '{"bytes": 30000}'
same_findings broken
UNITPROOF_REMOTE_TIMEOUT=1s network silent timeout '{"timeout": 0}'
locally silent
echo "a bad network: slow and in pieces the cluster checks; silent it is done without; broken connections cost nothing"

# A storage whose disk is full takes neither the program nor what is compiled.
kill "$server"; wait "$server" || true
rm -rf "$work/store"; mkdir "$work/store"
start unshare -rm sh -c 'mount -t tmpfs -o size=64k none "$0" && exec "$@"' "$work/store"
json here --no-cache
json full "${there[@]}"
locally full
for name in full-ci full-second; do
	same $name --remote-cache "grpc://127.0.0.1:$grpc" --remote-write
	grep -q 'it takes no entries: .* no space left on device' "$work/$name.err" ||
		{ echo "nobody was told that the disk is full"; exit 1; }
done
kill "$server"; wait "$server" || true
rm -rf "$work/store"
start
echo "a full disk: the cluster is done without"

# A scheduler that takes the credentials no longer, and has this told.
kill "$scheduler_pid"; wait "$scheduler_pid" 2>/dev/null || true
buildbarn "$work/bb" bin "127.0.0.1:$grpc" "{deny: 'the token has expired'}"
sleep 2
json expired "${there[@]}"
locally expired
grep -q 'refuses the credentials' "$work/expired.err" ||
	{ echo "nobody was told of the credentials:"; cat "$work/expired.err"; exit 1; }
echo "expired credentials: the cluster is done without, and that is said"

kill "${bb_processes[@]}" 2>/dev/null || true
verdicts gone "${there[@]}" --timeout 99s >"$work/now"
diff "$work/want" "$work/now" || { echo "without its cluster: other verdicts"; exit 1; }
grep -q 'were checked here and not by the cluster' "$work/gone.err" ||
	{ echo "nobody was told that the cluster is gone"; exit 1; }
echo "a cluster of Buildbarn checks: $(grep -c '"name"' "$work/want") proofs, with ${RUNS:-3} killed workers," \
	"and without it"
