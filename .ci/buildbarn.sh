# A cluster of Buildbarn on loopback, for test-cluster.sh: a scheduler, workers with a runner each, and bazel-remote for
# what they keep. "make cluster" builds the programs.

# buildbarn FOLDER BIN STORAGE [POLICY]: starts the scheduler for clients at port SCHEDULER_PORT, whom POLICY
# authenticates (all); STORAGE is HOST:PORT. Its process is scheduler_pid.
buildbarn() {
	bb=$1 bb_bin=$2 bb_storage="{grpc: {client: {address: '$3'}}}"
	bb_clients=${SCHEDULER_PORT:-8982} bb_workers=${WORKER_PORT:-8983}
	mkdir -p "$bb"
	local allow='{allow: {}}'
	local clients=${4:-$allow}
	cat >"$bb/scheduler.jsonnet" <<-END
		{
		  clientGrpcServers: [{listenAddresses: ['127.0.0.1:$bb_clients'], authenticationPolicy: $clients}],
		  workerGrpcServers: [{listenAddresses: ['127.0.0.1:$bb_workers'], authenticationPolicy: $allow}],
		  contentAddressableStorage: $bb_storage,
		  maximumMessageSizeBytes: 16777216,
		  executeAuthorizer: $allow, modifyDrainsAuthorizer: $allow,
		  killOperationsAuthorizer: $allow, synchronizeAuthorizer: $allow,
		  actionRouter: {simple: {
		    platformKeyExtractor: {action: {}},
		    invocationKeyExtractors: [{toolInvocationId: {}}],
		    initialSizeClassAnalyzer: {defaultExecutionTimeout: '600s', maximumExecutionTimeout: '7200s'},
		  }},
		  platformQueueWithNoWorkersTimeout: '60s',
		}
	END
	"$bb_bin/bb_scheduler" "$bb/scheduler.jsonnet" >"$bb/scheduler.log" 2>&1 &
	scheduler_pid=$!
	bb_processes+=($scheduler_pid)
}

# worker NAME: starts a worker and its runner; their processes are in worker_pids.
worker() {
	local dir=$bb/$1
	rm -rf "$dir"
	mkdir -p "$dir/build" "$dir/cache"
	cat >"$dir/runner.jsonnet" <<-END
		{buildDirectoryPath: '$dir/build',
		 grpcServers: [{listenPaths: ['$dir/runner'], authenticationPolicy: {allow: {}}}]}
	END
	cat >"$dir/worker.jsonnet" <<-END
		{
		  blobstore: {contentAddressableStorage: $bb_storage, actionCache: $bb_storage},
		  maximumMessageSizeBytes: 16777216,
		  scheduler: {address: '127.0.0.1:$bb_workers'},
		  buildDirectories: [{
		    native: {buildDirectoryPath: '$dir/build', cacheDirectoryPath: '$dir/cache', maximumCacheFileCount: 1000,
		      maximumCacheSizeBytes: 1073741824, cacheReplacementPolicy: 'LEAST_RECENTLY_USED'},
		    runners: [{endpoint: {address: 'unix://$dir/runner'}, concurrency: 1, workerId: {name: '$1'},
		      platform: {properties: [{name: 'OSFamily', value: 'linux'}]}}],
		  }],
		  inputDownloadConcurrency: 10, outputUploadConcurrency: 10,
		  directoryCache: {maximumCount: 1000, maximumSizeBytes: 1048576,
		    cacheReplacementPolicy: 'LEAST_RECENTLY_USED'},
		}
	END
	"$bb_bin/bb_runner" "$dir/runner.jsonnet" >"$dir/runner.log" 2>&1 &
	worker_pids=($!)
	"$bb_bin/bb_worker" "$dir/worker.jsonnet" >"$dir/worker.log" 2>&1 &
	worker_pids+=($!)
	disown "${worker_pids[@]}" # nobody is to be told when they are killed
	bb_processes+=("${worker_pids[@]}")
}
