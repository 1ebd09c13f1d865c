/* Tries what a program of somebody else's might try, and tells for each attempt "NAME done" or "NAME refused".
 * Arguments: the attempt, and what it is about. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static void tell(const char *name, int done) {
  printf("%s %s (%s)\n", name, done ? "done" : "refused", done ? "" : strerror(errno));
  fflush(stdout);
}

static int connects(const char *port) {
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(atoi(port)), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  int s = socket(AF_INET, SOCK_STREAM, 0);
  return s >= 0 && connect(s, (struct sockaddr *)&a, sizeof a) == 0;
}

static int connects_locally(const char *path) {
  struct sockaddr_un a = {.sun_family = AF_UNIX};
  strncpy(a.sun_path, path, sizeof a.sun_path - 1);
  int s = socket(AF_UNIX, SOCK_STREAM, 0);
  return s >= 0 && connect(s, (struct sockaddr *)&a, sizeof a) == 0;
}

int main(int argc, char **argv) {
  const char *what = argv[1], *about = argc > 2 ? argv[2] : "";
  char other[4096];
  if (!strcmp(what, "network")) {
    tell("connect", connects(about));
    tell("connect-locally", connects_locally(argv[3]));
    tell("packet", socket(AF_PACKET, SOCK_RAW, 0) >= 0);
    tell("io_uring", syscall(SYS_io_uring_setup, 1, NULL) >= 0 || errno == EFAULT || errno == EINVAL);
  } else if (!strcmp(what, "files")) { /* about: a folder with a file "secret" */
    snprintf(other, sizeof other, "%s/secret", about);
    tell("read", open(other, O_RDONLY) >= 0);
    tell("write", open(other, O_WRONLY) >= 0);
    tell("truncate", truncate(other, 1) == 0);
    tell("chmod", chmod(other, 0777) == 0);
    tell("utime", utimensat(AT_FDCWD, other, NULL, 0) == 0);
    tell("unlink", unlink(other) == 0);
    snprintf(other, sizeof other, "%s/new", about);
    tell("create", open(other, O_CREAT | O_WRONLY, 0600) >= 0);
    tell("mkdir", mkdir(other, 0700) == 0);
    tell("symlink", symlink("/", other) == 0);
    tell("list", opendir(about) != NULL);
    tell("passwd", open("/etc/passwd", O_RDONLY) >= 0);
    tell("usr", open("/usr/unitproof-hostile", O_CREAT | O_WRONLY, 0600) >= 0);
    tell("root", open("/unitproof-hostile", O_CREAT | O_WRONLY, 0600) >= 0);
    tell("self", open(argv[0], O_WRONLY) >= 0 || unlink(argv[0]) == 0);
    tell("mount", mount("tmpfs", "/tmp", "tmpfs", 0, NULL) == 0);
    tell("unshare", unshare(CLONE_NEWUSER) == 0);
    tell("chroot", chroot("/tmp") == 0);
  } else if (!strcmp(what, "fresh")) {
    int f = open("file", O_CREAT | O_RDWR, 0600);
    tell("fresh", f >= 0 && write(f, "x", 1) == 1 && close(f) == 0 && rename("file", "other") == 0 &&
                    chmod("other", 0400) == 0 && unlink("other") == 0);
    long sum = 0;
    for (int i = 0; i < 10000; i++) {
      snprintf(other, sizeof other, "f%d", i);
      if ((f = open(other, O_CREAT | O_RDWR, 0600)) < 0)
        break;
      static char block[1 << 16];
      ssize_t n = write(f, block, sizeof block);
      close(f);
      if (n <= 0)
        break;
      sum += n;
    }
    printf("bytes %ld\n", sum);
  } else if (!strcmp(what, "processes")) { /* about: the number of a process */
    pid_t victim = atoi(about);
    tell("signal", kill(victim, 0) == 0);
    tell("kill", kill(victim, SIGKILL) == 0);
    tell("trace", ptrace(PTRACE_ATTACH, victim, 0, 0) == 0);
    snprintf(other, sizeof other, "/proc/%s/environ", about);
    int f = open(other, O_RDONLY);
    tell("environ", f >= 0 && read(f, other, 10) > 0 && strncmp(other, "UNITPROOF_", 10) == 0);
    snprintf(other, sizeof other, "/proc/%s/root/etc", about);
    tell("its-root", opendir(other) != NULL);
    struct rlimit none = {0};
    tell("limit", prlimit(victim, RLIMIT_NOFILE, &none, NULL) == 0);
    tell("priority", setpriority(PRIO_PROCESS, victim, 19) == 0);
    DIR *d = opendir("/proc");
    int seen = 0;
    for (struct dirent *e; d && (e = readdir(d));)
      seen += e->d_name[0] >= '1' && e->d_name[0] <= '9';
    printf("seen %d\n", seen);
    tell("parent", kill(getppid(), SIGKILL) == 0 && (usleep(100000), 1) && kill(getppid(), 0) != 0);
    tell("shm", shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600) >= 0);
  } else if (!strcmp(what, "own")) { /* what it may do */
    signal(SIGUSR1, SIG_IGN);
    tell("own-signal", raise(SIGUSR1) == 0);
    pid_t child = fork();
    if (child == 0)
      _exit(7);
    int status = 0;
    tell("own-child", waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7);
    tell("null", open("/dev/null", O_RDWR) >= 0);
    tell("maps", open("/proc/self/maps", O_RDONLY) >= 0);
    tell("given", *about == 0 || open(about, O_RDONLY) >= 0);
  } else if (!strcmp(what, "daemon")) { /* about: a word that finds it */
    if (fork() == 0) {
      setsid();
      setpgid(0, 0);
      if (fork() == 0) {
        signal(SIGHUP, SIG_IGN), signal(SIGTERM, SIG_IGN);
        close(0), close(1), close(2);
        execl("/bin/sleep", "sleep", "1000", about, NULL);
        execl("/proc/self/exe", "hostile", "sleep", about, NULL);
      }
      _exit(0);
    }
    wait(NULL);
    usleep(200000);
    printf("started\n");
  } else if (!strcmp(what, "sleep")) {
    sleep(1000);
  } else if (!strcmp(what, "bomb")) { /* slow enough for who watches */
    int n = 0;
    while (n < 5000) {
      pid_t p = fork();
      if (p < 0)
        break;
      if (p == 0)
        pause();
      n++, usleep(1000);
    }
    printf("forked %d\n", n);
  } else if (!strcmp(what, "memory")) {
    for (;;) {
      char *p = malloc(1 << 20);
      if (p)
        memset(p, 1, 1 << 20);
    }
  } else if (!strcmp(what, "spin")) {
    for (volatile unsigned i = 0;; i++)
      ;
  } else if (!strcmp(what, "abort")) {
    abort();
  } else if (!strcmp(what, "segfault")) {
    *(volatile int *)8 = 1;
  } else if (!strcmp(what, "exit")) {
    return 42;
  } else if (!strcmp(what, "personality")) {
    FILE *f = fopen("/proc/self/personality", "r");
    char text[32] = "";
    if (f && fgets(text, sizeof text, f))
      printf("%s", text);
  }
  return 0;
}
