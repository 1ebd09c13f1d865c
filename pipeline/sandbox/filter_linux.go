package sandbox

import (
	"errors"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// filterOf is a filter of system calls (seccomp). It refuses calls that no C program under sanitizers needs and that
// lead out of the sandbox, or to parts of the kernel with frequent vulnerabilities.
type filterOf struct {
	alone     bool // there is no other process: modes of the sandbox's own files may be changed
	traceable bool // no other process can be traced, so that LeakSanitizer may trace its own
	self      int  // signals go to this process only; 0: to all visible processes
}

// neverNeeded are refused with EPERM.
var neverNeeded = []uint32{
	unix.SYS_SOCKET, unix.SYS_SOCKETPAIR, unix.SYS_CONNECT, unix.SYS_BIND, unix.SYS_LISTEN, unix.SYS_ACCEPT,
	unix.SYS_ACCEPT4,
	unix.SYS_SENDTO, unix.SYS_SENDMSG, unix.SYS_SENDMMSG, unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER,
	unix.SYS_IO_URING_REGISTER,
	unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_MSGGET, unix.SYS_SEMGET, unix.SYS_MQ_OPEN, unix.SYS_MEMFD_CREATE,
	unix.SYS_MEMFD_SECRET,
	unix.SYS_SETSID, unix.SYS_SETPGID, // its processes stay in the group that is killed
	unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT,
	unix.SYS_FSOPEN,
	unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_OPEN_TREE, unix.SYS_MOVE_MOUNT, unix.SYS_MOUNT_SETATTR,
	unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_FANOTIFY_INIT, unix.SYS_QUOTACTL, unix.SYS_SWAPON,
	unix.SYS_SWAPOFF, unix.SYS_ACCT, unix.SYS_REBOOT, unix.SYS_KEXEC_LOAD, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE,
	unix.SYS_DELETE_MODULE, unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_ADD_KEY,
	unix.SYS_KEYCTL,
	unix.SYS_REQUEST_KEY, unix.SYS_SYSLOG, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PROCESS_MADVISE,
	unix.SYS_PIDFD_OPEN, unix.SYS_PIDFD_GETFD, unix.SYS_PIDFD_SEND_SIGNAL, unix.SYS_KCMP, unix.SYS_MOVE_PAGES,
	unix.SYS_MIGRATE_PAGES, unix.SYS_SETPRIORITY, unix.SYS_IOPRIO_SET, unix.SYS_SCHED_SETSCHEDULER,
	unix.SYS_SCHED_SETPARAM,
	unix.SYS_SCHED_SETATTR, unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_ADJTIMEX, unix.SYS_CLOCK_ADJTIME,
	unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME,
}

// ofFiles change files in ways that Landlock does not control.
var ofFiles = append([]uint32{unix.SYS_FCHMOD, unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2, unix.SYS_FCHOWN,
	unix.SYS_FCHOWNAT,
	unix.SYS_TRUNCATE, unix.SYS_UTIMENSAT, unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_FSETXATTR, unix.SYS_REMOVEXATTR,
	unix.SYS_LREMOVEXATTR, unix.SYS_FREMOVEXATTR}, ofFilesHere...)

// signals have the target process as their first argument.
var signals = []uint32{unix.SYS_KILL, unix.SYS_TKILL, unix.SYS_TGKILL, unix.SYS_RT_SIGQUEUEINFO,
	unix.SYS_RT_TGSIGQUEUEINFO}

// Inputs of the filter: offsets in struct seccomp_data.
const (
	dataNumber       = 0
	dataArchitecture = 4
	dataArgument     = 16 // the low half of the first argument, on little-endian machines
)

const namespaceFlags = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET |
	unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP

const (
	answerAllow  = unix.SECCOMP_RET_ALLOW
	answerRefuse = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	answerAbsent = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
)

func load(offset uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
}

func answer(what uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: what}
}

// unless skips n instructions if the loaded word is not k.
func unless(k uint32, n uint8) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: k, Jf: n}
}

// calls are the numbers of system calls of one architecture.
type calls struct {
	architecture                 uint32
	neverNeeded, ofFiles, signal []uint32
	ptrace, clone, clone3, limit uint32
}

// program returns the filter as a BPF program: a part for each architecture whose programs this machine executes.
func (f filterOf) program() []unix.SockFilter {
	native := calls{architecture: architecture, neverNeeded: neverNeeded, ofFiles: ofFiles, signal: signals,
		ptrace: unix.SYS_PTRACE, clone: unix.SYS_CLONE, clone3: unix.SYS_CLONE3, limit: unix.SYS_PRLIMIT64}
	p := []unix.SockFilter{load(dataArchitecture)}
	for _, a := range append([]calls{native}, others...) {
		part := f.part(a)
		p = append(p, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: a.architecture, Jt: 1},
			unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JA, K: uint32(len(part))})
		p = append(p, part...)
	}
	return append(p, answer(answerRefuse))
}

// part returns the part of the filter for an architecture. Every path ends in an answer.
func (f filterOf) part(a calls) []unix.SockFilter {
	p := []unix.SockFilter{
		load(dataNumber),
		// The numbers of the x32 ABI, which has other calls.
		{Code: unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K, K: 0x40000000, Jf: 1}, answer(answerAbsent),
	}
	refuse := func(calls []uint32) {
		for _, call := range calls {
			p = append(p, unless(call, 1), answer(answerRefuse))
		}
	}
	refuse(a.neverNeeded)
	if !f.alone {
		refuse(a.ofFiles)
	}
	if !f.traceable {
		refuse([]uint32{a.ptrace})
	}
	// clone3 has its flags in memory, invisible to filters; without it the C library uses clone.
	p = append(p, unless(a.clone3, 1), answer(answerAbsent),
		unless(a.clone, 4), load(dataArgument),
		unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, K: namespaceFlags, Jf: 1}, answer(answerRefuse),
		answer(answerAllow),
		// Limits of the process itself only.
		unless(a.limit, 4), load(dataArgument), unless(0, 1), answer(answerAllow), answer(answerRefuse))
	if f.self != 0 {
		for _, call := range a.signal {
			p = append(p, unless(call, 4), load(dataArgument), unless(uint32(f.self), 1), answer(answerAllow),
				answer(answerRefuse))
		}
	}
	return append(p, answer(answerAllow))
}

// install installs the filter in the thread and all programs that it executes.
func (f filterOf) install() error {
	if architecture == 0 {
		return errors.New("not supported for " + runtime.GOARCH)
	}
	p := f.program()
	program := unix.SockFprog{Len: uint16(len(p)), Filter: &p[0]}
	err := unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0)
	runtime.KeepAlive(p)
	return err
}
