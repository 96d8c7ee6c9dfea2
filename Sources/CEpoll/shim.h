#pragma once
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

// glibc hides accept4 behind _GNU_SOURCE, which Swift's importer does not define.
extern int accept4(int descriptor, struct sockaddr *address, socklen_t *length, int flags);

// Hidden likewise, and its mask's type with it: a bit for each processor, at least 128 bytes.
extern int sched_getaffinity(int process, size_t size, void *mask);

// Hidden likewise; the one flag is 1, for a descriptor that no other program inherits.
extern int memfd_create(const char *name, unsigned int flags);

// Hidden likewise: the name that tools show for a thread, of 15 bytes at most.
extern int pthread_setname_np(unsigned long thread, const char *name);
