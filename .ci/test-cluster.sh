# make test-cluster: the shared cache with a real bazel-remote, and checks by a real Buildbarn, on loopback. "make
# cluster" builds both.
set -euo pipefail
cd "$(dirname "$0")/.."
top=$PWD work=$(mktemp -d) port=${PORT:-9292} grpc=${GRPC_PORT:-9293}
server=
bb_processes=()
. .ci/buildbarn.sh
trap 'kill $server "${bb_processes[@]}" 2>/dev/null || true; rm -rf "$work"' EXIT
export UNITPROOF_REMOTE_TIMEOUT=20s

start() {
	mkdir -p "$work/store"
	bin/bazel-remote --dir "$work/store" --max_size 1 --http_address "127.0.0.1:$port" \
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
	(cd "$work/proofs" && XDG_CACHE_HOME="$work/$name" "$top/bin/unitproof" check --json "$work/$name.json" "$@" \
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
	sed -E 's/("[a-z_]*_m[sb]": )[0-9]+/\1/' "$work/$1.json" >"$work/$1.same"
}
# executed NAME: the cluster had nothing left for this machine to check, and said the same.
executed() {
	if [ -s "$work/$1.err" ]; then cat "$work/$1.err"; exit 1; fi
	diff "$work/here.same" "$work/$1.same" || { echo "$1: another result"; exit 1; }
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
kill "${bb_processes[@]}" 2>/dev/null || true
verdicts gone "${there[@]}" --timeout 99s >"$work/now"
diff "$work/want" "$work/now" || { echo "without its cluster: other verdicts"; exit 1; }
grep -q 'were checked here and not by the cluster' "$work/gone.err" ||
	{ echo "nobody was told that the cluster is gone"; exit 1; }
echo "a cluster of Buildbarn checks: $(grep -c '"name"' "$work/want") proofs, with ${RUNS:-3} killed workers," \
	"and without it"
