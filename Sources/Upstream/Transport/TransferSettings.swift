internal import CCurl
internal import Feed
private import Glibc

/// The settings that all transfers of a client share.
struct TransferSettings: Sendable {
  private static let userAgentProduct = "Tsugi"

  private let userAgent: String
  private let certificateFile: String?

  /// Settings of this version, with the certificate authorities that the environment names.
  ///
  /// `CURL_CA_BUNDLE`, else `SSL_CERT_FILE`, replaces the system's file, as it does for `curl`.
  init(version: String) {
    userAgent = "\(TransferSettings.userAgentProduct)/\(version)"
    certificateFile =
      TransferSettings.variable("CURL_CA_BUNDLE") ?? TransferSettings.variable("SSL_CERT_FILE")
  }

  /// Sets a fresh handle's options.
  func apply(to easy: borrowing EasyHandle) throws(FetchError) {
    // Signals belong to the process: without this libcurl plays with SIGALRM and SIGPIPE, which
    // only a process of one thread bears.
    try easy.set(CURLOPT_NOSIGNAL, 1)
    try easy.allowHTTPOnly()
    try easy.exitQuickly()
    // Redirects are ours to follow: libcurl would leave the origin.
    try easy.set(CURLOPT_FOLLOWLOCATION, 0)
    // The upstream is what the configuration says. A proxy in the environment is meant for people
    // at this machine, and a call to loopback must never leave it.
    try easy.set(CURLOPT_NOPROXY, "*")
    try easy.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
    try easy.set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    try easy.set(CURLOPT_SSL_VERIFYPEER, 1)
    try easy.set(CURLOPT_SSL_VERIFYHOST, 2)
    if let certificateFile { try easy.set(CURLOPT_CAINFO, certificateFile) }
    try easy.set(CURLOPT_USERAGENT, userAgent)
  }

  private static func variable(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }
}
