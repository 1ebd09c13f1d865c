# make bench-cluster DIR=CLONE: the proofs of a clone of verify-c-common here, two at a time, and by a cluster of two
# workers on this machine, RUNS times in turns, each with an empty cache. What is kept for good in the cluster is not
# found again, since each run has a timeout of its own.
set -euo pipefail
cd "$(dirname "$0")/.."
top=$PWD work=$(mktemp -d) grpc=${GRPC_PORT:-9293}
bb_processes=()
. .ci/buildbarn.sh
trap 'kill "${bb_processes[@]}" 2>/dev/null || true; rm -rf "$work"' EXIT

mapfile -t proofs < <("$top/bin/unitproof-bench" seahorn "$DIR")
[ "${#proofs[@]}" -gt 0 ]
mkdir "$work/store"
bin/bazel-remote --dir "$work/store" --max_size 5 --http_address "127.0.0.1:${PORT:-9292}" \
	--grpc_address "127.0.0.1:$grpc" >"$work/log" 2>&1 &
bb_processes+=($!)
buildbarn "$work/bb" bin "127.0.0.1:$grpc"
for name in one two; do worker $name; done
sleep 2 # until the workers have come
there=(--remote "grpc://127.0.0.1:$bb_clients" --remote-storage "grpc://127.0.0.1:$grpc" \
	--remote-platform OSFamily=linux)

# run NAME FLAGS...: seconds of a check, and what it says.
run() {
	local name=$1 status=0
	shift
	rm -rf "$work/cache"
	local start=$EPOCHREALTIME
	(cd "$DIR" && XDG_CACHE_HOME="$work/cache" "$top/bin/unitproof" check --json "$work/$name.json" "$@" \
		"${proofs[@]}" >/dev/null 2>"$work/$name.err") || status=$?
	[ "$status" -lt 3 ] || { cat "$work/$name.err"; exit 1; }
	seconds=$(echo "$EPOCHREALTIME - $start" | bc)
	grep -E '^      "(name|verdict)"' "$work/$name.json" >"$work/$name.said"
}
list_here=() list_there=()
for i in $(seq "${RUNS:-5}"); do
	run here -j 2 --timeout $((60 + i))s
	list_here+=("$seconds")
	run there "${there[@]}" --timeout $((60 + i))s
	list_there+=("$seconds")
	cat "$work/there.err"
	diff "$work/here.said" "$work/there.said"
	echo "here ${list_here[-1]} s, there $seconds s"
done
median() { printf '%s\n' "$@" | sort -n | sed -n "$((($# + 1) / 2))p"; }
h=$(median "${list_here[@]}") t=$(median "${list_there[@]}")
echo "${#proofs[@]} proofs, medians: here $h s, by two workers $t s, $(echo "scale=1; 100 * $t / $h - 100" | bc) % more"
