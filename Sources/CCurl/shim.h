#pragma once
#include <curl/curl.h>

// Swift cannot call variadic functions. One wrapper for each type of the last argument.

static inline CURLcode ccurl_easy_setopt_long(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_easy_setopt_offset(CURL *easy, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_easy_setopt_text(CURL *easy, CURLoption option, const char *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_easy_setopt_list(
    CURL *easy, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_easy_setopt_pointer(CURL *easy, CURLoption option, void *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_easy_setopt_callback(
    CURL *easy, CURLoption option, curl_write_callback value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_easy_setopt_opened(CURL *easy, curl_sockopt_callback value) {
  return curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, value);
}

static inline CURLcode ccurl_easy_getinfo_long(CURL *easy, CURLINFO info, long *value) {
  return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode ccurl_easy_getinfo_offset(CURL *easy, CURLINFO info, curl_off_t *value) {
  return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode ccurl_easy_getinfo_text(CURL *easy, CURLINFO info, char **value) {
  return curl_easy_getinfo(easy, info, value);
}

static inline CURLMcode ccurl_multi_setopt_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

// Options that older libraries (7.81 in Ubuntu 22.04) do not have or name otherwise.

static inline CURLcode ccurl_easy_allow_http_only(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075500
  return curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
  return curl_easy_setopt(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

typedef int (*ccurl_connected_callback)(void *, char *, char *, int, int);

static inline CURLcode ccurl_easy_setopt_connected(
    CURL *easy, ccurl_connected_callback value, void *data) {
#if LIBCURL_VERSION_NUM >= 0x075000
  CURLcode code = curl_easy_setopt(easy, CURLOPT_PREREQDATA, data);
  return code != CURLE_OK ? code : curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, value);
#else
  (void)easy, (void)value, (void)data;
  return CURLE_OK;
#endif
}

static inline CURLcode ccurl_easy_quick_exit(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075700
  return curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
#else
  (void)easy;
  return CURLE_OK;
#endif
}
