package sandbox

import "golang.org/x/sys/unix"

const architecture = unix.AUDIT_ARCH_X86_64

// ofFilesHere are the older calls, which only some architectures have.
var ofFilesHere = []uint32{unix.SYS_CHMOD, unix.SYS_CHOWN, unix.SYS_LCHOWN, unix.SYS_UTIME, unix.SYS_UTIMES,
	unix.SYS_FUTIMESAT}

// others has the calls of programs of 32 bits. Their numbers are those of asm/unistd_32.h, in the order of the lists
// for 64 bits; socketcall, ipc, umount, stime and the calls for 16-bit users and for 64-bit times are added.
var others = []calls{{
	architecture: unix.AUDIT_ARCH_I386,
	neverNeeded: []uint32{
		359, 360, 362, 361, 363, 364, 369, 370, 345, 425, 426, 427, 395, 397, 399, 393, 277, 356, 447, 66, 57, 310,
		346, 21, 52, 217, 61, 430, 431, 432, 433, 428, 429, 442, 342, 341, 338, 131, 87, 115, 51, 88, 283, 128, 350,
		129, 357, 336, 374, 286, 288, 287, 103, 347, 348, 440, 434, 438, 424, 349, 317, 294, 97, 289, 156, 154, 351,
		79, 264, 124, 343, 74, 121, 102, 117, 22, 25, 404, 405,
	},
	ofFiles: []uint32{
		94, 306, 95, 298, 92, 320, 226, 227, 228, 235, 236, 237, 15, 182, 16, 30, 271, 299, 207, 212, 198, 193, 412,
	},
	signal: []uint32{37, 238, 270, 178, 335},
	ptrace: 26, clone: 120, clone3: 435, limit: 340,
}}
