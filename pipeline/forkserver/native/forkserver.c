// A library to be preloaded (LD_PRELOAD) into a program that is to be run many times. It stops the program before main,
// when the dynamic linker has relocated everything and the static initialisers have run, and then runs it in a forked
// child for each message on file descriptor 3: the fork server of AFL, without the instrumentation.
//
// A message holds a folder, argv[0], argv[1] and so on, each with its zero byte, and four descriptors: the child's
// standard input, output and error, and a socket for the answer. The answer is one int, the status as waitpid gives it;
// -1 where no child could be started. Whoever closes the socket before that has the child killed. The end of file on
// descriptor 3 ends the server and its children.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CONTROL = 3, MESSAGE = 1 << 17, ARGUMENTS = 1 << 14, JOBS = 128 };

typedef int main_function(int, char **, char **);
typedef int start_function(main_function *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);

struct job {
    pid_t pid;
    int exited;  // a pidfd
    int answer;  // the socket, -1 once its other end is closed
};

static main_function *program;
static char message[MESSAGE + 1];
static char *arguments[ARGUMENTS + 1];
static struct job jobs[JOBS];
static int running;
static pid_t server;
static const char *asked;

// child turns into the program. It returns the program's status, with which the C library goes on as after any main.
static int child(int fds[4], size_t length, char **environment) {
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != server)
        _exit(127);
    for (int i = 0; i < 3; i++)  // they lie above 3, so none is overwritten before its turn
        if (dup2(fds[i], i) < 0)
            _exit(127);
    if (syscall(SYS_close_range, 3u, ~0u, 0u) != 0)
        _exit(127);
    if (message[0] != 0 && chdir(message) != 0)
        _exit(127);
    int count = 0;
    for (char *at = message + strlen(message) + 1; at < message + length && count < ARGUMENTS; at += strlen(at) + 1)
        arguments[count++] = at;
    arguments[count] = NULL;
    return program(count, arguments, environment);
}

static void reply(int answer, int status) {
    if (answer >= 0) {
        send(answer, &status, sizeof status, MSG_NOSIGNAL);  // whoever asked may be gone
        close(answer);
    }
}

// accept_job reads one message and starts a child. It returns 1 in the child, with its status in *status.
static int accept_job(char **environment, int *status) {
    int fds[4];
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof fds)];
    } rights;
    struct iovec text = {message, MESSAGE};
    struct msghdr m = {.msg_iov = &text, .msg_iovlen = 1, .msg_control = &rights, .msg_controllen = sizeof rights};
    ssize_t length = recvmsg(CONTROL, &m, MSG_CMSG_CLOEXEC);
    if (length < 0 && (errno == EINTR || errno == EAGAIN))
        return 0;
    struct cmsghdr *h = length > 0 ? CMSG_FIRSTHDR(&m) : NULL;
    if (length <= 0 || m.msg_flags & (MSG_TRUNC | MSG_CTRUNC) || h == NULL ||
        h->cmsg_type != SCM_RIGHTS || h->cmsg_len != CMSG_LEN(sizeof fds))
        _exit(0);  // the end; children die with their parent
    memcpy(fds, CMSG_DATA(h), sizeof fds);
    message[length] = 0;
    int answer = fds[3];
    pid_t pid = running < JOBS ? fork() : -1;
    if (pid == 0) {
        *status = child(fds, (size_t)length, environment);
        return 1;
    }
    for (int i = 0; i < 3; i++)
        close(fds[i]);
    if (pid < 0) {
        reply(answer, -1);
        return 0;
    }
    int exited = (int)syscall(SYS_pidfd_open, pid, 0);
    if (exited < 0) {
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        reply(answer, -1);
        return 0;
    }
    jobs[running++] = (struct job){pid, exited, answer};
    return 0;
}

static int serve(int argc, char **argv, char **environment) {
    (void)argc;
    (void)argv;
    unsetenv("UNITPROOF_FORKSERVER");
    // What the program starts itself is started in the ordinary way. Before ours in LD_PRELOAD there is nothing.
    const char *preload = getenv("LD_PRELOAD");
    const char *others = preload == NULL ? NULL : strchr(preload, ':');
    if (others != NULL)
        setenv("LD_PRELOAD", others + 1, 1);
    else
        unsetenv("LD_PRELOAD");
    // All symbols were bound at the start, which each child would do again for those that it calls.
    if (strcmp(asked, "now") == 0)
        unsetenv("LD_BIND_NOW");
    environment = environ;
    server = getpid();
    int probe = (int)syscall(SYS_pidfd_open, server, 0);
    if (probe < 0)
        _exit(126);
    close(probe);
    if (send(CONTROL, "ready", 5, MSG_NOSIGNAL) != 5)
        _exit(126);
    for (;;) {
        struct pollfd watched[1 + 2 * JOBS];
        int n = running;
        watched[0] = (struct pollfd){.fd = CONTROL, .events = POLLIN};
        for (int i = 0; i < n; i++) {
            watched[1 + 2 * i] = (struct pollfd){.fd = jobs[i].exited, .events = POLLIN};
            watched[2 + 2 * i] = (struct pollfd){.fd = jobs[i].answer, .events = POLLRDHUP};
        }
        if (poll(watched, (nfds_t)(1 + 2 * n), -1) < 0) {
            if (errno == EINTR)
                continue;
            _exit(126);
        }
        for (int i = n - 1; i >= 0; i--) {  // downwards: the last one takes the place of one that is removed
            struct job *j = &jobs[i];
            if (watched[1 + 2 * i].revents != 0) {
                int status = -1;
                while (waitpid(j->pid, &status, 0) < 0 && errno == EINTR)
                    ;
                close(j->exited);
                reply(j->answer, status);
                *j = jobs[--running];
            } else if (watched[2 + 2 * i].revents != 0) {
                kill(j->pid, SIGKILL);
                close(j->answer);
                j->answer = -1;
            }
        }
        int status;
        if (watched[0].revents != 0 && accept_job(environment, &status))
            return status;
    }
}

// The dynamic linker finds this one before the C library's.
int __libc_start_main(main_function *m, int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void *stack_end) {
    start_function *start = (start_function *)dlsym(RTLD_NEXT, "__libc_start_main");
    asked = getenv("UNITPROOF_FORKSERVER");
    if (asked == NULL)  // a program that a wrapper script started, or anything else
        return start(m, argc, argv, init, fini, rtld_fini, stack_end);
    program = m;
    return start(serve, argc, argv, init, fini, rtld_fini, stack_end);
}
