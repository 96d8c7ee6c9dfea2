// The least a server can do: epoll, read, write. It answers each request with the bytes of a file,
// head and body, whatever was asked, and closes where a head says so. What others cost is measured
// as a multiple of this.
//
//   PeerInC PORT FILE

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { connections_max = 65536, input_max = 16384, events_max = 256 };

// What is left to be written to each descriptor.
static size_t left[connections_max];
// Whether it is closed after that.
static char is_last[connections_max];
static char *answer;
static size_t answer_size;

static void check(int is_good, const char *what) {
  if (is_good) return;
  perror(what);
  exit(1);
}

static void read_answer(const char *path) {
  FILE *file = fopen(path, "rb");
  check(file != NULL, path);
  fseek(file, 0, SEEK_END);
  answer_size = (size_t)ftell(file);
  rewind(file);
  answer = malloc(answer_size);
  check(answer != NULL && fread(answer, 1, answer_size, file) == answer_size, "read");
  fclose(file);
}

static int listening_socket(int port) {
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), on = 1;
  check(listener >= 0, "socket");
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  setsockopt(listener, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  check(bind(listener, (struct sockaddr *)&address, sizeof address) == 0, "bind");
  check(listen(listener, 4096) == 0, "listen");
  return listener;
}

// Writes on until all is written or the socket is full; 0 when the connection is over.
static int write_on(int descriptor) {
  while (left[descriptor] > 0) {
    ssize_t written = send(
        descriptor, answer + answer_size - left[descriptor], left[descriptor], MSG_NOSIGNAL);
    if (written < 0) return errno == EAGAIN;
    left[descriptor] -= (size_t)written;
  }
  return 1;
}

// One read, as many answers as heads have ended in it; 0 when the connection is over.
static int serve(int descriptor) {
  static char input[input_max];
  if (!write_on(descriptor)) return 0;
  if (left[descriptor] == 0 && is_last[descriptor]) return 0;
  while (left[descriptor] == 0) {
    ssize_t count = read(descriptor, input, sizeof input);
    if (count == 0) return 0;
    if (count < 0) return errno == EAGAIN;
    is_last[descriptor] = memmem(input, (size_t)count, "Connection: close", 17) != NULL;
    for (char *end = input;
         (end = memmem(end, (size_t)(input + count - end), "\r\n\r\n", 4)) != NULL; end += 4) {
      left[descriptor] = answer_size;
      if (!write_on(descriptor)) return 0;
      if (left[descriptor] > 0) return 1;
      if (is_last[descriptor]) return 0;
    }
    if (count < (ssize_t)sizeof input) return 1;
  }
  return 1;
}

int main(int count, char **arguments) {
  check(count == 3, "PeerInC PORT FILE");
  read_answer(arguments[2]);
  int listener = listening_socket(atoi(arguments[1])), set = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN, .data.fd = listener}, events[events_max];
  check(set >= 0 && epoll_ctl(set, EPOLL_CTL_ADD, listener, &event) == 0, "epoll");
  while (1) {
    int ready = epoll_wait(set, events, events_max, -1);
    for (int index = 0; index < ready; index++) {
      int descriptor = events[index].data.fd;
      if (descriptor != listener) {
        if (!serve(descriptor)) close(descriptor);
        continue;
      }
      while ((descriptor = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
        check(descriptor < connections_max, "connections");
        left[descriptor] = is_last[descriptor] = 0;
        event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
        event.data.fd = descriptor;
        epoll_ctl(set, EPOLL_CTL_ADD, descriptor, &event);
      }
    }
  }
}
